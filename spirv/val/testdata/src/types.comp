#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { uint8_t a[4]; int16_t s; float16_t h; f16vec4 hv; int64_t l; double d; i8vec4 c; bvec2 unusedBoolsAreUints; } b;
void main() {
  b.a[1] += uint8_t(b.s);
  b.s = int16_t(b.h * float16_t(2));
  b.hv = f16vec4(b.d, b.l, 0, 1) + b.h;
  b.l = (b.l << 3) | int64_t(b.a[0]);
  b.d = sqrt(b.d) + double(b.c.x);
  b.c = i8vec4(b.hv);
  b.h = float16_t(packHalf2x16(vec2(1, 2)));
}
