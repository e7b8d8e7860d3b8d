//go:build !long && !race

package fallback_test

// programs is how many random programs are compared, kernels and shaders in turn.
const programs = 500

// deterministicRuns is how many orders of work-groups each program runs in, at each sub-group size.
const deterministicRuns = 1
