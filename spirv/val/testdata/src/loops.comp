#version 450
// Loops with break and continue, switch with fall-through, early return, function calls with inout, shared memory.
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B { int x[]; } b;
shared int tmp[32];
int f(inout int a, int n) {
  for (int i = 0; i < n; i++) {
    if (a == 3) continue;
    if (a > 100) return i;
    a += i;
  }
  return -1;
}
void main() {
  uint i = gl_LocalInvocationID.x;
  int v = b.x[i];
  tmp[i] = v;
  barrier();
  do {
    switch (v & 7) {
    case 0: v += 1;
    case 1: v += 2; break;
    case 5: continue;
    default: v -= 1; break;
    }
    if (v == 77) break;
  } while (v > 0 && tmp[(i + 1) & 31] < 9);
  int a = v;
  b.x[i] = f(a, 10) + a;
  while (true) { if (b.x[0]++ > 50) return; }
}
