package vec

import (
	"fmt"
	"math/big"

	"github.com/sgrun/sgrun/fallback/lane"
)

// wantInt is the oracle of the integer operations of n bits.
func wantInt(op lane.Op, n int, x []uint64) uint64 {
	if r, ok := wantBits(op, n, x); ok {
		return r
	}
	u, s := unsignedOf(x[0]), signedOf(x[0], n)
	if op == lane.Neg {
		return wrap(new(big.Int).Neg(u), n)
	}
	v, t := unsignedOf(x[1]), signedOf(x[1], n)
	r := new(big.Int)
	switch op {
	case lane.Add:
		r.Add(u, v)
	case lane.Sub:
		r.Sub(u, v)
	case lane.Mul:
		r.Mul(u, v)
	case lane.UDiv, lane.SDiv:
		switch {
		case v.Sign() == 0:
			r.SetInt64(-1)
		case op == lane.UDiv:
			r.Quo(u, v)
		default:
			r.Quo(s, t) // of the most negative number and -1, 2^(n-1), which wraps
		}
	case lane.URem, lane.SRem, lane.SMod:
		switch {
		case v.Sign() == 0:
			r = u
		case op == lane.URem:
			r.Rem(u, v)
		case op == lane.SRem:
			r.Rem(s, t)
		default: // the remainder of division rounded down
			q := new(big.Int).Div(s, t) // rounded so that the remainder is not negative
			r.Sub(s, q.Mul(q, t))
			if r.Sign() != 0 && t.Sign() < 0 {
				r.Add(r, t)
			}
		}
	case lane.UMin, lane.UMax:
		if (u.Cmp(v) < 0) == (op == lane.UMin) {
			return x[0]
		}
		return x[1]
	case lane.SMin, lane.SMax:
		if (s.Cmp(t) < 0) == (op == lane.SMin) {
			return x[0]
		}
		return x[1]
	case lane.AddCarry:
		r.Rsh(r.Add(u, v), uint(n))
	case lane.SubBorrow:
		return truth(u.Cmp(v) < 0)
	case lane.UMulHi:
		r.Rsh(r.Mul(u, v), uint(n))
	case lane.SMulHi:
		r.Rsh(r.Mul(s, t), uint(n)) // Rsh rounds down: the high bits in two's complement
	case lane.IEqual:
		return truth(u.Cmp(v) == 0)
	case lane.INotEqual:
		return truth(u.Cmp(v) != 0)
	case lane.UGreater:
		return truth(u.Cmp(v) > 0)
	case lane.UGreaterEqual:
		return truth(u.Cmp(v) >= 0)
	case lane.ULess:
		return truth(u.Cmp(v) < 0)
	case lane.ULessEqual:
		return truth(u.Cmp(v) <= 0)
	case lane.SGreater:
		return truth(s.Cmp(t) > 0)
	case lane.SGreaterEqual:
		return truth(s.Cmp(t) >= 0)
	case lane.SLess:
		return truth(s.Cmp(t) < 0)
	case lane.SLessEqual:
		return truth(s.Cmp(t) <= 0)
	default:
		panic(fmt.Sprintf("no oracle for %v", op))
	}
	return wrap(r, n)
}

// wantBits is the oracle of the operations on bits: bit i of the result, for each i.
func wantBits(op lane.Op, n int, x []uint64) (uint64, bool) {
	bitAt := func(v uint64, i int) uint64 {
		if i < 0 || i >= n {
			return 0
		}
		return v >> i & 1
	}
	each := func(f func(i int) uint64) (r uint64, ok bool) {
		for i := range n {
			r |= f(i) << i
		}
		return r, true
	}
	a := x[0]
	clamp := func(offset, count uint64) (int, int) {
		first := int(min(offset, uint64(n)))
		return first, first + int(min(count, uint64(n-first)))
	}
	switch op {
	case lane.Not:
		return each(func(i int) uint64 { return 1 - bitAt(a, i) })
	case lane.And:
		return each(func(i int) uint64 { return bitAt(a, i) * bitAt(x[1], i) })
	case lane.Or:
		return each(func(i int) uint64 { return max(bitAt(a, i), bitAt(x[1], i)) })
	case lane.Xor:
		return each(func(i int) uint64 { return (bitAt(a, i) + bitAt(x[1], i)) % 2 })
	case lane.Shl:
		return each(func(i int) uint64 { return bitAt(a, i-int(x[1]%uint64(n))) })
	case lane.LShr:
		return each(func(i int) uint64 { return bitAt(a, i+int(x[1]%uint64(n))) })
	case lane.AShr:
		return each(func(i int) uint64 { return bitAt(a, min(i+int(x[1]%uint64(n)), n-1)) })
	case lane.BitReverse:
		return each(func(i int) uint64 { return bitAt(a, n-1-i) })
	case lane.BitCount:
		var c uint64
		for i := range n {
			c += bitAt(a, i)
		}
		return c, true
	case lane.BitFieldInsert:
		first, end := clamp(x[2], x[3])
		return each(func(i int) uint64 {
			if first <= i && i < end {
				return bitAt(x[1], i-first)
			}
			return bitAt(a, i)
		})
	case lane.BitFieldUExtract, lane.BitFieldSExtract:
		first, end := clamp(x[1], x[2])
		return each(func(i int) uint64 {
			switch {
			case i < end-first:
				return bitAt(a, first+i)
			case op == lane.BitFieldUExtract || first == end:
				return 0
			}
			return bitAt(a, end-1)
		})
	}
	return 0, false
}

