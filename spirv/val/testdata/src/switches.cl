// A switch over 64-bit values, early returns, nested loops with break and continue, goto-like control flow.
int collatz(ulong v, int limit) {
  int n = 0;
  while (v != 1) {
    v = (v & 1) ? 3 * v + 1 : v / 2;
    if (++n > limit) return -1;
  }
  return n;
}
__kernel void switches(__global const ulong *in, __global int *out, int limit) {
  size_t i = get_global_id(0);
  int acc = 0;
  for (int j = 0; j < 8; j++) {
    switch (in[i] + j) {
    case 0: acc += 1; continue;
    case 1: acc += 2; break;
    case 0x100000000UL: acc ^= 5;
    case 7: acc -= 3; break;
    default: acc += collatz(in[i] + j, limit);
    }
    if (acc > 1000) break;
  }
  out[i] = acc;
}
