//go:build !long && race

package fallback_test

// programs is how many random programs are compared, kernels and shaders in turn: fewer, as the race detector makes them slow.
const programs = 60

// deterministicRuns is how many orders of work-groups each program runs in, at each sub-group size.
const deterministicRuns = 1
