package gen

import "strings"

// guarded returns an instruction's operands, changed where it would not be defined: by division by zero or past the range,
// shifts by the width or more, conversions out of range.
func (e *emitter) guarded(s *Stmt) []string {
	args := e.args(s.Args)
	if !e.strict || len(args) == 0 {
		return args
	}
	last := len(args) - 1
	t := s.Args[last].Type
	p, scalar := split(t)
	switch name := s.Name; {
	case name == "OpUDiv" || name == "OpUMod":
		args[last] = e.unless(t, "OpIEqual", args[last], e.splat(p, scalar, "0"), e.splat(p, scalar, "7"))
	case name == "OpSDiv" || name == "OpSRem" || name == "OpSMod":
		// Of -1 and 0 neither: the one goes past the range, with the least number.
		args[last] = e.unless(t, "OpIEqual", args[last], e.splat(p, scalar, "0"), e.splat(p, scalar, "7"))
		args[last] = e.unless(t, "OpIEqual", args[last], e.let(t, "OpNot", e.splat(p, scalar, "0")), e.splat(p, scalar, "3"))
	case name == "OpFRem" || name == "OpFMod":
		args[last] = e.unless(t, "OpFOrdEqual", args[last], e.splat(p, scalar, "0"), e.splat(p, scalar, "1"))
	case strings.HasPrefix(name, "OpShift"):
		mask := map[int]string{8: "7", 16: "15", 32: "31", 64: "63"}[bits(scalar)]
		args[last] = e.let(t, "OpBitwiseAnd", args[last], e.splat(p, scalar, mask))
	case name == "OpConvertFToU" || name == "OpConvertFToS":
		_, to := split(s.Res[0].Type)
		low, high := "0", map[int]string{8: "255", 16: "65000", 32: "4000000000", 64: "18000000000000000000"}[bits(to)]
		if name == "OpConvertFToS" {
			high = map[int]string{8: "127", 16: "32000", 32: "2000000000", 64: "9000000000000000000"}[bits(to)]
			low = "m" + high
		}
		if scalar == "f16" && bits(to) > 16 { // as much as it holds
			high = "65000"
			if low != "0" {
				low = "m65000"
			}
		}
		one := e.splat(p, scalar, "1")
		// Unordered: also where it is no number.
		args[last] = e.unless(t, "OpFUnordLessThan", args[last], e.splat(p, scalar, low), one)
		args[last] = e.unless(t, "OpFUnordGreaterThan", args[last], e.splat(p, scalar, high), one)
	}
	return args
}

// unless is other where the comparison of v with c holds, and else v.
func (e *emitter) unless(t, compare, v, c, other string) string {
	p, _ := split(t)
	is := e.let(p+"bool", compare, v, c)
	return e.let(t, "OpSelect", is, other, v)
}
