// Eight invocations hold a matrix of 8x8, a row each in eight registers, and transpose it by subgroupShuffleXor.
//
// The round with mask m swaps, in every block of 2m x 2m, the two halves beside the diagonal: four values an invocation.
//
// module glsl
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;

layout(std430, binding = 0) readonly buffer In { uint x[]; };
layout(std430, binding = 1) writeonly buffer Out { uint y[]; };

void main() {
  uint row[8];
  uint first = gl_GlobalInvocationID.x * 8;
  for (uint r = 0; r < 8; ++r)
    row[r] = x[first + r];
  for (uint mask = 1; mask < 8; mask <<= 1) {
    bool lower = (gl_SubgroupInvocationID & mask) != 0;
    for (uint r = 0; r < 8; ++r) {
      if ((r & mask) != 0) continue;
      uint got = subgroupShuffleXor(lower ? row[r] : row[r | mask], mask);
      if (lower) row[r] = got; else row[r | mask] = got;
    }
  }
  for (uint r = 0; r < 8; ++r)
    y[first + r] = row[r];
}
