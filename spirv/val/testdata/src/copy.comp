#version 450
// Storage buffers with runtime arrays, push constants, a specialization constant.
layout(local_size_x_id = 0, local_size_x = 64) in;
layout(constant_id = 1) const uint FACTOR = 3;
layout(set = 0, binding = 0) readonly buffer In { uint n; uint data[]; } src;
layout(set = 0, binding = 1) buffer Out { uint data[]; } dst;
layout(push_constant) uniform Push { uint offset; float scale; } push;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= src.n) return;
  dst.data[i + push.offset] = uint(float(src.data[i] * FACTOR) * push.scale);
}
