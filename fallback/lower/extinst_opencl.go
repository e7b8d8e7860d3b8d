package lower

import (
	"slices"
	"strings"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// openCL lowers an instruction of OpenCL.std. The half_ and native_ forms are those of full precision.
func openCL(x *extended) bool {
	name := x.name
	for _, p := range []string{"half_", "native_"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			name = rest
		}
	}
	if x.shared(name) {
		return true
	}
	switch name {
	case "acospi", "asinpi", "atanpi", "cbrt", "cospi", "erf", "erfc", "exp10", "expm1", "lgamma", "log10", "log1p", "logb", "rint",
		"round", "rsqrt", "sinpi", "tanpi", "tgamma":
		return x.float(name, 1)
	case "atan2pi", "copysign", "fdim", "fmod", "hypot", "maxmag", "minmag", "powr", "remainder", "nextafter":
		return x.float(name, 2)
	case "pown", "rootn":
		return x.withInt(name)
	case "ilogb":
		k := x.needFloat(0)
		return x.each(1, func(s []lane.Value) lane.Value { return x.callExt(name, k, []lane.Kind{lane.I32}, s...)[0] })
	case "nan":
		return x.integers(name, 1)
	case "fmax", "fmax_common":
		return x.elementary(lane.FMax)
	case "fmin", "fmin_common":
		return x.elementary(lane.FMin)
	case "divide":
		return x.elementary(lane.FDiv)
	case "recip":
		x.needFloat(0)
		return x.ops(1, func(k lane.Kind, s []lane.Value) lane.Value { return x.op(lane.FDiv, k, x.number(k, 1), s[0]) })
	case "mad":
		x.needFloat(0)
		return x.ops(3, func(k lane.Kind, s []lane.Value) lane.Value {
			return x.op(lane.FAdd, k, x.op(lane.FMul, k, s[0], s[1]), s[2])
		})
	case "fclamp":
		return x.clamp(lane.FMax, lane.FMin)
	case "mix":
		return x.mix()
	case "sign":
		return x.sign()
	case "fract":
		x.storeTo(1, x.fract())
		return true
	case "modf", "sincos":
		return x.throughPointer(name, 1, same)
	case "frexp", "lgamma_r":
		return x.throughPointer(name, 1, i32)
	case "remquo":
		return x.throughPointer(name, 2, i32)
	case "prefetch":
		return true
	}
	return openCLIntegers(x) || openCLData(x)
}

func openCLIntegers(x *extended) bool {
	switch x.name {
	case "s_abs", "clz", "ctz":
		return x.integers(x.name, 1)
	case "u_abs":
		x.needInt(0)
		x.set(x.in, x.arg(0)...)
		return true
	case "s_abs_diff", "u_abs_diff", "s_add_sat", "u_add_sat", "s_sub_sat", "u_sub_sat", "s_hadd", "u_hadd", "s_rhadd", "u_rhadd", "rotate":
		return x.integers(x.name, 2)
	case "s_mad_sat", "u_mad_sat":
		return x.integers(x.name, 3)
	case "s_clamp":
		return x.clamp(lane.SMax, lane.SMin)
	case "u_clamp":
		return x.clamp(lane.UMax, lane.UMin)
	case "s_max":
		return x.elementary(lane.SMax)
	case "u_max":
		return x.elementary(lane.UMax)
	case "s_min":
		return x.elementary(lane.SMin)
	case "u_min":
		return x.elementary(lane.UMin)
	case "s_mul_hi":
		return x.elementary(lane.SMulHi)
	case "u_mul_hi":
		return x.elementary(lane.UMulHi)
	case "popcount":
		return x.elementary(lane.BitCount)
	case "s_mad_hi", "u_mad_hi":
		x.needInt(0)
		op := lane.UMulHi
		if x.name == "s_mad_hi" {
			op = lane.SMulHi
		}
		return x.ops(3, func(k lane.Kind, s []lane.Value) lane.Value { return x.op(lane.Add, k, x.op(op, k, s[0], s[1]), s[2]) })
	case "s_mul24", "u_mul24", "s_mad24", "u_mad24":
		return x.mul24(strings.HasPrefix(x.name, "s_"), strings.HasSuffix(x.name, "mad24"))
	case "s_upsample", "u_upsample":
		k, to := x.needInt(0), x.scalarKind(x.resultType(x.in))
		if to.Float() || to.Bits() != 2*k.Bits() || x.kind(1) != k {
			x.invalid("%s makes %v of %v and %v", x.name, to, k, x.kind(1))
		}
		return x.each(2, func(s []lane.Value) lane.Value {
			high := x.op(lane.Shl, to, x.convert(s[0], to, false), x.constant(to, uint64(k.Bits())))
			return x.op(lane.Or, to, high, x.convert(s[1], to, false))
		})
	}
	return false
}

