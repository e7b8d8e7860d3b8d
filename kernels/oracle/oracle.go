// Package oracle computes expected values for the test vectors by transcribing the specifications as plainly as
// possible: bits are concatenated and cut up one by one, integers are of unbounded size, floating-point numbers are exact
// fractions that are rounded once.
//
// It is slow on purpose and shares no code with the programs it judges: it imports the standard library only, and a test
// proves that. Values travel as bit patterns in the low bits of a uint64, whatever their type.
package oracle
