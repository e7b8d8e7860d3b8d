// Radix-2 FFT of N = 2^LOG2N complex numbers, forward or back, one transform a work-group; decimation in frequency.
//
// An invocation holds N/size numbers, a work-group's size apart. Butterflies between them need nobody else; those between
// invocations of a sub-group go by subgroupShuffleXor, the others through shared memory. N is at most 16 times the
// work-group's size. Sub-groups are taken to be rows of neighbouring invocations.
//
// module glsl
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LOG2N = 3;
layout(constant_id = 2) const bool BACK = false;

layout(std430, binding = 0) readonly buffer In { vec2 x[]; };
layout(std430, binding = 1) writeonly buffer Out { vec2 y[]; };
layout(std430, binding = 2) readonly buffer Roots { vec2 root[]; }; // exp(-2 pi i n/N), n < N/2

shared vec2 exchange[1024];

vec2 times(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
vec2 conjugate(vec2 a) { return vec2(a.x, -a.y); }

void main() {
  const uint n = 1u << LOG2N;
  uint size = gl_WorkGroupSize.x, each = n / size, l = gl_LocalInvocationIndex, first = gl_WorkGroupID.x * n;
  vec2 v[16];
  for (uint e = 0; e < each; ++e) {
    vec2 a = x[first + e * size + l];
    v[e] = BACK ? conjugate(a) : a;
  }
  for (uint stride = n / 2; stride > 0; stride >>= 1) {
    uint turn = n / 2 / stride;
    if (stride >= size) {
      uint d = stride / size;
      for (uint e = 0; e < each; ++e) {
        if ((e & d) != 0) continue;
        vec2 a = v[e], b = v[e + d];
        v[e] = a + b;
        v[e + d] = times(a - b, root[((e * size + l) & (stride - 1)) * turn]);
      }
      continue;
    }
    for (uint e = 0; e < each; ++e) {
      vec2 a = v[e], b;
      if (stride < gl_SubgroupSize) {
        b = subgroupShuffleXor(a, stride);
      } else {
        barrier();
        exchange[l] = a;
        barrier();
        b = exchange[l ^ stride];
      }
      v[e] = (l & stride) == 0 ? a + b : times(b - a, root[(l & (stride - 1)) * turn]);
    }
  }
  for (uint e = 0; e < each; ++e) {
    uint i = bitfieldReverse(e * size + l) >> (32 - LOG2N);
    y[first + i] = BACK ? conjugate(v[e]) / float(n) : v[e];
  }
}
