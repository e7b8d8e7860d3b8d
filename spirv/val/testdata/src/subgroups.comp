#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_shuffle_relative : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer B { uint x[]; } b;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint v = b.x[i];
  v += subgroupAdd(v) + subgroupInclusiveMax(v) + subgroupExclusiveXor(v);
  v ^= subgroupShuffleXor(v, 4) + subgroupShuffleUp(v, 1) + subgroupShuffle(v, 0);
  uvec4 m = subgroupBallot(v > 7);
  v += subgroupBallotBitCount(m) + subgroupBroadcastFirst(v) + subgroupClusteredMin(v, 8);
  if (subgroupAll(v > 3) || subgroupElect()) v += subgroupQuadSwapHorizontal(v);
  vec2 f = subgroupMul(vec2(v, 1));
  subgroupBarrier();
  b.x[i] = v + uint(f.x);
}
