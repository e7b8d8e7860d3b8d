// Inclusive and exclusive scans of a sub-group by sub_group_shuffle_xor, of a work-group through local memory, and of a
// buffer of any length in three launches: blocks, sums, add.
//
// module opencl

#define SCAN(SUFFIX, T, OP, IDENTITY)                                                                                  \
  /* The scan of the work-group: what comes before this work-item, and the total of all. */                            \
  void scan_##SUFFIX(T v, local T *part, T *in_sub_group, T *before, T *total) {                                       \
    T prefix = IDENTITY, sum = v;                                                                                      \
    uint lane = get_sub_group_local_id();                                                                              \
    for (uint mask = 1; mask < get_max_sub_group_size(); mask <<= 1) {                                                 \
      T other = sub_group_shuffle_xor(sum, mask);                                                                      \
      if (lane & mask) {                                                                                               \
        prefix = OP(other, prefix);                                                                                    \
        sum = OP(other, sum);                                                                                          \
      } else {                                                                                                         \
        sum = OP(sum, other);                                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
    *in_sub_group = prefix;                                                                                            \
    if (lane == 0)                                                                                                     \
      part[get_sub_group_id()] = sum;                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    T base = IDENTITY;                                                                                                 \
    for (uint i = 0; i < get_sub_group_id(); ++i)                                                                      \
      base = OP(base, part[i]);                                                                                        \
    *before = OP(base, prefix);                                                                                        \
    for (uint i = get_sub_group_id(); i < get_num_sub_groups(); ++i)                                                   \
      base = OP(base, part[i]);                                                                                        \
    *total = base;                                                                                                     \
  }                                                                                                                    \
  kernel void groups_##SUFFIX(global const T *x, global T *sub_inclusive, global T *sub_exclusive,                     \
                              global T *inclusive, global T *exclusive) {                                              \
    local T part[1024];                                                                                                \
    size_t i = get_global_id(0);                                                                                       \
    T v = x[i], in_sub_group, before, total;                                                                           \
    scan_##SUFFIX(v, part, &in_sub_group, &before, &total);                                                            \
    sub_exclusive[i] = in_sub_group;                                                                                   \
    sub_inclusive[i] = OP(in_sub_group, v);                                                                            \
    exclusive[i] = before;                                                                                             \
    inclusive[i] = OP(before, v);                                                                                      \
  }                                                                                                                    \
  /* The exclusive scan of each block, and the blocks' totals. */                                                      \
  kernel void blocks_##SUFFIX(global const T *x, global T *out, global T *totals, uint n) {                            \
    local T part[1024];                                                                                                \
    size_t i = get_global_id(0);                                                                                       \
    T in_sub_group, before, total;                                                                                     \
    scan_##SUFFIX(i < n ? x[i] : IDENTITY, part, &in_sub_group, &before, &total);                                      \
    if (i < n)                                                                                                         \
      out[i] = before;                                                                                                 \
    if (get_local_id(0) == 0)                                                                                          \
      totals[get_group_id(0)] = total;                                                                                 \
  }                                                                                                                    \
  /* One work-group turns the totals into what comes before each block. */                                             \
  kernel void sums_##SUFFIX(global T *totals, uint blocks) {                                                           \
    local T part[1024];                                                                                                \
    size_t i = get_local_id(0);                                                                                        \
    T in_sub_group, before, total;                                                                                     \
    scan_##SUFFIX(i < blocks ? totals[i] : IDENTITY, part, &in_sub_group, &before, &total);                            \
    if (i < blocks)                                                                                                    \
      totals[i] = before;                                                                                              \
  }                                                                                                                    \
  kernel void add_##SUFFIX(global T *out, global const T *totals, uint n) {                                            \
    size_t i = get_global_id(0);                                                                                       \
    if (i < n)                                                                                                         \
      out[i] = OP(totals[get_group_id(0)], out[i]);                                                                    \
  }

#define SUM(a, b) ((a) + (b))
#define MAX(a, b) ((a) < (b) ? (b) : (a))

SCAN(u32, uint, SUM, 0)
SCAN(f32, float, SUM, 0.0f)
SCAN(i32_max, int, MAX, INT_MIN)
