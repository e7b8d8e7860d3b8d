// Tiled matrix product in local memory, two-dimensional.
#define T 8
__kernel __attribute__((work_group_size_hint(T, T, 1)))
void matmul(int n, __global const float *a, __global const float *b, __global float *c) {
  __local float ta[T][T], tb[T][T];
  int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
  float acc = 0;
  for (int k = 0; k < n; k += T) {
    ta[y][x] = a[gy * n + k + x];
    tb[y][x] = b[(k + y) * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int j = 0; j < T; j++) acc += ta[y][j] * tb[j][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[gy * n + gx] = acc;
}
