//go:build !long && race

package fallback_test

// programs is how many random programs of each dialect are compared: fewer, as the race detector makes them slow.
const programs = 25
