// Atomics on global and local memory, old and new style.
__kernel void atomics(__global int *hist, __global const int *in, __global atomic_uint *counter, __local int *tmp) {
  size_t i = get_global_id(0);
  atomic_inc(&hist[in[i] & 15]);
  atomic_max(&tmp[get_local_id(0)], in[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint old = atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed, memory_scope_device);
  int expected = 0;
  atomic_cmpxchg(&hist[16], expected, (int)old);
  hist[17] = tmp[0];
}
