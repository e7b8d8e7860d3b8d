package vec

import (
	"fmt"
	"math/big"

	"github.com/sgrun/sgrun/fallback/lane"
)

// The oracle computes what an operation means with numbers of any size, from the SPIR-V specification (section 3.52) and
// the rules in package lane for what that leaves open. It shares no code with the package.

// kinds of test operands: how a format of IEEE 754 is laid out, in bits.
var formats = map[lane.Kind]struct{ exponent, fraction int }{
	lane.F16: {5, 10},
	lane.F32: {8, 23},
	lane.F64: {11, 52},
}

// number is the value of a scalar: NaN, an infinity, or ±m × 2^e. Zero has a sign too.
type value struct {
	nan, inf, negative bool
	m                  *big.Int // not negative
	e                  int
}

var one = big.NewInt(1)

func pow2(n int) *big.Int { return new(big.Int).Lsh(one, uint(n)) }

func unsignedOf(bits uint64) *big.Int { return new(big.Int).SetUint64(bits) }

func signedOf(bits uint64, width int) *big.Int {
	x := unsignedOf(bits)
	if x.Bit(width-1) == 1 {
		x.Sub(x, pow2(width))
	}
	return x
}

// masks[n] has the lowest n bits set.
var masks = func() (m [65]*big.Int) {
	for n := range m {
		m[n] = new(big.Int).Sub(pow2(n), one)
	}
	return m
}()

// wrap returns x modulo 2^width.
func wrap(x *big.Int, width int) uint64 { return new(big.Int).And(x, masks[width]).Uint64() }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func valueOf(k lane.Kind, bits uint64) value {
	f := formats[k]
	fraction := bits & (1<<f.fraction - 1)
	exponent := int(bits >> f.fraction & (1<<f.exponent - 1))
	v := value{negative: bits>>(k.Bits()-1)&1 == 1}
	bias := 1<<(f.exponent-1) - 1
	switch exponent {
	case 1<<f.exponent - 1:
		v.nan, v.inf = fraction != 0, fraction == 0
	case 0:
		v.m, v.e = unsignedOf(fraction), 1-bias-f.fraction
	default:
		v.m, v.e = unsignedOf(fraction|1<<f.fraction), exponent-bias-f.fraction
	}
	return v
}

func (v value) finite() bool { return !v.nan && !v.inf }
func (v value) zero() bool   { return v.finite() && v.m.Sign() == 0 }

// signed returns m × 2^(v.e-e) with its sign; e is at most v.e.
func (v value) signed(e int) *big.Int {
	x := new(big.Int).Lsh(v.m, uint(v.e-e))
	if v.negative {
		x.Neg(x)
	}
	return x
}

func canonicalNaN(k lane.Kind) uint64 {
	return map[lane.Kind]uint64{lane.F16: 0x7e00, lane.F32: 0x7fc00000, lane.F64: 0x7ff8000000000000}[k]
}

func infinity(k lane.Kind, negative bool) uint64 {
	f := formats[k]
	return truth(negative)<<(k.Bits()-1) | (1<<f.exponent-1)<<f.fraction
}

// divide returns n/d rounded to a whole number; n is not negative, d is positive, negative is the sign of the quotient.
func divide(n, d *big.Int, negative bool, mode lane.Rounding) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	up := false
	switch mode {
	case lane.RoundUp:
		up = r.Sign() != 0 && !negative
	case lane.RoundDown:
		up = r.Sign() != 0 && negative
	case lane.RoundTowardZero:
	case lane.RoundDefault, lane.RoundNearest:
		c := new(big.Int).Lsh(r, 1).Cmp(d)
		up = c > 0 || c == 0 && q.Bit(0) == 1
	default:
		panic("no rounding mode")
	}
	if up {
		q.Add(q, one)
	}
	return q
}

// encode returns the bits of ±n/d × 2^e in the kind.
func encode(k lane.Kind, negative bool, n, d *big.Int, e int, mode lane.Rounding) uint64 {
	f := formats[k]
	sign := truth(negative) << (k.Bits() - 1)
	if n.Sign() == 0 {
		return sign
	}
	bias := 1<<(f.exponent-1) - 1
	// ulp is the exponent of the last place of a result as large as this, or one place lower.
	ulp := max(n.BitLen()-d.BitLen()+e-f.fraction-1, 1-bias-f.fraction)
	for {
		num, den := n, d
		if e > ulp {
			num = new(big.Int).Lsh(n, uint(e-ulp))
		} else {
			den = new(big.Int).Lsh(d, uint(ulp-e))
		}
		if new(big.Int).Quo(num, den).BitLen() > f.fraction+1 {
			ulp++
			continue
		}
		q := divide(num, den, negative, mode)
		if q.BitLen() > f.fraction+1 { // rounded up to a power of two
			q.Rsh(q, 1)
			ulp++
		}
		if q.BitLen()-1+ulp > bias {
			if mode == lane.RoundTowardZero || mode == lane.RoundUp && negative || mode == lane.RoundDown && !negative {
				return infinity(k, negative) - 1
			}
			return infinity(k, negative)
		}
		if q.BitLen() <= f.fraction { // subnormal
			return sign | q.Uint64()
		}
		return sign | uint64(ulp+f.fraction+bias)<<f.fraction | q.Uint64()&(1<<f.fraction-1)
	}
}

