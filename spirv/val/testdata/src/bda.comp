#version 450
#extension GL_EXT_buffer_reference : enable
#extension GL_EXT_buffer_reference_uvec2 : enable
// A linked list through physical pointers: a type that refers to itself.
layout(local_size_x = 16) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; vec4 value; };
layout(push_constant) uniform Push { Node head; } push;
layout(std430, binding = 0) buffer Out { vec4 sum[]; } o;
void main() {
  vec4 s = vec4(0);
  Node n = push.head;
  for (int i = 0; i < 10 && uvec2(n) != uvec2(0); i++) { s += n.value; n = n.next; }
  o.sum[gl_GlobalInvocationID.x] = s;
}
