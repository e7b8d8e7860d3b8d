// Half and double arithmetic, conversions with rounding and saturation.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void halfs(__global half *h, __global double *d, __global char *c, __global uchar8 *u) {
  size_t i = get_global_id(0);
  h[i] = h[i] * (half)0.5f + (half)1;
  d[i] = sqrt(d[i]) / 3.0 + convert_double(h[i]);
  c[i] = convert_char_sat_rte(d[i]);
  u[i] = convert_uchar8_sat(convert_short8(u[i]) * (short8)3) >> (uchar8)1;
}
