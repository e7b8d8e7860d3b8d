// Reductions of a sub-group by subgroupShuffleXor, and of a work-group through shared memory.
//
// The masks double from round to round (1, 2, 4, ...), so that after log2(size) rounds every invocation has the result.
//
// module glsl-u32 -DT=uint -DINTEGER
// module glsl-i32 -DT=int -DINTEGER
// module glsl-f32 -DT=float
// module glsl-f16 -DT=float16_t
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint OP = 0; // sum, least, greatest; integers also and, or, exclusive or

layout(std430, binding = 0) readonly buffer In { T x[]; };
layout(std430, binding = 1) writeonly buffer SubGroups { T sub_group[]; };   // one an invocation
layout(std430, binding = 2) writeonly buffer WorkGroups { T work_group[]; }; // one a work-group

shared T part[1024];

T op(T a, T b) {
  if (OP == 1) return b < a ? b : a;
  if (OP == 2) return a < b ? b : a;
#if defined(INTEGER)
  if (OP == 3) return a & b;
  if (OP == 4) return a | b;
  if (OP == 5) return a ^ b;
#endif
  return a + b;
}

void main() {
  T v = x[gl_GlobalInvocationID.x];
  for (uint mask = 1; mask < gl_SubgroupSize; mask <<= 1)
    v = op(v, subgroupShuffleXor(v, mask));
  sub_group[gl_GlobalInvocationID.x] = v;

  part[gl_SubgroupID] = v; // every invocation of the sub-group stores the same
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    for (uint i = 1; i < gl_NumSubgroups; ++i)
      v = op(v, part[i]);
    work_group[gl_WorkGroupID.x] = v;
  }
}
