//go:build race

package vec

// thin is the stride of the exhaustive tests: the race detector slows the oracle down tenfold, and looks for something
// else than wrong numbers.
const thin = 23
