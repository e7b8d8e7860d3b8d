// goto into a loop: control flow that no structured form covers.
__kernel void irreducible(__global int *x, int n) {
  int i = 0;
  if (x[0] > 3) goto middle;
top:
  x[i] += 1;
middle:
  x[i] *= 2;
  if (++i < n) goto top;
  if (x[1] == 7) goto middle;
}
