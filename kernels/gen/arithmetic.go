package gen

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const arithmeticFrom = "oracle: SPIR-V 1.6, Arithmetic Instructions"

// vectorTurn is the vector that the i-th instruction of a list is also checked with.
func vectorTurn(e elem, i int) vec { return e.of(vectorSizes[i%len(vectorSizes)]) }

// instructionModule adds a module of component-wise instructions on scalars, one kernel each, and a case for each.
func (a *All) instructionModule(t *Topic, e elem, names []string, about, from string, inputs func(name string) []*Array) {
	module := fmt.Sprintf("%s/%v", t.Name, e)
	m := newText(module+":", fmt.Sprintf(about, e.String()), "A kernel for each instruction, named after it.")
	for _, name := range names {
		m.bitInstruction(name)
		shape := componentwise(name, e.of(1))
		k := a.elements(module, m, shape)
		t.Cases = append(t.Cases, elementCase(e.String()+"/"+name, k, from, shape, inputs(name)...))
	}
	a.source(module, m)
}

// vectorModule adds a module of the same instructions on vectors, the sizes taking turns, and one case for all of them.
func (a *All) vectorModule(t *Topic, e elem, turn int, names []string, about, from, compare string, inputs func(name string) []*Array) {
	module := fmt.Sprintf("%s/%v-vectors", t.Name, e)
	m := newText(module+":", fmt.Sprintf(about, "vectors of "+e.String()), "A kernel for each instruction, named after it.")
	cases := map[string]*Case{} // by the inputs they need
	for i, name := range names {
		m.bitInstruction(name)
		shape := componentwise(name, vectorTurn(e, i+turn))
		k := a.elements(module, m, shape)
		x := inputs(name)
		key := inputsName(x)
		c := cases[key]
		if c == nil {
			c = &Case{Name: e.String() + "-vectors/" + key, Module: module, From: from, Compare: compare}
			cases[key] = c
			t.Cases = append(t.Cases, c)
		}
		c.addElements(k, shape, "_"+shape.entry, x...)
	}
	a.source(module, m)
}

// inputsName makes a name of the files the inputs come from: "a.b", "dividend.divisor"; of pairs made for an instruction,
// "FAdd".
func inputsName(inputs []*Array) string {
	var names []string
	for _, x := range inputs {
		parts := strings.Split(strings.TrimSuffix(x.fill, ".npy"), ".")
		if len(parts) == 3 && len(inputs) == 2 {
			return parts[1]
		}
		names = append(names, strings.Join(parts[1:], "."))
	}
	return strings.Join(names, ".")
}

// bitInstruction declares what kernels need for the instructions of SPV_KHR_bit_instructions.
func (t *text) bitInstruction(name string) {
	if strings.HasPrefix(name, "OpBitField") || name == "OpBitReverse" {
		t.capability("BitInstructions")
		t.extension("SPV_KHR_bit_instructions")
	}
}

func addInteger(a *All) {
	t := a.topic("integer", "integer arithmetic of 8 to 64 bits, scalars and vectors")
	names := []string{
		"OpSNegate", "OpIAdd", "OpISub", "OpIMul", "OpUDiv", "OpUMod", "OpSDiv", "OpSRem", "OpSMod",
		"OpIAddCarry", "OpISubBorrow", "OpUMulExtended", "OpSMulExtended",
	}
	for turn, e := range unsigned {
		inputs := func(name string) []*Array {
			x, y := a.integerPair(e)
			switch {
			case name == "OpSNegate":
				return []*Array{x}
			case strings.HasSuffix(name, "Div"), strings.HasSuffix(name, "Mod"), strings.HasSuffix(name, "Rem"):
				x, y = a.dividePair(e)
			}
			return []*Array{x, y}
		}
		a.instructionModule(t, e, names, "arithmetic on %s.", arithmeticFrom, inputs)
		a.vectorModule(t, e, turn, names, "arithmetic on %s.", arithmeticFrom, "", inputs)
	}
}

