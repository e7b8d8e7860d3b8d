//go:build long

package fallback_test

// programs is how many random programs of each dialect are compared.
const programs = 5_000
