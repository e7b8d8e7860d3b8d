// Radix-2 FFT of n = 2^log2n complex numbers, forward or back, one transform a work-group; decimation in frequency.
//
// A work-item holds n/size numbers, a work-group's size apart. Butterflies between them need nobody else; those between
// work-items of a sub-group go by sub_group_shuffle_xor, the others through local memory. n is at most 16 times the
// work-group's size. Sub-groups are taken to be rows of neighbouring work-items.
//
// module opencl
#pragma OPENCL FP_CONTRACT OFF // the same bits everywhere

float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

void transform(global const float2 *x, global float2 *y, global const float2 *root, uint log2n, bool back, local float2 *exchange) {
  uint n = 1u << log2n, size = get_local_size(0), each = n / size, l = get_local_id(0), first = get_group_id(0) * n;
  float sign = back ? -1.0f : 1.0f, scale = back ? 1.0f / n : 1.0f; // back is forward between two conjugations
  float2 v[16];
  for (uint e = 0; e < each; ++e) {
    v[e] = x[first + e * size + l];
    v[e].y *= sign;
  }
  for (uint stride = n / 2; stride > 0; stride >>= 1) {
    uint turn = n / 2 / stride;
    if (stride >= size) {
      uint d = stride / size;
      for (uint e = 0; e < each; ++e) {
        if (e & d)
          continue;
        float2 a = v[e], b = v[e + d];
        v[e] = a + b;
        v[e + d] = times(a - b, root[((e * size + l) & (stride - 1)) * turn]);
      }
      continue;
    }
    for (uint e = 0; e < each; ++e) {
      float2 a = v[e], b;
      if (stride < get_max_sub_group_size()) {
        b.x = sub_group_shuffle_xor(a.x, stride);
        b.y = sub_group_shuffle_xor(a.y, stride);
      } else {
        barrier(CLK_LOCAL_MEM_FENCE);
        exchange[l] = a;
        barrier(CLK_LOCAL_MEM_FENCE);
        b = exchange[l ^ stride];
      }
      if (l & stride)
        v[e] = times(b - a, root[(l & (stride - 1)) * turn]);
      else
        v[e] = a + b;
    }
  }
  for (uint e = 0; e < each; ++e) {
    uint i = 0;
    for (uint bit = 0; bit < log2n; ++bit)
      i |= ((e * size + l) >> bit & 1) << (log2n - 1 - bit);
    y[first + i] = (float2)(v[e].x * scale, v[e].y * sign * scale);
  }
}

kernel void forward(global const float2 *x, global float2 *y, global const float2 *root, uint log2n) {
  local float2 exchange[1024];
  transform(x, y, root, log2n, false, exchange);
}

kernel void back(global const float2 *x, global float2 *y, global const float2 *root, uint log2n) {
  local float2 exchange[1024];
  transform(x, y, root, log2n, true, exchange);
}
