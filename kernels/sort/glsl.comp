// Bitonic sort of 2^n keys, with values that go with them or without, in several launches.
//
// Work-groups sort blocks of their own size (STEP 0). Then, for k from twice that size on, sequences of k elements are
// merged: exchanges between elements further apart than a work-group, a launch each (STEP 1), and the rest within
// work-groups (STEP 2). Partners nearer than the sub-group's size exchange by subgroupShuffleXor, others through shared
// memory. Sub-groups are taken to be rows of neighbouring invocations.
//
// module glsl-keys
// module glsl-pairs -DVALUES
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint STEP = 0;

layout(std430, binding = 0) buffer Keys { uint keys[]; };
#ifdef VALUES
layout(std430, binding = 1) buffer Values { uint values[]; };
#endif
layout(push_constant) uniform Push {
  uint k; // length of the sequences to make
  uint j; // distance of partners, in STEP 1
};

shared uint other_keys[1024];
#ifdef VALUES
shared uint other_values[1024];
uint value;
#endif
uint key;

// Element i of sequences that go up and down in turn takes its partner's key where that is the one it ought to have.
void exchange(uint i, uint k, uint j) {
  uint l = gl_LocalInvocationIndex;
  uint other;
#ifdef VALUES
  uint other_value;
#endif
  if (j < gl_SubgroupSize) {
    other = subgroupShuffleXor(key, j);
#ifdef VALUES
    other_value = subgroupShuffleXor(value, j);
#endif
  } else {
    barrier();
    other_keys[l] = key;
#ifdef VALUES
    other_values[l] = value;
#endif
    barrier();
    other = other_keys[l ^ j];
#ifdef VALUES
    other_value = other_values[l ^ j];
#endif
  }
  bool lower = (i & j) == 0, up = (i & k) == 0;
  if (lower == up ? other < key : key < other) {
    key = other;
#ifdef VALUES
    value = other_value;
#endif
  }
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (STEP == 1) {
    uint a = (i & (j - 1)) | ((i & ~(j - 1)) << 1), b = a | j; // half as many invocations as elements
    bool up = (a & k) == 0;
    uint x = keys[a], y = keys[b];
    if (up ? y < x : x < y) {
      keys[a] = y;
      keys[b] = x;
#ifdef VALUES
      uint v = values[a];
      values[a] = values[b];
      values[b] = v;
#endif
    }
    return;
  }
  key = keys[i];
#ifdef VALUES
  value = values[i];
#endif
  if (STEP == 0) {
    for (uint length = 2; length <= gl_WorkGroupSize.x; length <<= 1)
      for (uint distance = length / 2; distance > 0; distance >>= 1)
        exchange(i, length, distance);
  } else {
    for (uint distance = gl_WorkGroupSize.x / 2; distance > 0; distance >>= 1)
      exchange(i, k, distance);
  }
  keys[i] = key;
#ifdef VALUES
  values[i] = value;
#endif
}