func addBits(a *All) {
	t := a.topic("bits", "shifts, bitwise logic and bit fields of 8 to 64 bits, scalars and vectors")
	names := []string{
		"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic",
		"OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor", "OpNot", "OpBitCount",
		"OpBitReverse", "OpBitFieldInsert", "OpBitFieldUExtract", "OpBitFieldSExtract",
	}
	for turn, e := range unsigned {
		inputs := func(name string) []*Array {
			x, y := a.integerPair(e)
			offset, count := a.fields(e)
			switch name {
			case "OpNot", "OpBitCount", "OpBitReverse":
				return []*Array{x}
			case "OpBitFieldInsert":
				return []*Array{x, y, offset, count}
			case "OpBitFieldUExtract", "OpBitFieldSExtract":
				return []*Array{x, offset, count}
			}
			if strings.HasPrefix(name, "OpShift") {
				y = a.shifts(e)
			}
			return []*Array{x, y}
		}
		const from = "oracle: SPIR-V 1.6, Bit Instructions"
		a.instructionModule(t, e, names, "bit instructions on %s.", from, inputs)
		// A vector of bit fields has one offset and one count for all components.
		a.vectorModule(t, e, turn, names, "bit instructions on %s.", from, "", inputs)
	}
}

var integerTests = []string{
	"OpIEqual", "OpINotEqual", "OpUGreaterThan", "OpUGreaterThanEqual", "OpULessThan", "OpULessThanEqual",
	"OpSGreaterThan", "OpSGreaterThanEqual", "OpSLessThan", "OpSLessThanEqual",
}

var floatTests = []string{
	"OpFOrdEqual", "OpFOrdNotEqual", "OpFOrdLessThan", "OpFOrdGreaterThan", "OpFOrdLessThanEqual", "OpFOrdGreaterThanEqual",
	"OpFUnordEqual", "OpFUnordNotEqual", "OpFUnordLessThan", "OpFUnordGreaterThan", "OpFUnordLessThanEqual",
	"OpFUnordGreaterThanEqual", "OpOrdered", "OpUnordered",
	"OpIsNan", "OpIsInf", "OpIsFinite", "OpIsNormal", "OpSignBitSet",
}

func addCompare(a *All) {
	t := a.topic("compare", "comparisons, tests, selection and Boolean logic")
	const from = "oracle: SPIR-V 1.6, Relational and Logical Instructions"
	for turn, e := range unsigned {
		inputs := func(string) []*Array {
			x, y := a.integerPair(e)
			return []*Array{x, y}
		}
		a.instructionModule(t, e, integerTests, "comparisons of %s; a Boolean is stored as 0 or 1.", from, inputs)
		a.vectorModule(t, e, turn, integerTests, "comparisons of %s; a Boolean is stored as 0 or 1.", from, "", inputs)
	}
	for turn, e := range floats {
		inputs := func(name string) []*Array {
			// 32-bit subnormal numbers may be taken for zero by a device; none are among the edges.
			x, y := a.floatPair(e, "", "compare", noSubnormal(e))
			if operands, _ := takes(name); operands == 1 {
				return []*Array{x}
			}
			return []*Array{x, y}
		}
		a.instructionModule(t, e, floatTests, "comparisons and tests of %s; a Boolean is stored as 0 or 1.", from, inputs)
		a.vectorModule(t, e, turn, floatTests, "comparisons and tests of %s; a Boolean is stored as 0 or 1.", from, "", inputs)
	}
	// SPIR-V 1.6 has no OpLessOrGreater any more, so it has a module of its own that earlier versions can be tested with.
	m := newText("compare/less-or-greater:", "OpLessOrGreater, which SPIR-V 1.5 is the last version to have.")
	for _, e := range floats {
		shape := componentwise("OpLessOrGreater", e.of(1))
		shape.entry += "_" + e.String()
		k := a.elements("compare/less-or-greater", m, shape)
		x, y := a.floatPair(e, "", "compare", noSubnormal(e))
		t.Cases = append(t.Cases, elementCase(e.String()+"/OpLessOrGreater", k, from, shape, x, y))
	}
	a.source("compare/less-or-greater", m)
	a.addBooleans(t, from)
	a.addSelect(t, from)
}

