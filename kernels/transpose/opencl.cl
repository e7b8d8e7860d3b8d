// Eight work-items hold a matrix of 8x8, a row each in eight registers, and transpose it by sub_group_shuffle_xor.
//
// module opencl

#define TRANSPOSE(SUFFIX, T)                                                  \
  kernel void transpose_##SUFFIX(global const T *x, global T *y) {            \
    T row[8];                                                                 \
    size_t first = get_global_id(0) * 8;                                      \
    for (uint r = 0; r < 8; ++r)                                              \
      row[r] = x[first + r];                                                  \
    for (uint mask = 1; mask < 8; mask <<= 1) {                               \
      bool lower = get_sub_group_local_id() & mask;                           \
      for (uint r = 0; r < 8; ++r) {                                          \
        if (r & mask)                                                         \
          continue;                                                           \
        T got = sub_group_shuffle_xor(lower ? row[r] : row[r | mask], mask);  \
        if (lower)                                                            \
          row[r] = got;                                                       \
        else                                                                  \
          row[r | mask] = got;                                                \
      }                                                                       \
    }                                                                         \
    for (uint r = 0; r < 8; ++r)                                              \
      y[first + r] = row[r];                                                  \
  }

TRANSPOSE(u32, uint)
TRANSPOSE(u8, uchar)
TRANSPOSE(u64, ulong)
