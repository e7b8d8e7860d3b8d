// y = a*x + y, with a vector tail: loads, stores, fma, get_global_id.
__kernel void saxpy(float a, __global const float *restrict x, __global float *restrict y, uint n) {
  size_t i = get_global_id(0);
  if (i < n) y[i] = fma(a, x[i], y[i]);
}
__kernel void saxpy4(float a, __global const float4 *x, __global float4 *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
