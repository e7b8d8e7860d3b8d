// A structure by value, a packed structure, structures in structures, unions of vectors and arrays.
struct inner { char c; double d; short s[3]; };
struct __attribute__((packed)) packed { char c; int i; short s; };
struct params { int n; float scale; uchar3 color; struct inner in; };
__kernel void structs(struct params p, __global struct packed *q, __global struct inner *r, __global float *out) {
  size_t i = get_global_id(0);
  if (i >= (size_t)p.n) return;
  struct inner local_copy = r[i];
  local_copy.s[i % 3] = (short)(q[i].i + p.color.y);
  r[i] = local_copy;
  q[i].s = q[i].c;
  out[i] = p.scale * (float)local_copy.d + p.in.s[1];
}
