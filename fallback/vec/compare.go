package vec

import (
	"math/bits"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// A bitsFunc compares up to 64 lanes; bit i of the result is that of x[i] and y[i]. Bits past the last lane are 0.
type bitsFunc[T any] func(x, y []T) uint64

const (
	straight = false
	swapped  = true // x and y change places
	plain    = uint64(0)
	negated  = ^uint64(0) // true where the comparison is false
)

// test makes a primitive of a comparison. The comparison is called once per word of results, not per lane.
func test[T any](f bitsFunc[T], swap bool, flip uint64) Func {
	return func(dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
		if swap {
			ap, bp = bp, ap
		}
		d := words(dp, hi)
		for lo < hi {
			end := wordEnd(lo, hi)
			setBits(&d[lo>>6], lo, end-lo, f(row[T](ap, lo, end), row[T](bp, lo, end))^flip)
			lo = end
		}
	}
}

// intTest returns the primitive of a comparison of integers, or nil.
func intTest[U unsigned](op lane.Op) Func {
	switch op {
	case lane.IEqual:
		return test(equalInt[U], straight, plain)
	case lane.INotEqual:
		return test(equalInt[U], straight, negated)
	case lane.ULess:
		return test(lessInt[U](0), straight, plain)
	case lane.UGreater:
		return test(lessInt[U](0), swapped, plain)
	case lane.UGreaterEqual:
		return test(lessInt[U](0), straight, negated)
	case lane.ULessEqual:
		return test(lessInt[U](0), swapped, negated)
	case lane.SLess:
		return test(lessInt(signBit[U]()), straight, plain)
	case lane.SGreater:
		return test(lessInt(signBit[U]()), swapped, plain)
	case lane.SGreaterEqual:
		return test(lessInt(signBit[U]()), straight, negated)
	case lane.SLessEqual:
		return test(lessInt(signBit[U]()), swapped, negated)
	}
	return nil
}

// floatTests are the comparisons of floats that the others are made of. T is how a row holds the float.
type floatTests[T any] struct {
	equal, less, lessEqual bitsFunc[T] // false for a NaN
	lessGreater, ordered   bitsFunc[T]
}

// pick returns the primitive of a comparison of two floats, or nil. An unordered comparison is the negation of the
// opposite ordered one.
func (t floatTests[T]) pick(op lane.Op) Func {
	switch op {
	case lane.FOrdEqual:
		return test(t.equal, straight, plain)
	case lane.FUnordNotEqual:
		return test(t.equal, straight, negated)
	case lane.FOrdNotEqual:
		return test(t.lessGreater, straight, plain)
	case lane.FUnordEqual:
		return test(t.lessGreater, straight, negated)
	case lane.FOrdLess:
		return test(t.less, straight, plain)
	case lane.FUnordGreaterEqual:
		return test(t.less, straight, negated)
	case lane.FOrdGreater:
		return test(t.less, swapped, plain)
	case lane.FUnordLessEqual:
		return test(t.less, swapped, negated)
	case lane.FOrdLessEqual:
		return test(t.lessEqual, straight, plain)
	case lane.FUnordGreater:
		return test(t.lessEqual, straight, negated)
	case lane.FOrdGreaterEqual:
		return test(t.lessEqual, swapped, plain)
	case lane.FUnordLess:
		return test(t.lessEqual, swapped, negated)
	case lane.Ordered:
		return test(t.ordered, straight, plain)
	case lane.Unordered:
		return test(t.ordered, straight, negated)
	}
	return nil
}

// The comparisons of integers are subtractions of which only the borrow counts: it is the carry of the addition that
// pushes it into the word, so a lane takes no more than that. Two words at a time hide how long an addition takes.

func equalInt[U unsigned](x, y []U) (w uint64) {
	var c uint64
	if len(x) == 64 && len(y) == 64 {
		p, q, high := (*[64]U)(x), (*[64]U)(y), uint64(0)
		for i := 31; i >= 0; i-- {
			_, c = bits.Sub64(uint64(p[i]^q[i]), 1, 0)
			w, _ = bits.Add64(w, w, c)
			_, c = bits.Sub64(uint64(p[i+32]^q[i+32]), 1, 0)
			high, _ = bits.Add64(high, high, c)
		}
		return w | high<<32
	}
	for i := len(x) - 1; i >= 0; i-- {
		_, c = bits.Sub64(uint64(x[i]^y[i]), 1, 0)
		w, _ = bits.Add64(w, w, c)
	}
	return w
}

// lessInt makes the comparison of unsigned integers, with flip 0, or of signed ones, with flip the sign bit.
func lessInt[U unsigned](flip U) bitsFunc[U] {
	return func(x, y []U) (w uint64) {
		var c uint64
		if len(x) == 64 && len(y) == 64 {
			p, q, high := (*[64]U)(x), (*[64]U)(y), uint64(0)
			for i := 31; i >= 0; i-- {
				_, c = bits.Sub64(uint64(p[i]^flip), uint64(q[i]^flip), 0)
				w, _ = bits.Add64(w, w, c)
				_, c = bits.Sub64(uint64(p[i+32]^flip), uint64(q[i+32]^flip), 0)
				high, _ = bits.Add64(high, high, c)
			}
			return w | high<<32
		}
		for i := len(x) - 1; i >= 0; i-- {
			_, c = bits.Sub64(uint64(x[i]^flip), uint64(y[i]^flip), 0)
			w, _ = bits.Add64(w, w, c)
		}
		return w
	}
}

func signBit[U unsigned]() U { return 1 << (bitSize[U]() - 1) }

// The loops below start at the last lane and push each result in from below, so that no lane needs a shift of its own.
// Four lanes at a time keep the chain of dependent additions short.

func equal[T float](x, y []T) (w uint64) {
	for len(x) >= 4 && len(y) >= len(x) {
		p, q := (*[4]T)(x[len(x)-4:]), (*[4]T)(y[len(x)-4:])
		high := 2*bit(p[3] == q[3]) + bit(p[2] == q[2])
		low := 2*bit(p[1] == q[1]) + bit(p[0] == q[0])
		w = 16*w + (4*high + low)
		x = x[:len(x)-4]
	}
	for i := len(x) - 1; i >= 0; i-- {
		w = 2*w + bit(x[i] == y[i])
	}
	return w
}

func less[T float](x, y []T) (w uint64) {
	for len(x) >= 4 && len(y) >= len(x) {
		p, q := (*[4]T)(x[len(x)-4:]), (*[4]T)(y[len(x)-4:])
		high := 2*bit(p[3] < q[3]) + bit(p[2] < q[2])
		low := 2*bit(p[1] < q[1]) + bit(p[0] < q[0])
		w = 16*w + (4*high + low)
		x = x[:len(x)-4]
	}
	for i := len(x) - 1; i >= 0; i-- {
		w = 2*w + bit(x[i] < y[i])
	}
	return w
}

func lessEqual[T float](x, y []T) (w uint64) {
	for len(x) >= 4 && len(y) >= len(x) {
		p, q := (*[4]T)(x[len(x)-4:]), (*[4]T)(y[len(x)-4:])
		high := 2*bit(p[3] <= q[3]) + bit(p[2] <= q[2])
		low := 2*bit(p[1] <= q[1]) + bit(p[0] <= q[0])
		w = 16*w + (4*high + low)
		x = x[:len(x)-4]
	}
	for i := len(x) - 1; i >= 0; i-- {
		w = 2*w + bit(x[i] <= y[i])
	}
	return w
}

func lessGreater[T float](x, y []T) uint64 { return less(x, y) | less(y, x) }

func ordered[T float](x, y []T) uint64 { return equal(x, x) & equal(y, y) }

// classFunc returns the primitive of a test of one float's bits, or nil. Each is a test whether some of the bits lie in
// a range. U is the unsigned type of the format's width.
func classFunc[U unsigned](op lane.Op, f *format) Func {
	var (
		sign   = U(f.sign())
		inf    = U(f.inf())
		normal = U(1) << f.mant // the smallest normal number
	)
	switch op {
	case lane.IsNan:
		return inRange(sign-1, inf+1, sign-1-inf)
	case lane.IsInf:
		return inRange(sign-1, inf, 1)
	case lane.IsFinite:
		return inRange(sign-1, 0, inf)
	case lane.IsNormal:
		return inRange(sign-1, normal, inf-normal)
	case lane.SignBitSet:
		return inRange(sign, sign, 1)
	}
	return nil
}

// inRange makes the primitive that tests whether the bits under the mask are at least first and less than first+count.
func inRange[U unsigned](mask, first, count U) Func {
	return func(dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
		d := words(dp, hi)
		for lo < hi {
			end := wordEnd(lo, hi)
			a := row[U](ap, lo, end)
			var w uint64
			for i := len(a) - 1; i >= 0; i-- {
				w = 2*w + bit(a[i]&mask-first < count)
			}
			setBits(&d[lo>>6], lo, end-lo, w)
			lo = end
		}
	}
}
