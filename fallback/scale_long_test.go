//go:build long

package fallback_test

// scale is the size of modules that are to be large.
const scale = 100_000
