package gen

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// apply computes an instruction on one component: in and out are the types of operands and result, a the operands' bits.
// An instruction name may carry the decorations of conversions: "OpConvertFToS sat rtp".
func (r *Rules) apply(instruction string, in []elem, out elem, a ...uint64) []uint64 {
	name, decorations, _ := strings.Cut(instruction, " ")
	other, planted := r.Instead[name]
	if planted {
		name = other
	}
	if f := integerRules[name]; f != nil {
		return f(in[0].bits, a)
	}
	if f := floatRules[name]; f != nil {
		return []uint64{f(in[0].format(), a)}
	}
	if f := orders[name]; f != nil {
		return []uint64{truth(f(in[0], a[0], a[1]))}
	}
	x, defined := convert(name, strings.Fields(decorations), in[0], out, a[0])
	if !defined && !planted {
		panic(fmt.Sprintf("%s of %#x is undefined: not an input for a test", instruction, a[0]))
	}
	return []uint64{x}
}

// takes reports how many operands a component-wise instruction has and whether its result is a Boolean.
func takes(name string) (operands int, test bool) {
	switch name {
	case "OpSNegate", "OpNot", "OpBitCount", "OpBitReverse", "OpFNegate":
		return 1, false
	case "OpIsNan", "OpIsInf", "OpIsFinite", "OpIsNormal", "OpSignBitSet":
		return 1, true
	case "OpBitFieldUExtract", "OpBitFieldSExtract":
		return 3, false
	case "OpBitFieldInsert":
		return 4, false
	}
	return 2, orders[name] != nil
}

func one(x uint64) []uint64 { return []uint64{x} }

func two(x, y uint64) []uint64 { return []uint64{x, y} }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// integerRules are the instructions on integers of w bits whose result has the same type.
var integerRules = map[string]func(w int, a []uint64) []uint64{
	"OpSNegate":           func(w int, a []uint64) []uint64 { return one(oracle.SNegate(w, a[0])) },
	"OpIAdd":              func(w int, a []uint64) []uint64 { return one(oracle.IAdd(w, a[0], a[1])) },
	"OpISub":              func(w int, a []uint64) []uint64 { return one(oracle.ISub(w, a[0], a[1])) },
	"OpIMul":              func(w int, a []uint64) []uint64 { return one(oracle.IMul(w, a[0], a[1])) },
	"OpUDiv":              func(w int, a []uint64) []uint64 { return one(oracle.UDiv(w, a[0], a[1])) },
	"OpSDiv":              func(w int, a []uint64) []uint64 { return one(oracle.SDiv(w, a[0], a[1])) },
	"OpUMod":              func(w int, a []uint64) []uint64 { return one(oracle.UMod(w, a[0], a[1])) },
	"OpSRem":              func(w int, a []uint64) []uint64 { return one(oracle.SRem(w, a[0], a[1])) },
	"OpSMod":              func(w int, a []uint64) []uint64 { return one(oracle.SMod(w, a[0], a[1])) },
	"OpIAddCarry":         func(w int, a []uint64) []uint64 { return two(oracle.IAddCarry(w, a[0], a[1])) },
	"OpISubBorrow":        func(w int, a []uint64) []uint64 { return two(oracle.ISubBorrow(w, a[0], a[1])) },
	"OpUMulExtended":      func(w int, a []uint64) []uint64 { return two(oracle.UMulExtended(w, a[0], a[1])) },
	"OpSMulExtended":      func(w int, a []uint64) []uint64 { return two(oracle.SMulExtended(w, a[0], a[1])) },
	"OpShiftLeftLogical":  func(w int, a []uint64) []uint64 { return one(oracle.ShiftLeftLogical(w, a[0], a[1])) },
	"OpShiftRightLogical": func(w int, a []uint64) []uint64 { return one(oracle.ShiftRightLogical(w, a[0], a[1])) },
	"OpShiftRightArithmetic": func(w int, a []uint64) []uint64 {
		return one(oracle.ShiftRightArithmetic(w, a[0], a[1]))
	},
	"OpBitwiseAnd":       func(w int, a []uint64) []uint64 { return one(oracle.BitwiseAnd(w, a[0], a[1])) },
	"OpBitwiseOr":        func(w int, a []uint64) []uint64 { return one(oracle.BitwiseOr(w, a[0], a[1])) },
	"OpBitwiseXor":       func(w int, a []uint64) []uint64 { return one(oracle.BitwiseXor(w, a[0], a[1])) },
	"OpNot":              func(w int, a []uint64) []uint64 { return one(oracle.Not(w, a[0])) },
	"OpBitReverse":       func(w int, a []uint64) []uint64 { return one(oracle.BitReverse(w, a[0])) },
	"OpBitCount":         func(w int, a []uint64) []uint64 { return one(oracle.BitCount(w, a[0])) },
	"OpBitFieldInsert":   func(w int, a []uint64) []uint64 { return one(oracle.BitFieldInsert(w, a[0], a[1], a[2], a[3])) },
	"OpBitFieldUExtract": func(w int, a []uint64) []uint64 { return one(oracle.BitFieldUExtract(w, a[0], a[1], a[2])) },
	"OpBitFieldSExtract": func(w int, a []uint64) []uint64 { return one(oracle.BitFieldSExtract(w, a[0], a[1], a[2])) },
}

