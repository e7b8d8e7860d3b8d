// Generic address space, program-scope constants and variables, pointers to pointers.
__constant int table[4] = {3, 1, 4, 1};
__global int state[8];
int load(const int *p) { return *p; }
__kernel void generic_space(__global int *g, __local int *l, __global int *__global *pp) {
  int priv = (int)get_local_id(0);
  const int *p = get_global_id(0) & 1 ? (const int *)g : (const int *)l;
  state[priv & 7] = load(p) + load(&priv) + table[priv & 3];
  **pp = state[0];
  g[1] = (int)((uintptr_t)p & 0xff);
}
