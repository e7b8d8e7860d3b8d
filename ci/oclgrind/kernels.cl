// The kernels that oclgrind and the emulator are compared on, see run.sh. cases.go has the same in Go.

// Products are rounded before they are added.
#pragma OPENCL FP_CONTRACT OFF

kernel void vector_add(global const uint *a, global const uint *b, global uint *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

kernel void xorshift(global uint *x, uint steps) {
  size_t i = get_global_id(0);
  uint s = x[i];
  for (uint k = 0; k < steps; k++) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
  }
  x[i] = s;
}

#define TILE 16
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global const float *a, global const float *b, global float *c, uint n) {
  local float as[TILE][TILE], bs[TILE][TILE];
  uint x = get_local_id(0), y = get_local_id(1);
  uint col = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
  float sum = 0;
  for (uint t = 0; t < n; t += TILE) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; k++)
      sum += as[y][k] * bs[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}

kernel void reduce(global const uint *in, global uint *out, local uint *tmp) {
  uint l = get_local_id(0);
  tmp[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s)
      tmp[l] += tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = tmp[0];
}
