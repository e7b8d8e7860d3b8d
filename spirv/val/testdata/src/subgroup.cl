// Sub-group shuffles, reductions and ballots.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void subgroup(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint v = in[i];
  uint sum = sub_group_reduce_add(v);
  uint scan = sub_group_scan_inclusive_max(v);
  uint b = sub_group_broadcast(v, 3);
  out[i] = sum + scan * 3 + b + sub_group_any(v > 7) + get_sub_group_local_id();
}