// wantFloat is the oracle of the float operations.
func wantFloat(op lane.Op, k lane.Kind, x []uint64) uint64 {
	a := valueOf(k, x[0])
	switch op {
	case lane.FNeg:
		return x[0] ^ 1<<(k.Bits()-1)
	case lane.IsNan:
		return truth(a.nan)
	case lane.IsInf:
		return truth(a.inf)
	case lane.IsFinite:
		return truth(a.finite())
	case lane.IsNormal:
		return truth(a.finite() && a.m.BitLen() == formats[k].fraction+1)
	case lane.SignBitSet:
		return truth(a.negative)
	}
	b := valueOf(k, x[1])
	if op.Info().Shape == lane.Test {
		return truth(wantCompare(op, a, b))
	}
	if op == lane.FMin || op == lane.FMax {
		return wantMinMax(op, k, a, b, x)
	}
	if a.nan || b.nan {
		return canonicalNaN(k)
	}
	switch op {
	case lane.FAdd:
		return wantSum(k, a, b)
	case lane.FSub:
		b.negative = !b.negative
		return wantSum(k, a, b)
	case lane.FMul:
		negative := a.negative != b.negative
		switch {
		case a.inf && b.zero() || a.zero() && b.inf:
			return canonicalNaN(k)
		case a.inf || b.inf:
			return infinity(k, negative)
		}
		return encode(k, negative, new(big.Int).Mul(a.m, b.m), one, a.e+b.e, lane.RoundNearest)
	case lane.FDiv:
		negative := a.negative != b.negative
		switch {
		case a.inf && b.inf || a.zero() && b.zero():
			return canonicalNaN(k)
		case a.inf || b.zero():
			return infinity(k, negative)
		case b.inf:
			return truth(negative) << (k.Bits() - 1)
		}
		return encode(k, negative, a.m, b.m, a.e-b.e, lane.RoundNearest)
	case lane.FRem, lane.FMod:
		return wantRemainder(op, k, a, b)
	}
	panic(fmt.Sprintf("no oracle for %v", op))
}

// wantSum adds; the sign of a zero sum is IEEE 754, section 6.3.
func wantSum(k lane.Kind, a, b value) uint64 {
	switch {
	case a.inf && b.inf && a.negative != b.negative:
		return canonicalNaN(k)
	case a.inf:
		return infinity(k, a.negative)
	case b.inf:
		return infinity(k, b.negative)
	}
	e := min(a.e, b.e)
	return encodeSum(k, new(big.Int).Add(a.signed(e), b.signed(e)), e, a.negative && b.negative)
}

func wantRemainder(op lane.Op, k lane.Kind, a, b value) uint64 {
	if a.inf || b.zero() {
		return canonicalNaN(k)
	}
	if b.inf {
		switch {
		case op == lane.FRem || !a.zero() && a.negative == b.negative:
			return encode(k, a.negative, a.m, one, a.e, lane.RoundNearest)
		case a.zero():
			return truth(b.negative) << (k.Bits() - 1)
		}
		return infinity(k, b.negative) // the sum of a and the divisor
	}
	e := min(a.e, b.e)
	y := b.signed(e)
	r := new(big.Int).Rem(a.signed(e), y) // has the sign of the dividend
	if op == lane.FRem {
		return encodeSum(k, r, e, a.negative)
	}
	if r.Sign() == -y.Sign() {
		r.Add(r, y)
	}
	return encodeSum(k, r, e, b.negative)
}

func wantCompare(op lane.Op, a, b value) bool {
	unordered := a.nan || b.nan
	order := 0 // of a and b
	if !unordered {
		order = rank(a).Cmp(rank(b))
	}
	switch op {
	case lane.Ordered:
		return !unordered
	case lane.Unordered:
		return unordered
	case lane.FOrdEqual:
		return !unordered && order == 0
	case lane.FOrdNotEqual:
		return !unordered && order != 0
	case lane.FOrdLess:
		return !unordered && order < 0
	case lane.FOrdLessEqual:
		return !unordered && order <= 0
	case lane.FOrdGreater:
		return !unordered && order > 0
	case lane.FOrdGreaterEqual:
		return !unordered && order >= 0
	case lane.FUnordEqual:
		return unordered || order == 0
	case lane.FUnordNotEqual:
		return unordered || order != 0
	case lane.FUnordLess:
		return unordered || order < 0
	case lane.FUnordLessEqual:
		return unordered || order <= 0
	case lane.FUnordGreater:
		return unordered || order > 0
	case lane.FUnordGreaterEqual:
		return unordered || order >= 0
	}
	panic(fmt.Sprintf("no oracle for %v", op))
}

// rank returns a whole number in the order of the values: the value times 2^1100, and beyond all of these for infinity.
func rank(v value) *big.Int {
	if v.inf {
		r := pow2(3000)
		if v.negative {
			r.Neg(r)
		}
		return r
	}
	return v.signed(-1100)
}

// wantMinMax is FMin or FMax: a number wins over a NaN, and among equal numbers, which can only be zeros that differ, the
// negative one is the lesser.
func wantMinMax(op lane.Op, k lane.Kind, a, b value, x []uint64) uint64 {
	switch {
	case a.nan && b.nan:
		return canonicalNaN(k)
	case a.nan:
		return x[1]
	case b.nan:
		return x[0]
	}
	aLess := wantCompare(lane.FOrdLess, a, b) || wantCompare(lane.FOrdEqual, a, b) && a.negative
	if aLess == (op == lane.FMin) {
		return x[0]
	}
	return x[1]
}
