package lower

import (
	"strings"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/stdlib"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// extended is one OpExtInst: its operands behind the number, and the kind of its first operand's scalars.
type extended struct {
	*builder
	in   *spirv.Instruction
	args []uint32
	name string
}

// extInst lowers the instructions of OpenCL.std and GLSL.std.450, passes over those without meaning for the result and
// refuses the others by name.
func extInst(b *builder, in *spirv.Instruction) {
	set := b.m.ExtInstSets[spirv.ID(in.Words[2])]
	if isDebugSet(set) {
		return
	}
	table := openCL
	switch set {
	case "OpenCL.std":
	case "GLSL.std.450":
		table = glsl
	default:
		b.refuse("the instruction set %s is not supported", set)
	}
	g, ok := grammar.LookupExtInstSet(set)
	if !ok {
		b.refuse("the instruction set %s is not supported", set)
	}
	e, ok := g.Lookup(in.Words[3])
	if !ok {
		b.invalid("the instruction set %s has no number %d", set, in.Words[3])
	}
	if len(in.Words) < 4+len(e.Operands) {
		b.invalid("%s takes %d operands, here are %d", e.Name, len(e.Operands), len(in.Words)-4)
	}
	x := &extended{b, in, in.Words[4:], e.Name}
	if !table(x) {
		b.refuse("the instruction %s of %s is not supported", e.Name, set)
	}
}

// arg returns the scalars of an operand.
func (x *extended) arg(i int) []lane.Value { return x.comps(spirv.ID(x.args[i])) }

// kind is the kind of the scalars of operand i.
func (x *extended) kind(i int) lane.Kind { return x.scalarKind(x.typeOf(spirv.ID(x.args[i]))) }

// needFloat and needInt refuse operands of another type.
func (x *extended) needFloat(i int) lane.Kind {
	k := x.kind(i)
	if !k.Float() {
		x.invalid("operand %d of %s is no float", i+1, x.name)
	}
	return k
}

func (x *extended) needInt(i int) lane.Kind {
	k := x.kind(i)
	if k.Float() || k == lane.Bool {
		x.invalid("operand %d of %s is no integer", i+1, x.name)
	}
	return k
}

// each computes the result component by component from n operands with as many components.
func (x *extended) each(n int, f func(src []lane.Value) lane.Value) bool {
	out := make([]lane.Value, len(x.flat(x.resultType(x.in))))
	for i := range out {
		src := make([]lane.Value, n)
		for j := range src {
			c := x.arg(j)
			if len(c) != len(out) {
				x.invalid("operand %d of %s has %d components, the result %d", j+1, x.name, len(c), len(out))
			}
			src[j] = c[i]
		}
		out[i] = f(src)
	}
	x.set(x.in, out...)
	return true
}

// call adds a call of a function of package stdlib on one kind.
func (b *builder) callExt(name string, k lane.Kind, results []lane.Kind, src ...lane.Value) []lane.Value {
	fn, ok := stdlib.Lookup(name)
	if !ok {
		b.refuse("the function %s is not supported", name)
	}
	if _, ok := stdlib.Row(fn, k); !ok {
		b.invalid("%s is not defined on %v", name, k)
	}
	dst := b.fresh(results)
	b.add(lane.Inst{Op: lane.Ext, Kind: k, To: results[0], Imm: int64(fn), Dst: dst, Src: src})
	return dst
}

// float is a function whose operands and result are floats of one kind.
func (x *extended) float(name string, n int) bool {
	k := x.needFloat(0)
	for i := range n {
		if x.kind(i) != k {
			x.invalid("operand %d of %s is %v, operand 1 is %v", i+1, x.name, x.kind(i), k)
		}
	}
	return x.each(n, func(src []lane.Value) lane.Value { return x.callExt(name, k, []lane.Kind{k}, src...)[0] })
}

// integers is a function whose operands and result are integers of one kind.
func (x *extended) integers(name string, n int) bool {
	k := x.needInt(0)
	for i := range n {
		if x.kind(i) != k {
			x.invalid("operand %d of %s is %v, operand 1 is %v", i+1, x.name, x.kind(i), k)
		}
	}
	return x.each(n, func(src []lane.Value) lane.Value { return x.callExt(name, k, []lane.Kind{k}, src...)[0] })
}

// ops is a formula of operations on one kind.
func (x *extended) ops(n int, f func(k lane.Kind, src []lane.Value) lane.Value) bool {
	k := x.kind(0)
	return x.each(n, func(src []lane.Value) lane.Value { return f(k, src) })
}

// elementary is one operation of the lane program.
func (x *extended) elementary(op lane.Op) bool {
	if !op.Info().On.Has(x.kind(0)) {
		x.invalid("%s is not defined on %v", x.name, x.kind(0))
	}
	return x.ops(op.Info().Arity, func(k lane.Kind, s []lane.Value) lane.Value { return x.op(op, k, s...) })
}

// clamp is min(max(x, lo), hi).
func (x *extended) clamp(lower, upper lane.Op) bool {
	if !lower.Info().On.Has(x.kind(0)) {
		x.invalid("%s is not defined on %v", x.name, x.kind(0))
	}
	return x.ops(3, func(k lane.Kind, s []lane.Value) lane.Value { return x.op(upper, k, x.op(lower, k, s[0], s[1]), s[2]) })
}

// number is a float constant.
func (b *builder) number(k lane.Kind, v float64) lane.Value { return b.constant(k, floatBits(k, v)) }

// storeTo writes values where the pointer of operand i points to.
func (x *extended) storeTo(i int, v []lane.Value) {
	id := spirv.ID(x.args[i])
	n := x.pointee(id)
	places := x.places(n)
	if len(places) != len(v) {
		x.invalid("%s writes %d components through a pointer to %d", x.name, len(v), len(places))
	}
	x.access(lane.Store, x.address(id), places, v, x.typeOf(id).Storage)
}

// both computes two results per component, the second of which has kind second; n operands.
func (x *extended) both(name string, n int, second func(lane.Kind) lane.Kind) (first, other []lane.Value) {
	k := x.needFloat(0)
	for i := range x.arg(0) {
		var src []lane.Value
		for j := range n {
			if len(x.arg(j)) != len(x.arg(0)) || x.kind(j) != k {
				x.invalid("operands 1 and %d of %s have different types", j+1, x.name)
			}
			src = append(src, x.arg(j)[i])
		}
		d := x.callExt(name, k, []lane.Kind{k, second(k)}, src...)
		first, other = append(first, d[0]), append(other, d[1])
	}
	return first, other
}

func same(k lane.Kind) lane.Kind { return k }
func i32(lane.Kind) lane.Kind    { return lane.I32 }

// throughPointer is a function whose second result goes where operand n points to.
func (x *extended) throughPointer(name string, n int, second func(lane.Kind) lane.Kind) bool {
	first, other := x.both(name, n, second)
	x.storeTo(n, other)
	x.set(x.in, first...)
	return true
}

// asStruct is a function whose result is a structure of both results.
func (x *extended) asStruct(name string, second func(lane.Kind) lane.Kind) bool {
	first, other := x.both(name, 1, second)
	x.set(x.in, append(first, other...)...)
	return true
}

// withInt is a function of a float and a 32-bit integer.
func (x *extended) withInt(name string) bool {
	k := x.needFloat(0)
	if x.kind(1) != lane.I32 {
		x.refuse("%s with an exponent of %v is not supported", x.name, x.kind(1))
	}
	return x.each(2, func(s []lane.Value) lane.Value { return x.callExt(name, k, []lane.Kind{k}, s...)[0] })
}

// sign is 1, -1, a zero as it is, or 0 for a NaN.
func (x *extended) sign() bool {
	x.needFloat(0)
	return x.ops(1, func(k lane.Kind, s []lane.Value) lane.Value {
		zero := x.number(k, 0)
		v := x.op(lane.Select, k, x.op(lane.FOrdEqual, k, s[0], zero), s[0], zero)
		v = x.op(lane.Select, k, x.op(lane.FOrdGreater, k, s[0], zero), x.number(k, 1), v)
		return x.op(lane.Select, k, x.op(lane.FOrdLess, k, s[0], zero), x.number(k, -1), v)
	})
}

// fract is x - floor(x), kept below 1.
func (x *extended) fract() []lane.Value {
	k := x.needFloat(0)
	below := map[lane.Kind]float64{lane.F16: 0x1.ffcp-1, lane.F32: 0x1.fffffep-1, lane.F64: 0x1.fffffffffffffp-1}[k]
	var floors []lane.Value
	x.each(1, func(s []lane.Value) lane.Value {
		floor := x.callExt("floor", k, []lane.Kind{k}, s[0])[0]
		floors = append(floors, floor)
		v := x.op(lane.FMin, k, x.op(lane.FSub, k, s[0], floor), x.number(k, below))
		v = x.op(lane.Select, k, x.op(lane.IsInf, k, s[0]), x.callExt("copysign", k, []lane.Kind{k}, x.number(k, 0), s[0])[0], v)
		return x.op(lane.Select, k, x.op(lane.IsNan, k, s[0]), s[0], v)
	})
	return floors
}

// mix is x + (y-x)×a.
func (x *extended) mix() bool {
	x.needFloat(0)
	return x.ops(3, func(k lane.Kind, s []lane.Value) lane.Value {
		return x.op(lane.FAdd, k, s[0], x.op(lane.FMul, k, x.op(lane.FSub, k, s[1], s[0]), s[2]))
	})
}

// step is 0 where x is below the edge, else 1.
func (x *extended) step() bool {
	x.needFloat(0)
	return x.ops(2, func(k lane.Kind, s []lane.Value) lane.Value {
		return x.op(lane.Select, k, x.op(lane.FOrdLess, k, s[1], s[0]), x.number(k, 0), x.number(k, 1))
	})
}

func (x *extended) smoothstep() bool {
	x.needFloat(0)
	return x.ops(3, func(k lane.Kind, s []lane.Value) lane.Value {
		t := x.op(lane.FDiv, k, x.op(lane.FSub, k, s[2], s[0]), x.op(lane.FSub, k, s[1], s[0]))
		t = x.op(lane.FMin, k, x.op(lane.FMax, k, t, x.number(k, 0)), x.number(k, 1))
		return x.op(lane.FMul, k, x.op(lane.FMul, k, t, t), x.op(lane.FSub, k, x.number(k, 3), x.op(lane.FMul, k, x.number(k, 2), t)))
	})
}

// shared lowers what both sets have under one name in lower case.
func (x *extended) shared(name string) (handled bool) {
	switch name {
	case "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "exp2", "fabs", "floor", "log", "log2",
		"sin", "sinh", "sqrt", "tan", "tanh", "trunc", "degrees", "radians":
		return x.float(name, 1)
	case "atan2", "pow":
		return x.float(name, 2)
	case "fma":
		return x.float(name, 3)
	case "ldexp":
		return x.withInt(name)
	case "step":
		return x.step()
	case "smoothstep":
		return x.smoothstep()
	case "length", "fast_length":
		return x.length(x.arg(0))
	case "distance", "fast_distance":
		return x.length(x.difference(0, 1))
	case "normalize", "fast_normalize":
		return x.normalize()
	case "cross":
		return x.cross()
	}
	return false
}

// lowerCase brings a name of GLSL.std.450 to the form of OpenCL.std.
func lowerCase(name string) string { return strings.ToLower(name) }
