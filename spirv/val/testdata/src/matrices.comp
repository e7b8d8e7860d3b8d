#version 450
// std140 and std430 layouts, row-major and column-major matrices, arrays of structures.
layout(local_size_x = 4, local_size_y = 4) in;
struct S { vec3 v; float f; mat3 m; };
layout(std140, binding = 0) uniform U { layout(row_major) mat4x3 a; mat2 b[3]; S s[2]; } u;
layout(std430, binding = 1) buffer B { mat3x4 r; S t[]; } b;
void main() {
  uint i = gl_LocalInvocationIndex;
  vec3 v = u.a * vec4(1, 2, 3, 4) + u.s[i & 1].v;
  b.r = mat3x4(u.a[0].xyzx, v.xyzz, transpose(b.r)[0].xyzx);
  b.t[i].m = inverse(u.s[1].m) * determinant(u.b[i % 3]);
  b.t[i].v = normalize(v);
  b.t[i].f = dot(v, v);
}
