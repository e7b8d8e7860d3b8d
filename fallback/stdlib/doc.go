// Package stdlib computes the functions of the extended instruction sets OpenCL.std and GLSL.std.450.
//
// # Floats
//
// Every function is computed in f64, with a second f64 for the rest where it takes one, and rounded to the width that
// was asked for: halves and singles are correctly rounded but for results within about 2^-50 of the middle of two
// neighbours. docs/math.md has the largest errors found. Special values are those of OpenCL C, section 7.5.1, and C99's
// annex F. Every NaN is the canonical one.
//
// Results do not depend on the host: products are rounded or fused explicitly, and of Go's package math only functions
// that are exact or correctly rounded by definition are used.
//
// # Rows
//
// [Row] applies a function to rows of lanes, in the form package vec describes.
package stdlib
