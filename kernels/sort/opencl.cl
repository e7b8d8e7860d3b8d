// Bitonic sort of 2^n keys, with values that go with them or without, in several launches; and of a sub-group's keys.
//
// Work-groups sort blocks of their own size (block). Then, for k from twice that size on, sequences of k elements are
// merged: exchanges between elements further apart than a work-group, a launch each (far), and the rest within work-groups
// (near). Partners nearer than the sub-group's size exchange by sub_group_shuffle_xor, others through local memory.
// Sub-groups are taken to be rows of neighbouring work-items.
//
// module opencl

// Element i of sequences that go up and down in turn takes its partner's key where that is the one it ought to have.
bool takes(uint key, uint other, size_t i, uint k, uint j) {
  bool lower = !(i & j), up = !(i & k);
  return lower == up ? other < key : key < other;
}

uint partner(uint x, uint j, local uint *shared) {
  if (j < get_max_sub_group_size())
    return sub_group_shuffle_xor(x, j);
  size_t l = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  return shared[l ^ j];
}

#define KEYS_STEP(K, J)                       \
  do {                                        \
    uint other = partner(key, J, shared);     \
    if (takes(key, other, i, K, J))           \
      key = other;                            \
  } while (0)

#define PAIRS_STEP(K, J)                          \
  do {                                            \
    uint other = partner(key, J, shared);         \
    uint other_value = partner(value, J, shared); \
    if (takes(key, other, i, K, J)) {             \
      key = other;                                \
      value = other_value;                        \
    }                                             \
  } while (0)

// Each sub-group sorts its own keys.
kernel void sub_group_keys(global uint *keys) {
  size_t i = get_global_id(0);
  uint lane = get_sub_group_local_id(), size = get_max_sub_group_size(), key = keys[i];
  for (uint k = 2; k <= size; k <<= 1)
    for (uint j = k / 2; j > 0; j >>= 1) {
      uint other = sub_group_shuffle_xor(key, j);
      if (takes(key, other, lane, k, j))
        key = other;
    }
  keys[i] = key;
}

kernel void block_keys(global uint *keys) {
  local uint shared[1024];
  size_t i = get_global_id(0);
  uint key = keys[i];
  for (uint k = 2; k <= get_local_size(0); k <<= 1)
    for (uint j = k / 2; j > 0; j >>= 1)
      KEYS_STEP(k, j);
  keys[i] = key;
}

kernel void near_keys(global uint *keys, uint k) {
  local uint shared[1024];
  size_t i = get_global_id(0);
  uint key = keys[i];
  for (uint j = get_local_size(0) / 2; j > 0; j >>= 1)
    KEYS_STEP(k, j);
  keys[i] = key;
}

// Half as many work-items as elements.
kernel void far_keys(global uint *keys, uint k, uint j) {
  size_t i = get_global_id(0), a = (i & (j - 1)) | ((i & ~(size_t)(j - 1)) << 1), b = a | j;
  uint x = keys[a], y = keys[b];
  if (a & k ? x < y : y < x) {
    keys[a] = y;
    keys[b] = x;
  }
}

kernel void block_pairs(global uint *keys, global uint *values) {
  local uint shared[1024];
  size_t i = get_global_id(0);
  uint key = keys[i], value = values[i];
  for (uint k = 2; k <= get_local_size(0); k <<= 1)
    for (uint j = k / 2; j > 0; j >>= 1)
      PAIRS_STEP(k, j);
  keys[i] = key;
  values[i] = value;
}

kernel void near_pairs(global uint *keys, global uint *values, uint k) {
  local uint shared[1024];
  size_t i = get_global_id(0);
  uint key = keys[i], value = values[i];
  for (uint j = get_local_size(0) / 2; j > 0; j >>= 1)
    PAIRS_STEP(k, j);
  keys[i] = key;
  values[i] = value;
}

kernel void far_pairs(global uint *keys, global uint *values, uint k, uint j) {
  size_t i = get_global_id(0), a = (i & (j - 1)) | ((i & ~(size_t)(j - 1)) << 1), b = a | j;
  uint x = keys[a], y = keys[b];
  if (a & k ? x < y : y < x) {
    uint v = values[a];
    values[a] = values[b];
    values[b] = v;
    keys[a] = y;
    keys[b] = x;
  }
}
