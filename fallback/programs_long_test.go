//go:build long

package fallback_test

// programs is how many random programs are compared, kernels and shaders in turn.
const programs = 10_000

// deterministicRuns is how many orders of work-groups each program runs in, at each sub-group size.
const deterministicRuns = 3
