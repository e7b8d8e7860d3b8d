#!/bin/bash
# kernels/compile.sh [FOLDER...]: compile the catalogue's OpenCL C and GLSL to the SPIR-V beside it.
#
# A source FOLDER/x.cl or FOLDER/x.comp says in lines "// module NAME FLAGS" what is made of it: FOLDER/NAME.spvasm. The
# modules are kept as text, which assembles to what the compiler wrote, word by word. Made with Debian 12's clang 15,
# llvm-spirv 15 and glslang 12; CLANG, LLVM_SPIRV and GLSLANG name others.
set -euo pipefail
cd "$(dirname "$0")"
clang=${CLANG:-clang-15} llvm_spirv=${LLVM_SPIRV:-llvm-spirv-15} glslang=${GLSLANG:-glslangValidator}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/sgrun" ../cmd/sgrun
shopt -s nullglob
[ $# -gt 0 ] || set -- */
for source in $(for folder; do echo "${folder%/}"/*.{cl,comp}; done); do
  sed -n 's#^// module ##p' "$source" | while read -r name flags; do
    spv=$scratch/x.spv out=$(dirname "$source")/$name.spvasm
    case $source in
    *.comp)
      # shellcheck disable=SC2086 # flags are words
      "$glslang" --quiet --target-env vulkan1.3 -V $flags "$source" -o "$spv"
      by=$("$glslang" --version | sed -n 's/^Glslang Version: /glslang /p')
      ;;
    *.cl)
      # shellcheck disable=SC2086
      "$clang" -cl-std=CL3.0 -target spir64 -Xclang -finclude-default-header -fno-discard-value-names -O2 $flags \
        -emit-llvm -c "$source" -o "$scratch/x.bc"
      "$llvm_spirv" --spirv-max-version=1.3 "$scratch/x.bc" -o "$spv"
      by=$("$clang" --version | sed -n '1s/^.*clang version \([0-9.]*\).*/clang \1 and llvm-spirv/p')
      ;;
    esac
    {
      echo "; Compiled from $(basename "$source") by $by${flags:+, $flags}; kernels/compile.sh makes it again."
      "$scratch/sgrun" dis "$spv"
    } >"$out"
    echo "$out"
  done
done
