package lower

import (
	"math"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/vec"
)

// floatBits are the bits of a number in a float kind.
func floatBits(k lane.Kind, v float64) uint64 {
	switch k {
	case lane.F16:
		return uint64(vec.F64ToF16(v, lane.RoundDefault))
	case lane.F32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// difference is operand i minus operand j, component by component.
func (x *extended) difference(i, j int) []lane.Value {
	k := x.needFloat(i)
	a, b := x.arg(i), x.arg(j)
	if len(a) != len(b) {
		x.invalid("the operands of %s have %d and %d components", x.name, len(a), len(b))
	}
	out := make([]lane.Value, len(a))
	for n := range a {
		out[n] = x.op(lane.FSub, k, a[n], b[n])
	}
	return out
}

// norm is the length of a vector as an F64. Halves and singles are squared without overflow there.
func (x *extended) norm(v []lane.Value) lane.Value {
	k := x.needFloat(0)
	wide := x.widened(k, v)
	if k == lane.F64 {
		n := x.callExt("fabs", lane.F64, []lane.Kind{lane.F64}, wide[0])[0]
		for _, c := range wide[1:] {
			n = x.callExt("hypot", lane.F64, []lane.Kind{lane.F64}, n, c)[0]
		}
		return n
	}
	return x.callExt("sqrt", lane.F64, []lane.Kind{lane.F64}, x.sumOfProducts(lane.F64, wide, wide))[0]
}

func (x *extended) widened(k lane.Kind, v []lane.Value) []lane.Value {
	if k == lane.F64 {
		return v
	}
	out := make([]lane.Value, len(v))
	for i := range v {
		out[i] = x.emit(lane.FConvert, k, lane.F64, lane.RoundDefault, v[i])
	}
	return out
}

func (x *extended) narrowed(k lane.Kind, v lane.Value) lane.Value {
	if k == lane.F64 {
		return v
	}
	return x.emit(lane.FConvert, lane.F64, k, lane.RoundDefault, v)
}

func (x *extended) length(v []lane.Value) bool {
	k := x.needFloat(0)
	x.set(x.in, x.narrowed(k, x.norm(v)))
	return true
}

// normalize leaves a zero vector as it is.
func (x *extended) normalize() bool {
	k := x.needFloat(0)
	n := x.norm(x.arg(0))
	n = x.op(lane.Select, lane.F64, x.op(lane.FOrdEqual, lane.F64, n, x.number(lane.F64, 0)), x.number(lane.F64, 1), n)
	var out []lane.Value
	for _, c := range x.widened(k, x.arg(0)) {
		out = append(out, x.narrowed(k, x.op(lane.FDiv, lane.F64, c, n)))
	}
	x.set(x.in, out...)
	return true
}

// cross is the cross product; the fourth component, where there is one, is 0.
func (x *extended) cross() bool {
	k := x.needFloat(0)
	a, b := x.arg(0), x.arg(1)
	if len(a) < 3 || len(a) != len(b) || len(a) > 4 {
		x.invalid("%s takes two vectors of three or four components", x.name)
	}
	var out []lane.Value
	for i := range 3 {
		j, n := (i+1)%3, (i+2)%3
		out = append(out, x.op(lane.FSub, k, x.op(lane.FMul, k, a[j], b[n]), x.op(lane.FMul, k, a[n], b[j])))
	}
	if len(a) == 4 {
		out = append(out, x.number(k, 0))
	}
	x.set(x.in, out...)
	return true
}
