//go:build !race

package vec

// thin is the stride of the exhaustive tests.
const thin = 1
