// Reductions of a sub-group by sub_group_shuffle_xor, and of a work-group through local memory.
//
// module opencl
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// After the round with mask m every work-item has the result of the 2m lanes that differ from it in the low bits only.
#define REDUCE(NAME, T, OP)                                                      \
  kernel void NAME(global const T *x, global T *sub_group, global T *work_group) { \
    local T part[1024];                                                          \
    T v = x[get_global_id(0)];                                                   \
    for (uint mask = 1; mask < get_max_sub_group_size(); mask <<= 1) {           \
      T w = sub_group_shuffle_xor(v, mask);                                      \
      v = OP(v, w);                                                              \
    }                                                                            \
    sub_group[get_global_id(0)] = v;                                             \
    if (get_sub_group_local_id() == 0)                                           \
      part[get_sub_group_id()] = v;                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                \
    if (get_local_id(0) == 0) {                                                  \
      for (uint i = 1; i < get_num_sub_groups(); ++i)                            \
        v = OP(v, part[i]);                                                      \
      work_group[get_group_id(0)] = v;                                           \
    }                                                                            \
  }

#define SUM(a, b) ((a) + (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))

#define NUMBERS(SUFFIX, T) REDUCE(sum_##SUFFIX, T, SUM) REDUCE(min_##SUFFIX, T, MIN) REDUCE(max_##SUFFIX, T, MAX)
#define BITS(SUFFIX, T) REDUCE(and_##SUFFIX, T, AND) REDUCE(or_##SUFFIX, T, OR) REDUCE(xor_##SUFFIX, T, XOR)

NUMBERS(u32, uint)
BITS(u32, uint)
NUMBERS(i32, int)
NUMBERS(f32, float)
NUMBERS(f16, half)
