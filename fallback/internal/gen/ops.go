package gen

import "fmt"

// op makes an instruction without side effect.
func (g *generator) op() *Stmt {
	for {
		if s := g.tryOp(); s != nil {
			s.Kind = Op
			g.use(s.Res[0])
			return s
		}
	}
}

func (g *generator) make(name, t string, args ...Arg) *Stmt {
	return &Stmt{Name: name, Res: []Res{g.result(t)}, Args: args}
}

// vectorOr makes a vector type of a scalar type now and then.
func (g *generator) vectorOr(scalar string) string {
	if g.r.IntN(4) == 0 {
		return fmt.Sprintf("v%d%s", 2+g.r.IntN(3), scalar)
	}
	return scalar
}

var intBinary = []string{
	"OpIAdd", "OpISub", "OpIMul", "OpUDiv", "OpSDiv", "OpUMod", "OpSRem", "OpSMod", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor",
	"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic",
}

var intCompare = []string{
	"OpIEqual", "OpINotEqual", "OpULessThan", "OpSLessThan", "OpUGreaterThan", "OpSGreaterThan", "OpULessThanEqual", "OpSLessThanEqual",
	"OpUGreaterThanEqual", "OpSGreaterThanEqual",
}

var floatBinary = []string{"OpFAdd", "OpFSub", "OpFMul", "OpFDiv"}

var floatCompare = []string{
	"OpFOrdEqual", "OpFUnordEqual", "OpFOrdNotEqual", "OpFUnordNotEqual", "OpFOrdLessThan", "OpFUnordLessThan", "OpFOrdGreaterThan",
	"OpFUnordGreaterThan", "OpFOrdLessThanEqual", "OpFUnordLessThanEqual", "OpFOrdGreaterThanEqual", "OpFUnordGreaterThanEqual",
}

func (g *generator) intType() string   { return g.pick([]string{"u8", "u16", "u32", "u32", "u64"}) }
func (g *generator) floatType() string { return g.pick([]string{"f16", "f32", "f32", "f64"}) }

func (g *generator) tryOp() *Stmt {
	switch g.r.IntN(20) {
	case 0, 1, 2, 3:
		t := g.vectorOr(g.intType())
		return g.make(g.pick(intBinary), t, g.arg(t), g.arg(t))
	case 4:
		t := g.vectorOr(g.intType())
		return g.make(g.pick([]string{"OpNot", "OpSNegate"}), t, g.arg(t))
	case 5, 6:
		p, scalar := split(g.vectorOr(g.intType()))
		return g.make(g.pick(intCompare), p+"bool", g.arg(p+scalar), g.arg(p+scalar))
	case 7, 8:
		t := g.vectorOr(g.floatType())
		return g.make(g.pick(floatBinary), t, g.arg(t), g.arg(t))
	case 9:
		p, scalar := split(g.vectorOr(g.floatType()))
		if g.r.IntN(4) == 0 {
			return g.make(g.pick([]string{"OpIsNan", "OpIsInf"}), p+"bool", g.arg(p+scalar))
		}
		return g.make(g.pick(floatCompare), p+"bool", g.arg(p+scalar), g.arg(p+scalar))
	case 10:
		t := g.vectorOr(g.floatType())
		switch g.r.IntN(4) {
		case 0:
			return g.make(g.pick([]string{"OpFRem", "OpFMod"}), t, g.arg(t), g.arg(t))
		case 1:
			if p, scalar := split(t); p != "" {
				return g.make("OpVectorTimesScalar", t, g.arg(t), g.arg(scalar))
			}
		case 2:
			if p, scalar := split(t); p != "" {
				return g.make("OpDot", scalar, g.arg(t), g.arg(t))
			}
		}
		return g.make("OpFNegate", t, g.arg(t))
	case 11:
		t := g.vectorOr("bool")
		if g.r.IntN(3) == 0 {
			if p, _ := split(t); p != "" {
				return g.make(g.pick([]string{"OpAny", "OpAll"}), "bool", g.arg(t))
			}
			return g.make("OpLogicalNot", t, g.arg(t))
		}
		return g.make(g.pick([]string{"OpLogicalAnd", "OpLogicalOr", "OpLogicalEqual", "OpLogicalNotEqual"}), t, g.arg(t), g.arg(t))
	case 12, 13:
		t := g.anyType()
		cond := "bool"
		if p, _ := split(t); p != "" && g.r.IntN(2) == 0 {
			cond = p + "bool"
		}
		return g.make("OpSelect", t, g.arg(cond), g.arg(t), g.arg(t))
	case 14, 15:
		return g.convert()
	case 16:
		return g.extended()
	default:
		return g.composite()
	}
}

