// Images and a sampler.
__constant sampler_t smp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__kernel void images(__read_only image2d_t in, __write_only image2d_t out, sampler_t s) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 v = read_imagef(in, smp, p) + read_imagef(in, s, (float2)(0.5f, 0.25f));
  uint4 d = (uint4)(get_image_width(in), get_image_height(in), 0, 1);
  write_imagef(out, p, v * convert_float4(d));
}
