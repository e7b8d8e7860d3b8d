#!/bin/bash
# ci/oclgrind/run.sh [FLAG...]: compare the emulator's speed with oclgrind's. Needs Debian 12's oclgrind, clang-14,
# llvm-spirv-14, libclang-common-14-dev and opencl-c-headers, and a C compiler. Flags are main.go's.
#
# oclgrind 21.10 is made with LLVM 14 and compiles with -Oz, so that is what the SPIR-V is made with too.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ln -s /usr/lib/oclgrind/liboclgrind-rt.so "$scratch/libOpenCL.so" # the name it gives itself
gcc -O2 -Wall -Wextra -o "$scratch/host" host/host.c "$scratch/libOpenCL.so" "-Wl,-rpath,$scratch"
clang-14 -x cl -cl-std=CL1.2 -Oz -Xclang -finclude-default-header -target spir64 -emit-llvm -c kernels.cl -o "$scratch/kernels.bc"
llvm-spirv-14 --spirv-max-version=1.3 "$scratch/kernels.bc" -o "$scratch/kernels.spv"
go build -o "$scratch/compare" .
"$scratch/compare" -host "$scratch/host" -source kernels.cl -spirv "$scratch/kernels.spv" "$@"
