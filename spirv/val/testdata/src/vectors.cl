// Swizzles, shuffles, vectors of 2, 3, 4, 8 and 16, vload and vstore, select, as_type.
__kernel void vectors(__global const uint16 *a, __global uint8 *b, __global float *f, __global ulong2 *l, __global char *p) {
  size_t i = get_global_id(0);
  uint16 v = a[i];
  b[i] = v.even + v.odd.s76543210;
  float3 g = vload3(i, f);
  g.xz = g.zx * 2.0f;
  vstore3(select(g, -g, g.yyy > 0.0f), i, f);
  l[i] = as_ulong2(v.s0123) ^ as_ulong2(v.hi.lo);
  uchar4 k = as_uchar4(v.s5);
  p[i] = k.w - k.x + popcount(k.y) + clz((int)v.s1);
}
