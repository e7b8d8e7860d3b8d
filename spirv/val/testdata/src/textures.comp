#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 1, binding = 0) uniform sampler2D tex;
layout(set = 1, binding = 1, rgba8) uniform writeonly image2D img;
layout(set = 1, binding = 2) uniform sampler2DArray layers[4];
layout(set = 2, binding = 0, r32ui) uniform uimage2D counts;
void main() {
  ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  vec4 v = textureLod(tex, vec2(p) / textureSize(tex, 0), 0.0) + texelFetch(layers[2], ivec3(p, 1), 0);
  imageStore(img, p, v);
  imageAtomicAdd(counts, p & 3, 1u);
}
