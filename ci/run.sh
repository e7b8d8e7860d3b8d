#!/bin/bash
# ci/run.sh [PART...]: run CI's parts, all of them by default, and close with a table of how each ended.
#
# Tools that are missing are installed: Debian packages with apt-get (as root), Go tools at the versions below.
set -u
export CGO_ENABLED="${CGO_ENABLED:-1}" # -race needs cgo; the build without it is a part of its own
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
fuzztime="${FUZZTIME:-1m}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# notrun REASON: end a part that cannot run here.
notrun() { echo "not run: $*"; return 77; }

part_gofmt() {
  local bad
  bad=$(gofmt -l .)
  [ -z "$bad" ] || { echo "gofmt would change:"; echo "$bad"; return 1; }
}
part_vet() { go vet ./... && go vet -tags=long ./...; }
part_staticcheck() { go run "$staticcheck" ./...; }
part_tests() { go test ./...; } # the README's test command
part_race() { go test -race ./...; }
part_long() { # parity is a part of its own; the tests that compare with spirv-tools say so where it cannot be installed
  have spirv-as spirv-tools
  go test -tags=long -timeout 20m -skip TestToolsParity ./...
}

# The assembler beside the installed spirv-as and spirv-dis: all modules of the repository and 2,000 random ones.
part_parity() (
  set -o pipefail
  have spirv-as spirv-tools || { notrun "spirv-tools cannot be installed"; exit; }
  spirv-as --version
  go test -count=1 -tags=long -v -run TestToolsParity ./spirv/asm | grep -v '^=== '
)

# The mathematical functions against MPFR; without it the long tests skip that one test, which is said here.
part_mpfr() {
  [ -e /usr/include/mpfr.h ] || { apt-get update -q && apt-get install -y -q --no-install-recommends gcc libmpfr-dev; } >/dev/null 2>&1
  [ -e /usr/include/mpfr.h ] || { notrun "MPFR's header is missing (package libmpfr-dev)"; return; }
  SGRUN_POINTS=20000 go test -tags=long -timeout 20m -run TestMPFR ./fallback/stdlib
}

# Everything but the hardware backends works without a C compiler, and on other systems and processors.
part_nocgo() {
  CGO_ENABLED=0 go build ./... || return
  local t
  for t in linux/arm64 darwin/arm64 windows/amd64 freebsd/amd64; do
    CGO_ENABLED=0 GOOS=${t%/*} GOARCH=${t#*/} go vet ./... || { echo "on $t"; return 1; }
  done
}

# A stranger's first minute: the README's two commands in a fresh clone, with no C compiler in sight.
part_readme() {
  git clone -q . "$scratch/clone" || return
  (
    cd "$scratch/clone" || exit
    export CGO_ENABLED=0
    sed -n 's/^    \(go run .*verify\|go test .*\)$/\1/p' README.md >"$scratch/commands"
    [ "$(wc -l <"$scratch/commands")" = 2 ] || { echo "README.md does not show the two commands"; exit 1; }
    while read -r c; do echo "+ $c"; eval "$c" || exit; done <"$scratch/commands"
  )
}

# The tables under spirv/ are what the generator makes of the grammar, where the grammar is at hand.
part_generated() {
  [ -n "${SPIRV_GRAMMAR:-}" ] || { notrun "SPIRV_GRAMMAR does not name the folder with Khronos' grammar files"; return; }
  go generate ./spirv/... && git diff --exit-code --stat -- spirv
}

# have PROGRAM PACKAGE...: install Debian packages where the program is missing.
have() {
  command -v "$1" >/dev/null || { apt-get update -q && apt-get install -y -q --no-install-recommends "${@:2}"; } >/dev/null 2>&1
  command -v "$1" >/dev/null
}

# The catalogue's modules that compilers made are what these compilers make of their sources.
part_compiled() {
  have clang-15 clang-15 && have llvm-spirv-15 llvm-spirv-15 && have glslangValidator glslang-tools || {
    notrun "clang-15, llvm-spirv-15 and glslang-tools cannot be installed"
    return
  }
  kernels/compile.sh && git diff --exit-code --stat -- kernels
}

# The emulator's speed beside oclgrind's: results are compared, times only shown.
part_oclgrind() {
  have oclgrind oclgrind && have clang-14 clang-14 libclang-common-14-dev && have llvm-spirv-14 llvm-spirv-14 &&
    { [ -e /usr/include/CL/cl.h ] || apt-get install -y -q --no-install-recommends opencl-c-headers >/dev/null 2>&1; } || {
    notrun "oclgrind, clang-14, llvm-spirv-14 and opencl-c-headers cannot be installed"
    return
  }
  bash ci/oclgrind/run.sh
}

# Each fuzz target for a while, from its seeds. At the end of its time go's fuzzer at times reports its own deadline as a
# failure, without a failing input: that is no finding.
part_fuzz() {
  local pkg target status=0 log=$scratch/fuzz.log
  while read -r pkg target; do
    echo "+ $pkg $target"
    go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzzminimizetime=1s -fuzztime "$fuzztime" >"$log" 2>&1 && { tail -n 3 "$log"; continue; }
    grep -v '^fuzz: elapsed' "$log"
    if grep -q 'context deadline exceeded' "$log" && ! grep -qE 'Failing input written|panic|hung|terminated' "$log"; then
      echo "the fuzzer's own deadline, no failing input"
    else
      status=1
    fi
  done < <(grep -rl --include='*_test.go' '^func Fuzz' . | while read -r f; do
    sed -n "s#^func \(Fuzz[A-Za-z0-9_]*\)(.*#$(dirname "$f") \1#p" "$f"
  done | sort)
  return $status
}

# The lab: Khronos' tools at a current version beside ours, in a root of their own.
part_lab() { bash ci/lab.sh; }

all="gofmt vet staticcheck tests race mpfr nocgo readme generated compiled oclgrind parity long fuzz lab"
failed=0
table=""
for p in ${*:-$all}; do
  printf '\n=== %s\n' "$p"
  start=$(date +%s)
  "part_$p"
  status=$?
  case $status in
  0) word=ok ;;
  77) word="NOT RUN" ;;
  *) word=FAILED failed=1 ;;
  esac
  table+=$(printf '%-12s %-8s %4d s' "$p" "$word" $(($(date +%s) - start)))$'\n'
done
printf '\n=== parts\n%s' "$table"
exit $failed