// floatRules are the instructions on floats: arithmetic, and tests of one operand.
var floatRules = map[string]func(f oracle.Format, a []uint64) uint64{
	"OpFNegate": func(f oracle.Format, a []uint64) uint64 { return f.FNegate(a[0]) },
	"OpFAdd":    func(f oracle.Format, a []uint64) uint64 { return f.FAdd(a[0], a[1]) },
	"OpFSub":    func(f oracle.Format, a []uint64) uint64 { return f.FSub(a[0], a[1]) },
	"OpFMul":    func(f oracle.Format, a []uint64) uint64 { return f.FMul(a[0], a[1]) },
	"OpFDiv":    func(f oracle.Format, a []uint64) uint64 { return f.FDiv(a[0], a[1]) },
	"OpFRem": func(f oracle.Format, a []uint64) uint64 {
		x, _ := f.FRem(a[0], a[1])
		return x
	},
	"OpFMod": func(f oracle.Format, a []uint64) uint64 {
		x, _ := f.FMod(a[0], a[1])
		return x
	},
	"OpIsNan":      func(f oracle.Format, a []uint64) uint64 { return truth(f.Class(a[0]) == oracle.NaN) },
	"OpIsInf":      func(f oracle.Format, a []uint64) uint64 { return truth(f.Class(a[0]) == oracle.Infinite) },
	"OpIsFinite":   func(f oracle.Format, a []uint64) uint64 { return truth(f.Class(a[0]) < oracle.Infinite) },
	"OpIsNormal":   func(f oracle.Format, a []uint64) uint64 { return truth(f.Class(a[0]) == oracle.Normal) },
	"OpSignBitSet": func(f oracle.Format, a []uint64) uint64 { return truth(f.Negative(a[0])) },
}

