// Keeps the odd numbers of a buffer, in order, in three launches: how many each work-group keeps, what comes before each
// work-group, and the copy. Within a sub-group a ballot says who keeps; bits below an invocation's own are its place.
//
// module glsl
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint STEP = 0;

layout(std430, binding = 0) readonly buffer In { uint x[]; };
layout(std430, binding = 1) buffer Groups { uint groups[]; }; // a work-group's number of kept values, then what comes before
layout(std430, binding = 2) writeonly buffer Out { uint y[]; };
layout(std430, binding = 3) writeonly buffer Count { uint count; };
layout(push_constant) uniform Push { uint n; };

shared uint part[1024];

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (STEP == 1) { // one work-group, one invocation: there are few work-groups
    if (gl_LocalInvocationIndex == 0) {
      uint sum = 0;
      for (uint g = 0; g < n; ++g) {
        uint here = groups[g];
        groups[g] = sum;
        sum += here;
      }
      count = sum;
    }
    return;
  }
  bool keep = i < n && (x[i] & 1) != 0;
  uvec4 ballot = subgroupBallot(keep);
  part[gl_SubgroupID] = subgroupBallotBitCount(ballot);
  barrier();
  uint before = 0, total = 0;
  for (uint s = 0; s < gl_NumSubgroups; ++s) {
    if (s < gl_SubgroupID) before += part[s];
    total += part[s];
  }
  if (STEP == 0) {
    if (gl_LocalInvocationIndex == 0) groups[gl_WorkGroupID.x] = total;
  } else if (keep) {
    y[groups[gl_WorkGroupID.x] + before + subgroupBallotExclusiveBitCount(ballot)] = x[i];
  }
}