func (g *generator) convert() *Stmt {
	p, _ := split(g.vectorOr("u32"))
	i, j, f, h := g.intType(), g.intType(), g.floatType(), g.floatType()
	switch g.r.IntN(8) {
	case 0:
		if i != j {
			return g.make("OpUConvert", p+j, g.arg(p+i))
		}
	case 1:
		if i != j {
			return g.make("OpSConvert", p+j, g.arg(p+i))
		}
	case 2:
		return g.make("OpConvertFToU", p+i, g.arg(p+f))
	case 3:
		return g.make("OpConvertFToS", p+i, g.arg(p+f))
	case 4:
		return g.make("OpConvertUToF", p+f, g.arg(p+i))
	case 5:
		return g.make("OpConvertSToF", p+f, g.arg(p+i))
	case 6:
		if f != h {
			return g.make("OpFConvert", p+h, g.arg(p+f))
		}
	default:
		list := g.pick2([][2]string{
			{"u32", "f32"}, {"u16", "f16"}, {"u64", "f64"}, {"v2u32", "u64"}, {"v4u8", "u32"}, {"v2f16", "f32"}, {"v4u16", "f64"},
			{"v2u16", "v4u8"}, {"v3u32", "v3f32"}, {"v4f32", "v2u64"},
		})
		if g.r.IntN(2) == 0 {
			list[0], list[1] = list[1], list[0]
		}
		return g.make("OpBitcast", list[0], g.arg(list[1]))
	}
	return nil
}

func (g *generator) pick2(list [][2]string) [2]string { return list[g.r.IntN(len(list))] }

// extended makes the instructions with two results, and bit operations.
func (g *generator) extended() *Stmt {
	switch g.r.IntN(4) {
	case 0:
		t := g.vectorOr("u32")
		return g.make("OpBitCount", t, g.arg(t))
	case 1:
		if !g.kernel {
			return g.make("OpBitReverse", "u32", g.arg("u32"))
		}
		return nil
	}
	return g.make(g.pick([]string{"OpIAddCarry", "OpISubBorrow", "OpUMulExtended", "OpSMulExtended"}), "carry", g.arg("u32"), g.arg("u32"))
}

// composite makes instructions that put composites together and take them apart.
func (g *generator) composite() *Stmt {
	var have []Res
	for _, v := range g.scope {
		if parts(v.Type) != nil {
			have = append(have, v)
		}
	}
	if len(have) == 0 || g.r.IntN(4) == 0 {
		t := g.pick(append([]string{"v2u32", "v3f32", "v4u8", "v2bool"}, composites...))
		s := g.make("OpCompositeConstruct", t)
		for _, p := range parts(t) {
			s.Args = append(s.Args, g.arg(p))
		}
		return s
	}
	v := have[g.r.IntN(len(have))]
	whole := Arg{Ref: v.ID, Type: v.Type}
	p, scalar := split(v.Type)
	n := len(parts(v.Type))
	switch k := g.r.IntN(6); {
	case k == 0 && p != "":
		// An index within the vector: the value's low bit.
		return &Stmt{Name: "OpVectorExtractDynamic", Res: []Res{g.result(scalar)}, Args: []Arg{whole, g.arg("u32")}, Num: n}
	case k == 1 && p != "":
		return &Stmt{Name: "OpVectorInsertDynamic", Res: []Res{g.result(v.Type)}, Args: []Arg{whole, g.arg(scalar), g.arg("u32")}, Num: n}
	case k == 2 && p != "":
		m := 2 + g.r.IntN(3)
		s := g.make("OpVectorShuffle", fmt.Sprintf("v%d%s", m, scalar), whole, g.arg(v.Type))
		for range m {
			s.Tail += fmt.Sprintf(" %d", g.r.IntN(2*n))
		}
		return s
	}
	t, tail := v.Type, ""
	for first := true; parts(t) != nil && (first || g.r.IntN(3) > 0); first = false {
		i := g.r.IntN(len(parts(t)))
		tail += fmt.Sprintf(" %d", i)
		t = parts(t)[i]
	}
	if v.Type != "carry" && g.r.IntN(2) == 0 {
		s := g.make("OpCompositeInsert", v.Type, g.arg(t), whole)
		s.Tail = tail
		return s
	}
	s := g.make("OpCompositeExtract", t, whole)
	s.Tail = tail
	return s
}
