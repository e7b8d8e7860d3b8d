package lower

import (
	"slices"

	"github.com/sgrun/sgrun/fallback/lane"
)

// glsl lowers an instruction of GLSL.std.450.
func glsl(x *extended) bool {
	switch x.name {
	case "Round", "RoundEven":
		return x.float("rint", 1)
	case "InverseSqrt":
		return x.float("rsqrt", 1)
	case "FSign":
		return x.sign()
	case "SSign":
		return x.ops(1, func(k lane.Kind, s []lane.Value) lane.Value {
			return x.op(lane.SMax, k, x.op(lane.SMin, k, s[0], x.constant(k, 1)), x.constant(k, ^uint64(0)))
		})
	case "SAbs":
		return x.integers("s_abs", 1)
	case "FindILsb", "FindSMsb", "FindUMsb":
		return x.integers(x.name, 1)
	case "Fract":
		x.fract()
		return true
	case "FMin", "NMin":
		return x.elementary(lane.FMin)
	case "FMax", "NMax":
		return x.elementary(lane.FMax)
	case "UMin":
		return x.elementary(lane.UMin)
	case "UMax":
		return x.elementary(lane.UMax)
	case "SMin":
		return x.elementary(lane.SMin)
	case "SMax":
		return x.elementary(lane.SMax)
	case "FClamp", "NClamp":
		return x.clamp(lane.FMax, lane.FMin)
	case "UClamp":
		return x.clamp(lane.UMax, lane.UMin)
	case "SClamp":
		return x.clamp(lane.SMax, lane.SMin)
	case "FMix":
		return x.mix()
	case "Modf":
		return x.throughPointer("modf", 1, same)
	case "ModfStruct":
		return x.asStruct("modf", same)
	case "Frexp":
		return x.throughPointer("frexp", 1, i32)
	case "FrexpStruct":
		return x.asStruct("frexp", i32)
	case "PackHalf2x16", "UnpackHalf2x16", "PackDouble2x32", "UnpackDouble2x32":
		return x.packFloats()
	case "PackSnorm4x8", "PackUnorm4x8", "PackSnorm2x16", "PackUnorm2x16":
		return x.packNorm()
	case "UnpackSnorm4x8", "UnpackUnorm4x8", "UnpackSnorm2x16", "UnpackUnorm2x16":
		return x.unpackNorm()
	case "FaceForward", "Reflect":
		return x.faceOrReflect()
	case "InterpolateAtCentroid", "InterpolateAtSample", "InterpolateAtOffset", "Determinant", "MatrixInverse", "Refract", "IMix":
		return false
	}
	return x.shared(lowerCase(x.name))
}

// repack concatenates the bits of scalars of one kind and cuts them up again.
func (x *extended) repack(v []lane.Value, from, to lane.Kind, n int) []lane.Value {
	if from.Bits()*len(v) != to.Bits()*n {
		x.invalid("%s: %d bits become %d", x.name, from.Bits()*len(v), to.Bits()*n)
	}
	kinds := slices.Repeat([]lane.Kind{to}, n)
	if dst := x.repackConstant(v, from, kinds); dst != nil {
		return dst
	}
	dst := x.fresh(kinds)
	x.add(lane.Inst{Op: lane.Repack, Kind: from, To: to, Dst: dst, Src: v})
	return dst
}

func (x *extended) packFloats() bool {
	var out []lane.Value
	switch v := x.arg(0); x.name {
	case "PackHalf2x16":
		var halves []lane.Value
		for _, c := range v {
			halves = append(halves, x.emit(lane.FConvert, lane.F32, lane.F16, lane.RoundDefault, c))
		}
		out = x.repack(halves, lane.F16, lane.I32, 1)
	case "UnpackHalf2x16":
		for _, h := range x.repack(v, lane.I32, lane.F16, 2) {
			out = append(out, x.emit(lane.FConvert, lane.F16, lane.F32, lane.RoundDefault, h))
		}
	case "PackDouble2x32":
		out = x.repack(v, lane.I32, lane.F64, 1)
	default:
		out = x.repack(v, lane.F64, lane.I32, 2)
	}
	x.set(x.in, out...)
	return true
}

// norm formats: components of a word, whether signed, and the number that stands for 1.
func (x *extended) normFormat() (k lane.Kind, signed bool, one float64) {
	switch x.name {
	case "PackSnorm4x8", "UnpackSnorm4x8":
		return lane.I8, true, 127
	case "PackUnorm4x8", "UnpackUnorm4x8":
		return lane.I8, false, 255
	case "PackSnorm2x16", "UnpackSnorm2x16":
		return lane.I16, true, 32767
	}
	return lane.I16, false, 65535
}

func (x *extended) packNorm() bool {
	k, signed, one := x.normFormat()
	if x.kind(0) != lane.F32 {
		x.invalid("%s is not defined on %v", x.name, x.kind(0))
	}
	low := 0.0
	if signed {
		low = -1
	}
	var parts []lane.Value
	for _, c := range x.arg(0) {
		c = x.op(lane.FMin, lane.F32, x.op(lane.FMax, lane.F32, c, x.number(lane.F32, low)), x.number(lane.F32, 1))
		c = x.op(lane.FMul, lane.F32, c, x.number(lane.F32, one))
		i := x.emit(lane.ConvertFToS, lane.F32, lane.I32, lane.RoundNearest, c)
		parts = append(parts, x.convert(i, k, true))
	}
	x.set(x.in, x.repack(parts, k, lane.I32, 1)...)
	return true
}

func (x *extended) unpackNorm() bool {
	k, signed, one := x.normFormat()
	op := lane.ConvertUToF
	if signed {
		op = lane.ConvertSToF
	}
	var out []lane.Value
	for _, c := range x.repack(x.arg(0), lane.I32, k, 32/k.Bits()) {
		f := x.op(lane.FDiv, lane.F32, x.emit(op, k, lane.F32, lane.RoundDefault, c), x.number(lane.F32, one))
		if signed {
			f = x.op(lane.FMax, lane.F32, f, x.number(lane.F32, -1))
		}
		out = append(out, f)
	}
	x.set(x.in, out...)
	return true
}

// faceOrReflect: FaceForward is N where dot(Nref, I) < 0, else -N; Reflect is I - 2 dot(N, I) N.
func (x *extended) faceOrReflect() bool {
	k := x.needFloat(0)
	var out []lane.Value
	if x.name == "Reflect" {
		i, n := x.arg(0), x.arg(1)
		twice := x.op(lane.FMul, k, x.number(k, 2), x.sumOfProducts(k, n, i))
		for c := range i {
			out = append(out, x.op(lane.FSub, k, i[c], x.op(lane.FMul, k, twice, n[c])))
		}
	} else {
		back := x.op(lane.FOrdLess, k, x.sumOfProducts(k, x.arg(2), x.arg(1)), x.number(k, 0))
		for _, n := range x.arg(0) {
			out = append(out, x.op(lane.Select, k, back, n, x.op(lane.FNeg, k, n)))
		}
	}
	x.set(x.in, out...)
	return true
}