func noSubnormal(e elem) func(x, y uint64) bool {
	return func(x, y uint64) bool { return !subnormalIn(e.format(), x, y) }
}

// Compare texts of vector files: any NaN is as good as another; SPIR-V leaves open which one an operation returns.
const anyNaN = `{"mode": "bits", "nan": "any"}`

func addFloat(a *All) {
	t := a.topic("float", "floating-point arithmetic of 16, 32 and 64 bits, scalars and vectors")
	names := []string{"OpFNegate", "OpFAdd", "OpFSub", "OpFMul", "OpFDiv", "OpFRem", "OpFMod"}
	for turn, e := range floats {
		inputs := func(name string) []*Array {
			x, y := a.floatInputs(e, name, "")
			if name == "OpFNegate" {
				return []*Array{x}
			}
			return []*Array{x, y}
		}
		first := len(t.Cases)
		a.instructionModule(t, e, names, "arithmetic on %s.", arithmeticFrom, inputs)
		a.vectorModule(t, e, turn, names, "arithmetic on %s.", arithmeticFrom, anyNaN, inputs)
		for _, c := range t.Cases[first:] {
			c.Compare = anyNaN
		}
		// Numbers near the smallest: devices may take 32-bit ones for zero, so they have cases of their own.
		for _, name := range names[:5] {
			k := a.Kernels[KernelName{"float/" + e.String(), name}]
			shape := componentwise(name, e.of(1))
			x, y := a.floatInputs(e, name, "subnormal")
			both := []*Array{x, y}[:len(shape.in)]
			c := elementCase(e.String()+"/"+name+"/subnormal", k, arithmeticFrom, shape, both...)
			c.Compare = anyNaN
			t.Cases = append(t.Cases, c)
		}
	}
	for _, c := range t.Cases {
		if strings.HasPrefix(c.Name, "f32") && strings.Contains(c.Name, "Div") || strings.HasPrefix(c.Name, "f32-vectors") {
			for _, s := range c.Steps { // OpenCL lets 32-bit divisions be off by 2.5 ULP unless this is asked for
				s.BuildOptions = "-cl-fp32-correctly-rounded-divide-sqrt"
			}
		}
	}
	a.addVectorTimesScalar(t)
	a.addDot(t)
}

// floatInputs gives operands for which the result of the instruction is defined, and normal unless the set is
// "subnormal".
func (a *All) floatInputs(e elem, name, set string) (first, second *Array) {
	f := e.format()
	keep := func(x, y uint64) bool {
		return set == "subnormal" || !subnormalIn(f, x, y, floatRules[name](f, []uint64{x, y}))
	}
	file := strings.TrimPrefix(name, "Op")
	switch name {
	case "OpFNegate", "OpFAdd", "OpFSub":
		file = "FAdd"
		keep = func(x, y uint64) bool {
			return set == "subnormal" || !subnormalIn(f, x, y, f.FAdd(x, y), f.FSub(x, y))
		}
	case "OpFRem", "OpFMod":
		keep = func(x, y uint64) bool {
			if f.Class(x) >= oracle.Infinite || f.Class(y) == oracle.Zero || f.Class(y) >= oracle.Infinite {
				return false
			}
			r, exact := f.FRem(x, y)
			if name == "OpFMod" {
				r, exact = f.FMod(x, y)
			}
			return exact && f.Class(r) != oracle.Zero && !subnormalIn(f, x, y, r) && plainRemainder(f, x, y, r)
		}
	}
	return a.floatPair(e, set, file, keep)
}