// encodeSum returns the bits of a number with sign, x × 2^e; of zero, those of a zero with the given sign.
func encodeSum(k lane.Kind, x *big.Int, e int, zeroNegative bool) uint64 {
	negative := x.Sign() < 0 || x.Sign() == 0 && zeroNegative
	return encode(k, negative, new(big.Int).Abs(x), one, e, lane.RoundNearest)
}

// want returns the operation's result. Operands have no bits above their width.
func want(op lane.Op, kind, to lane.Kind, mode lane.Rounding, x []uint64) uint64 {
	switch {
	case op == lane.Select:
		if x[0] == 1 {
			return x[1]
		}
		return x[2]
	case op == lane.Copy:
		return x[0]
	case op == lane.QuantizeToF16:
		h := wantFloatToFloat(kind, lane.F16, mode, x[0])
		if h&0x7c00 == 0 {
			h &= 0x8000
		}
		return wantFloatToFloat(lane.F16, kind, mode, h)
	case op == lane.FConvert:
		return wantFloatToFloat(kind, to, mode, x[0])
	case op == lane.ConvertFToU || op == lane.ConvertFToS:
		r, _ := wantFloatToInt(op, kind, to, mode, x[0])
		return r
	case op.Info().Shape == lane.Convert:
		return wantFromInt(op, kind, to, mode, x[0])
	case kind == lane.Bool:
		return wantBool(op, x)
	case kind.Float():
		return wantFloat(op, kind, x)
	}
	return wantInt(op, kind.Bits(), x)
}

func wantBool(op lane.Op, x []uint64) uint64 {
	switch op {
	case lane.LogicalEqual:
		return truth(x[0] == x[1])
	case lane.LogicalNotEqual:
		return truth(x[0] != x[1])
	case lane.LogicalAnd:
		return truth(x[0] == 1 && x[1] == 1)
	case lane.LogicalOr:
		return truth(x[0] == 1 || x[1] == 1)
	case lane.LogicalNot:
		return truth(x[0] == 0)
	}
	panic(fmt.Sprintf("no oracle for %v", op))
}

func wantFloatToFloat(kind, to lane.Kind, mode lane.Rounding, bits uint64) uint64 {
	v := valueOf(kind, bits)
	switch {
	case v.nan:
		return canonicalNaN(to)
	case v.inf:
		return infinity(to, v.negative)
	}
	return encode(to, v.negative, v.m, one, v.e, mode)
}

// wantFloatToInt also tells whether the result is defined.
func wantFloatToInt(op lane.Op, kind, to lane.Kind, mode lane.Rounding, bits uint64) (uint64, bool) {
	v := valueOf(kind, bits)
	n := to.Bits()
	least, most := big.NewInt(0), masks[n]
	if op == lane.ConvertFToS {
		least, most = new(big.Int).Neg(pow2(n-1)), masks[n-1]
	}
	switch {
	case v.nan:
		return 0, false
	case v.inf && v.negative:
		return wrap(least, n), false
	case v.inf:
		return wrap(most, n), false
	}
	if mode == lane.RoundDefault {
		mode = lane.RoundTowardZero
	}
	var whole *big.Int
	if v.e >= 0 {
		whole = new(big.Int).Lsh(v.m, uint(v.e))
	} else {
		whole = divide(v.m, pow2(-v.e), v.negative, mode)
	}
	if v.negative {
		whole.Neg(whole)
	}
	switch {
	case whole.Cmp(least) < 0:
		return wrap(least, n), false
	case whole.Cmp(most) > 0:
		return wrap(most, n), false
	}
	return wrap(whole, n), true
}

func wantFromInt(op lane.Op, kind, to lane.Kind, mode lane.Rounding, bits uint64) uint64 {
	u, s := unsignedOf(bits), signedOf(bits, kind.Bits())
	n := to.Bits()
	switch op {
	case lane.UConvert:
		return wrap(u, n)
	case lane.SConvert:
		return wrap(s, n)
	case lane.SatConvertUToS:
		if most := masks[n-1]; u.Cmp(most) > 0 {
			u = most
		}
		return wrap(u, n)
	case lane.SatConvertSToU:
		if s.Sign() < 0 {
			return 0
		}
		if most := masks[n]; s.Cmp(most) > 0 {
			s = most
		}
		return wrap(s, n)
	case lane.ConvertUToF:
		return encode(to, false, u, one, 0, mode)
	case lane.ConvertSToF:
		return encode(to, s.Sign() < 0, new(big.Int).Abs(s), one, 0, mode)
	}
	panic(fmt.Sprintf("no oracle for %v", op))
}
