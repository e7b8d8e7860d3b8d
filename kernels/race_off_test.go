//go:build !race

package kernels_test

// raceDetector says that the tests run under the race detector, which makes the oracle ten times slower.
const raceDetector = false