// plainRemainder reports whether the remainder r of x and y also comes out of the formula x - y*n in the format's own
// arithmetic, with a quotient that a few units in the last place do not bring to another n. The specifications do not say how
// exact remainders are, and devices differ on others, and on the sign of a zero.
func plainRemainder(f oracle.Format, x, y, r uint64) bool {
	quotient := f.Value(f.FDiv(x, y))
	floor := new(big.Int).Div(quotient.Num(), quotient.Denom()) // towards negative infinity
	part := new(big.Rat).Sub(quotient, new(big.Rat).SetInt(floor))
	if floor.BitLen() > 8 || part.Cmp(big.NewRat(1, 16)) < 0 || part.Cmp(big.NewRat(15, 16)) > 0 {
		return false
	}
	for _, n := range []*big.Int{floor, new(big.Int).Add(floor, big.NewInt(1))} { // n rounded down or, where negative, up
		n := f.Round(new(big.Rat).SetInt(n), oracle.RTE, false)
		if f.FSub(x, f.FMul(y, n)) == r {
			return true
		}
	}
	return false
}

func (a *All) addVectorTimesScalar(t *Topic) {
	for _, e := range floats {
		module := "float/" + e.String() + "-times-scalar"
		m := newText(module+":", fmt.Sprintf("OpVectorTimesScalar on vectors of %v.", e))
		for _, n := range vectorSizes {
			shape := elementKernel{
				entry: fmt.Sprintf("OpVectorTimesScalar_v%d", n), in: []vec{e.of(n), e.of(1)}, out: []vec{e.of(n)},
				emit: func(f *function, x []string) []string {
					return []string{f.op("result", "OpVectorTimesScalar %s %s %s", f.typ(e.of(n)), x[0], x[1])}
				},
				compute: func(_ *Rules, x [][]uint64) [][]uint64 {
					var y []uint64
					for _, c := range x[0] {
						y = append(y, e.format().FMul(c, x[1][0]))
					}
					return [][]uint64{y}
				},
			}
			k := a.elements(module, m, shape)
			c := elementCase(fmt.Sprintf("v%d%v/OpVectorTimesScalar", n, e), k, arithmeticFrom, shape,
				a.ordinary(e, 31, 128), a.ordinary(e, 32, 128))
			t.Cases = append(t.Cases, c)
		}
		a.source(module, m)
	}
}

func (a *All) addDot(t *Topic) {
	for _, e := range floats {
		module := "float/" + e.String() + "-dot"
		m := newText(module+":", fmt.Sprintf("OpDot on vectors of %v.", e))
		for _, n := range vectorSizes {
			shape := elementKernel{
				entry: fmt.Sprintf("OpDot_v%d", n), in: []vec{e.of(n), e.of(n)}, out: []vec{e.of(1)},
				emit: func(f *function, x []string) []string {
					return []string{f.op("result", "OpDot %s %s %s", f.typ(e.of(1)), x[0], x[1])}
				},
				compute: func(_ *Rules, x [][]uint64) [][]uint64 {
					f := e.format()
					sum := f.Zero(false)
					for c := range n {
						sum = f.FAdd(sum, f.FMul(x[0][c], x[1][c]))
					}
					return [][]uint64{{sum}}
				},
			}
			k := a.elements(module, m, shape)
			c := elementCase(fmt.Sprintf("v%d%v/OpDot", n, e), k, arithmeticFrom, shape, a.small(e, 33, 16*n), a.small(e, 34, 16*n))
			c.About = "Small whole numbers: every order of summation gives the same."
			t.Cases = append(t.Cases, c)
		}
		a.source(module, m)
	}
}

// ordinary gives random floats around 1.
func (a *All) ordinary(e elem, seed uint64, count int) *Array {
	return a.shared(fmt.Sprintf("%v.ordinary%d", e, seed), func() *Array {
		x := newArray(e.of(1), count)
		for i := range count {
			x.set(i, anyFloat(e, seed, i))
		}
		return x
	})
}

// small gives the floats -8 … 8.
func (a *All) small(e elem, seed uint64, count int) *Array {
	x := newArray(e.of(1), count)
	for i := range count {
		x.set(i, e.format().FromSigned(64, splitMix64(seed, uint64(i))%17-8, oracle.RTE))
	}
	return x
}