// orders are the comparisons (SPIR-V 1.6, section 3.3.15).
var orders = map[string]func(t elem, a, b uint64) bool{
	"OpIEqual":               func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, false, a, b) == 0 },
	"OpINotEqual":            func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, false, a, b) != 0 },
	"OpUGreaterThan":         func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, false, a, b) > 0 },
	"OpUGreaterThanEqual":    func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, false, a, b) >= 0 },
	"OpULessThan":            func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, false, a, b) < 0 },
	"OpULessThanEqual":       func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, false, a, b) <= 0 },
	"OpSGreaterThan":         func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, true, a, b) > 0 },
	"OpSGreaterThanEqual":    func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, true, a, b) >= 0 },
	"OpSLessThan":            func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, true, a, b) < 0 },
	"OpSLessThanEqual":       func(t elem, a, b uint64) bool { return oracle.CompareInt(t.bits, true, a, b) <= 0 },
	"OpFOrdEqual":            floatOrder(false, func(order int) bool { return order == 0 }),
	"OpFOrdNotEqual":         floatOrder(false, func(order int) bool { return order != 0 }),
	"OpFOrdLessThan":         floatOrder(false, func(order int) bool { return order < 0 }),
	"OpFOrdGreaterThan":      floatOrder(false, func(order int) bool { return order > 0 }),
	"OpFOrdLessThanEqual":    floatOrder(false, func(order int) bool { return order <= 0 }),
	"OpFOrdGreaterThanEqual": floatOrder(false, func(order int) bool { return order >= 0 }),
	"OpFUnordEqual":          floatOrder(true, func(order int) bool { return order == 0 }),
	"OpFUnordNotEqual":       floatOrder(true, func(order int) bool { return order != 0 }),
	"OpFUnordLessThan":       floatOrder(true, func(order int) bool { return order < 0 }),
	"OpFUnordGreaterThan":    floatOrder(true, func(order int) bool { return order > 0 }),
	"OpFUnordLessThanEqual":  floatOrder(true, func(order int) bool { return order <= 0 }),
	"OpFUnordGreaterThanEqual": floatOrder(true, func(order int) bool {
		return order >= 0
	}),
	"OpLessOrGreater": floatOrder(false, func(order int) bool { return order != 0 }),
	"OpOrdered":       floatOrder(false, func(int) bool { return true }),
	"OpUnordered":     floatOrder(true, func(int) bool { return false }),
}

// floatOrder is a comparison that is as the order says, and unordered where either operand is NaN.
func floatOrder(unordered bool, holds func(order int) bool) func(t elem, a, b uint64) bool {
	return func(t elem, a, b uint64) bool {
		order, ordered := t.format().Compare(a, b)
		if !ordered {
			return unordered
		}
		return holds(order)
	}
}

// convert computes a conversion; decorations are "sat" and a rounding mode. A number that the integer type does not hold
// is undefined without "sat".
func convert(name string, decorations []string, in, out elem, a uint64) (x uint64, defined bool) {
	saturated := false
	mode := oracle.RTE
	if name == "OpConvertFToU" || name == "OpConvertFToS" {
		mode = oracle.RTZ
	}
	for _, d := range decorations {
		switch d {
		case "sat":
			saturated = true
		case "rte":
			mode = oracle.RTE
		case "rtz":
			mode = oracle.RTZ
		case "rtp":
			mode = oracle.RTP
		case "rtn":
			mode = oracle.RTN
		}
	}
	switch name {
	case "OpUConvert":
		return oracle.UConvert(in.bits, out.bits, a), true
	case "OpSConvert":
		return oracle.SConvert(in.bits, out.bits, a), true
	case "OpSatConvertSToU":
		return oracle.SatConvertSToU(in.bits, out.bits, a), true
	case "OpSatConvertUToS":
		return oracle.SatConvertUToS(in.bits, out.bits, a), true
	case "OpConvertUToF":
		return out.format().FromUnsigned(in.bits, a, mode), true
	case "OpConvertSToF":
		return out.format().FromSigned(in.bits, a, mode), true
	case "OpFConvert":
		return in.format().FConvert(out.format(), a, mode), true
	case "OpQuantizeToF16":
		x, _ := oracle.QuantizeToF16(a)
		return x, true
	case "OpConvertFToU", "OpConvertFToS":
		to := in.format().ToUnsigned
		if name == "OpConvertFToS" {
			to = in.format().ToSigned
		}
		x, fits := to(out.bits, a, mode)
		return x, fits || saturated
	}
	panic(fmt.Sprintf("no rule for %s", name))
}
