#!/bin/bash
# ci/lab.sh: make the driver lab and run the tests that need it.
#
# The lab is a Debian sid root with what Debian 12 has only in old versions: today spirv-tools; the OpenCL, Level Zero
# and Vulkan drivers join it with the backends that need them. LAB names a root to use or to make; by default it is made
# in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" != 0 ]; then
  echo "not run: the lab needs root for chroot and mount"
  exit 77
fi
lab=${LAB:-}
if [ -z "$lab" ]; then
  lab=$(mktemp -d)
  trap 'rm -rf --one-file-system "$lab"' EXIT
fi
[ -x "$lab/usr/bin/spirv-as" ] || bash ci/make-lab.sh "$lab"

# Tests find the lab's tools on PATH, as they would find any other: one wrapper a tool, which mounts the temporary
# folder into the lab under its own name, so that paths mean the same inside.
bin=$(mktemp -d)
for tool in spirv-as spirv-dis spirv-val; do
  printf '#!/bin/bash\nexec bash %q %q %s "$@"\n' "$PWD/ci/in-lab.sh" "$lab" "$tool" >"$bin/$tool"
  chmod +x "$bin/$tool"
done
PATH="$bin:$PATH" spirv-as --version
# The parity test starts thousands of processes: it runs inside, where each costs less. Every other test that compares with
# these tools has Tools in its name.
CGO_ENABLED=0 go test -c -tags=long -o "$bin/asm.test" ./spirv/asm
bash ci/in-lab.sh "$lab" bash -c 'cd spirv/asm && "$0" -test.v -test.timeout 10m -test.run TestToolsParity' "$bin/asm.test"
PATH="$bin:$PATH" go test -count=1 -tags=long -v -run Tools -skip TestToolsParity ./spirv/... ./kernels | grep -vE '^=== |no tests to run|no test files'