// mul24 multiplies the lowest 24 bits of 32-bit integers; what lies above counts for nothing.
func (x *extended) mul24(signed, add bool) bool {
	if x.needInt(0) != lane.I32 {
		x.invalid("%s is not defined on %v", x.name, x.kind(0))
	}
	k := lane.I32
	cut := func(v lane.Value) lane.Value {
		eight := x.constant(k, 8)
		if signed {
			return x.op(lane.AShr, k, x.op(lane.Shl, k, v, eight), eight)
		}
		return x.op(lane.And, k, v, x.constant(k, 1<<24-1))
	}
	n := 2
	if add {
		n = 3
	}
	return x.each(n, func(s []lane.Value) lane.Value {
		p := x.op(lane.Mul, k, cut(s[0]), cut(s[1]))
		if add {
			p = x.op(lane.Add, k, p, s[2])
		}
		return p
	})
}

func openCLData(x *extended) bool {
	switch x.name {
	case "bitselect":
		k := x.kind(0)
		return x.each(3, func(s []lane.Value) lane.Value { return x.callExt("bitselect", k, []lane.Kind{k}, s...)[0] })
	case "select":
		k, ck := x.kind(0), x.needInt(2)
		scalar := len(x.arg(0)) == 1
		return x.each(3, func(s []lane.Value) lane.Value {
			op := lane.SLess // vectors: by the most significant bit
			if scalar {
				op = lane.INotEqual
			}
			return x.op(lane.Select, k, x.op(op, ck, s[2], x.constant(ck, 0)), s[1], s[0])
		})
	case "shuffle":
		return x.shuffle(x.arg(0), 1)
	case "shuffle2":
		return x.shuffle(slices.Concat(x.arg(0), x.arg(1)), 2)
	case "vloadn", "vload_half", "vload_halfn", "vloada_halfn":
		return x.vload()
	case "vstoren", "vstore_half", "vstore_half_r", "vstore_halfn", "vstore_halfn_r", "vstorea_halfn", "vstorea_halfn_r":
		return x.vstore()
	}
	return false
}

// shuffle picks components by the lowest bits of the mask's, as many as it takes to number them.
func (x *extended) shuffle(v []lane.Value, mask int) bool {
	k := x.needInt(mask)
	bits := uint64(1)
	for bits < uint64(len(v)) {
		bits *= 2
	}
	var out []lane.Value
	for _, m := range x.arg(mask) {
		out = append(out, x.pick(v, len(v), x.op(lane.And, k, m, x.constant(k, bits-1)))...)
	}
	if len(out) != len(x.flat(x.resultType(x.in))) {
		x.invalid("the mask of %s has %d components, the result %d", x.name, len(out), len(x.flat(x.resultType(x.in))))
	}
	x.set(x.in, out...)
	return true
}

// place is the address of vector number operand offset behind the pointer of the next operand, and where its n scalars
// lie. The vloada and vstorea forms keep vectors of three apart as far as those of four (OpenCL C, section 6.15.7).
func (x *extended) place(offset, n int, memory lane.Kind) (lane.Value, []lane.Comp) {
	size := memory.Bytes()
	stride := n * size
	if n == 3 && (strings.HasPrefix(x.name, "vloada") || strings.HasPrefix(x.name, "vstorea")) {
		stride = 4 * size
	}
	c := chain{b: x.builder, addr: x.address(spirv.ID(x.args[offset+1]))}
	c.step(x.one(spirv.ID(x.args[offset])), uint64(stride))
	places := make([]lane.Comp, n)
	for i := range places {
		places[i] = lane.Comp{Off: uint64(i * size), Kind: memory}
	}
	return c.end(), places
}

func (x *extended) vload() bool {
	kinds := x.flat(x.resultType(x.in))
	memory := kinds[0]
	if strings.Contains(x.name, "half") {
		memory = lane.F16
	}
	addr, places := x.place(0, len(kinds), memory)
	dst := x.fresh(slices.Repeat([]lane.Kind{memory}, len(kinds)))
	x.access(lane.Load, addr, places, dst, x.typeOf(spirv.ID(x.args[1])).Storage)
	out := slices.Clone(dst) // dst is the load's
	if memory != kinds[0] {
		for i, v := range dst {
			out[i] = x.emit(lane.FConvert, memory, kinds[0], lane.RoundDefault, v)
		}
	}
	x.set(x.in, out...)
	return true
}

func (x *extended) vstore() bool {
	v, k := slices.Clone(x.arg(0)), x.kind(0)
	memory := k
	if strings.Contains(x.name, "half") {
		memory = lane.F16
		mode := lane.RoundDefault
		if strings.HasSuffix(x.name, "_r") {
			mode = x.roundingOf(spirv.FPRoundingMode(x.args[3]))
		}
		for i := range v {
			v[i] = x.emit(lane.FConvert, k, memory, mode, v[i])
		}
	}
	addr, places := x.place(1, len(v), memory)
	x.access(lane.Store, addr, places, v, x.typeOf(spirv.ID(x.args[2])).Storage)
	return true
}
