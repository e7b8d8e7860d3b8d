#!/bin/sh
# Compiles src/*.cl and src/*.comp to the .spv modules beside this script. Needs clang and llvm-spirv (22) and
# glslangValidator (16); the modules are committed, so that the tests need none of them.
set -eu
cd "$(dirname "$0")"
for f in src/*.cl; do
  n=$(basename "$f" .cl)
  clang-22 -c -target spir64 -cl-std=CL3.0 -emit-llvm -O2 -Xclang -finclude-default-header -Xclang -cl-ext=+all -o "$n.bc" "$f"
  llvm-spirv-22 --spirv-max-version=1.4 "$n.bc" -o "cl-$n.spv"
  clang-22 -c -target spir -cl-std=CL3.0 -emit-llvm -O0 -fno-discard-value-names -Xclang -disable-O0-optnone -Xclang -finclude-default-header -Xclang -cl-ext=+all -o "$n.bc" "$f"
  llvm-spirv-22 --spirv-max-version=1.2 "$n.bc" -o "cl-$n-O0-32.spv"
  rm "$n.bc"
done
for f in src/*.comp; do
  n=$(basename "$f" .comp)
  glslangValidator --target-env vulkan1.1 -o "glsl-$n.spv" "$f" >/dev/null
  glslangValidator --target-env vulkan1.3 -o "glsl-$n-13.spv" "$f" >/dev/null
done
