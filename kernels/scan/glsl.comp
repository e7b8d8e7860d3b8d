// Inclusive and exclusive scans of a sub-group by subgroupShuffleXor, and of a work-group through shared memory.
//
// Beside its own prefix each invocation keeps the total of the lanes it has met. In the round with mask m it meets the
// other half of its 2m lanes: if that is the lower half, its total comes before everything of its own.
//
// module glsl-u32 -DT=uint -DSUM
// module glsl-f32 -DT=float -DSUM
// module glsl-i32-max -DT=int
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;

layout(std430, binding = 0) readonly buffer In { T x[]; };
layout(std430, binding = 1) writeonly buffer SubInclusive { T sub_inclusive[]; };
layout(std430, binding = 2) writeonly buffer SubExclusive { T sub_exclusive[]; };
layout(std430, binding = 3) writeonly buffer Inclusive { T inclusive[]; }; // of the work-group
layout(std430, binding = 4) writeonly buffer Exclusive { T exclusive[]; };

shared T part[1024];

#ifdef SUM
const T identity = T(0);
T op(T a, T b) { return a + b; }
#else
const T identity = -0x7fffffff - 1;
T op(T a, T b) { return a < b ? b : a; }
#endif

void main() {
  uint i = gl_GlobalInvocationID.x;
  T v = x[i], before = identity, total = v;
  for (uint mask = 1; mask < gl_SubgroupSize; mask <<= 1) {
    T other = subgroupShuffleXor(total, mask);
    if ((gl_SubgroupInvocationID & mask) != 0) {
      before = op(other, before);
      total = op(other, total);
    } else {
      total = op(total, other);
    }
  }
  sub_exclusive[i] = before;
  sub_inclusive[i] = op(before, v);

  part[gl_SubgroupID] = total;
  barrier();
  T base = identity;
  for (uint j = 0; j < gl_SubgroupID; ++j)
    base = op(base, part[j]);
  before = op(base, before);
  exclusive[i] = before;
  inclusive[i] = op(before, v);
}
