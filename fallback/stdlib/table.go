package stdlib

import "math"

// Fn is a function by its number in the table; it is stable within one build only.
type Fn int

// function has one of its fields besides the name set.
type function struct {
	name string
	f1   func(x float64) float64
	f2   func(x, y float64) float64
	f3   func(x, y, z float64) float64 // on f16 and f32, f64 apart
	fi   func(x float64, n int32) float64
	i1   func(x float64) int32
	ff   func(x float64) (float64, float64)
	f1i  func(x float64) (float64, int32)
	f2i  func(x, y float64) (float64, int32)
	ints intFunc
	n    int // operands of ints
}

func table() []function {
	return []function{
		{name: "acos", f1: Acos}, {name: "acosh", f1: Acosh}, {name: "acospi", f1: Acospi},
		{name: "asin", f1: Asin}, {name: "asinh", f1: Asinh}, {name: "asinpi", f1: Asinpi},
		{name: "atan", f1: Atan}, {name: "atanh", f1: Atanh}, {name: "atanpi", f1: Atanpi},
		{name: "atan2", f2: Atan2}, {name: "atan2pi", f2: Atan2pi}, {name: "cbrt", f1: Cbrt},
		{name: "ceil", f1: math.Ceil}, {name: "copysign", f2: math.Copysign}, {name: "cos", f1: Cos},
		{name: "cosh", f1: Cosh}, {name: "cospi", f1: Cospi}, {name: "erf", f1: Erf}, {name: "erfc", f1: Erfc},
		{name: "exp", f1: Exp}, {name: "exp2", f1: Exp2}, {name: "exp10", f1: Exp10}, {name: "expm1", f1: Expm1},
		{name: "fabs", f1: math.Abs}, {name: "fdim", f2: Fdim}, {name: "floor", f1: math.Floor},
		{name: "fma", f3: math.FMA}, {name: "fmax", f2: Fmax}, {name: "fmin", f2: Fmin}, {name: "fmod", f2: Fmod},
		{name: "hypot", f2: Hypot}, {name: "lgamma", f1: func(x float64) float64 { r, _ := Lgamma(x); return r }},
		{name: "log", f1: Log}, {name: "log2", f1: Log2}, {name: "log10", f1: Log10}, {name: "log1p", f1: Log1p},
		{name: "logb", f1: Logb}, {name: "maxmag", f2: Maxmag}, {name: "minmag", f2: Minmag}, {name: "pow", f2: Pow},
		{name: "powr", f2: Powr}, {name: "remainder", f2: Remainder}, {name: "rint", f1: math.RoundToEven},
		{name: "round", f1: Round}, {name: "rsqrt", f1: Rsqrt}, {name: "sin", f1: Sin}, {name: "sinh", f1: Sinh},
		{name: "sinpi", f1: Sinpi}, {name: "sqrt", f1: math.Sqrt}, {name: "tan", f1: Tan}, {name: "tanh", f1: Tanh},
		{name: "tanpi", f1: Tanpi}, {name: "tgamma", f1: Tgamma}, {name: "trunc", f1: math.Trunc},
		{name: "degrees", f1: Degrees}, {name: "radians", f1: Radians},

		{name: "ldexp", fi: Ldexp}, {name: "pown", fi: Pown}, {name: "rootn", fi: Rootn}, {name: "ilogb", i1: Ilogb},
		{name: "modf", ff: Modf}, {name: "sincos", ff: Sincos}, {name: "frexp", f1i: Frexp}, {name: "lgamma_r", f1i: Lgamma},
		{name: "remquo", f2i: Remquo},

		{name: "s_abs", ints: sAbs, n: 1}, {name: "s_abs_diff", ints: sAbsDiff, n: 2}, {name: "u_abs_diff", ints: uAbsDiff, n: 2},
		{name: "s_add_sat", ints: sAddSat, n: 2}, {name: "u_add_sat", ints: uAddSat, n: 2},
		{name: "s_sub_sat", ints: sSubSat, n: 2}, {name: "u_sub_sat", ints: uSubSat, n: 2},
		{name: "s_hadd", ints: sHadd, n: 2}, {name: "u_hadd", ints: uHadd, n: 2},
		{name: "s_rhadd", ints: sRhadd, n: 2}, {name: "u_rhadd", ints: uRhadd, n: 2},
		{name: "s_mad_sat", ints: sMadSat, n: 3}, {name: "u_mad_sat", ints: uMadSat, n: 3},
		{name: "rotate", ints: rotate, n: 2}, {name: "clz", ints: clz, n: 1}, {name: "ctz", ints: ctz, n: 1},
		{name: "FindUMsb", ints: findUMsb, n: 1}, {name: "FindSMsb", ints: findSMsb, n: 1}, {name: "FindILsb", ints: findILsb, n: 1},
		{name: "nextafter", ints: nextafter, n: 2}, {name: "nan", ints: nanOf, n: 1}, {name: "bitselect", ints: bitselect, n: 3},
	}
}
