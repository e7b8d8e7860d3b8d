//go:build !long && !race

package fallback_test

// programs is how many random programs of each dialect are compared.
const programs = 250
