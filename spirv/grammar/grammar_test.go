package grammar

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

// names records what a name stands for and fails where it stands for two things.
type names map[string]string

func (n names) add(t *testing.T, name, what string) {
	t.Helper()
	if old, ok := n[name]; ok {
		t.Errorf("%s is both %s and %s", name, old, what)
	}
	n[name] = what
}

// TestInstructions holds the table of instructions: no opcode, name or alias twice, nothing out of order.
func TestInstructions(t *testing.T) {
	if len(Instructions()) < 800 {
		t.Fatalf("only %d instructions", len(Instructions()))
	}
	seen := names{}
	last := -1
	for i := range Instructions() {
		in := &Instructions()[i]
		if int(in.Op) <= last {
			t.Errorf("%s (%d) stands after opcode %d", in.Name, in.Op, last)
		}
		last = int(in.Op)
		seen.add(t, in.Name, in.Name)
		for _, a := range in.Aliases {
			seen.add(t, a, "an alias of "+in.Name)
			if got, ok := LookupName(a); !ok || got != in {
				t.Errorf("LookupName(%s) does not find %s", a, in.Name)
			}
		}
		if got, ok := LookupName(in.Name); !ok || got != in {
			t.Errorf("LookupName(%s) does not find it", in.Name)
		}
		if got, ok := Lookup(in.Op); !ok || got != in {
			t.Errorf("Lookup(%d) does not find %s", in.Op, in.Name)
		}
		if !strings.HasPrefix(in.Name, "Op") || in.Class == "" {
			t.Errorf("%s has class %q", in.Name, in.Class)
		}
		checkOperands(t, in.Name, in.Operands)
		checkResult(t, in)
		checkRequirement(t, in.Name, in.Capabilities, in.Extensions, in.Version, in.LastVersion)
	}
}

// TestOpcodes holds that the constants of package spirv and the table of instructions are the same list.
func TestOpcodes(t *testing.T) {
	n := 0
	for v := range 1 << 16 {
		op := spirv.Op(v)
		in, ok := Lookup(op)
		named := op.String() != "Op"+strconv.Itoa(v)
		if named != ok {
			t.Errorf("opcode %d: %v in package spirv, in the table: %v", v, op, ok)
		}
		if ok {
			n++
			if in.Name != op.String() {
				t.Errorf("opcode %d is %v in package spirv, %s in the table", v, op, in.Name)
			}
		}
	}
	if n != len(Instructions()) {
		t.Errorf("%d opcodes, %d instructions", n, len(Instructions()))
	}
	if _, ok := LookupName("OpFrobnicate"); ok {
		t.Error("LookupName finds what is not there")
	}
}

// checkOperands holds rules that readers of the word stream rely on.
func checkOperands(t *testing.T, what string, ops []Operand) {
	t.Helper()
	for i, o := range ops {
		if int(o.Kind) >= len(Kinds()) {
			t.Errorf("%s: operand %d has the unknown kind %d", what, i, o.Kind)
			continue
		}
		if o.Quantifier == Variadic && i != len(ops)-1 {
			t.Errorf("%s: operand %d is variadic and not the last", what, i)
		}
		if i > 0 && o.Quantifier == Once && ops[i-1].Quantifier != Once {
			t.Errorf("%s: operand %d must be there, the one before it need not", what, i)
		}
		if o.Kind.Info().Category == Composite && o.Quantifier != Variadic {
			t.Errorf("%s: operand %d is a composite that is not variadic", what, i)
		}
	}
}

// checkResult holds that the result id is the first operand, or the second after the result type.
func checkResult(t *testing.T, in *Instruction) {
	t.Helper()
	for i, o := range in.Operands {
		switch o.Kind {
		case IdResult:
			if !in.HasResult() || i > 1 || i == 1 && !in.HasResultType() {
				t.Errorf("%s: the result id is operand %d", in.Name, i)
			}
		case IdResultType:
			if i != 0 || !in.HasResultType() || !in.HasResult() {
				t.Errorf("%s: the result type is operand %d, result: %v", in.Name, i, in.HasResult())
			}
		case PairLiteralIntegerIdRef:
			// Its literal has the selector's width; readers treat it as a property of OpSwitch.
			if in.Op != spirv.OpSwitch {
				t.Errorf("%s has pairs of literal and id as OpSwitch has", in.Name)
			}
		}
	}
}

func checkRequirement(t *testing.T, what string, caps []spirv.Capability, exts []string, version, last uint32) {
	t.Helper()
	for _, c := range caps {
		if _, ok := Capability.Info().Enumerant(uint32(c)); !ok {
			t.Errorf("%s needs capability %d, which does not exist", what, c)
		}
	}
	for _, e := range exts {
		if !strings.HasPrefix(e, "SPV_") {
			t.Errorf("%s: %q is no extension", what, e)
		}
	}
	for _, v := range []uint32{version, last} {
		if v != 0 && (v&0xffff00ff != 0x00010000 || v>>8&0xff > 6) {
			t.Errorf("%s: %#x is no version", what, v)
		}
	}
	if last != 0 && last < version {
		t.Errorf("%s ends with %#x, before it begins with %#x", what, last, version)
	}
}

// TestKinds holds the table of operand kinds: no name, enumerant or alias twice, nothing out of order, and flags of one bit.
func TestKinds(t *testing.T) {
	seen := names{}
	for i := range Kinds() {
		k := &Kinds()[i]
		if int(k.Kind) != i || k.Kind.Info() != k || k.Kind.String() != k.Name {
			t.Errorf("%s is kind %d at index %d", k.Name, k.Kind, i)
		}
		seen.add(t, k.Name, "kind "+strconv.Itoa(i))
		isEnum := k.Category == ValueEnum || k.Category == BitEnum
		if isEnum != (len(k.Enumerants) > 0) || (k.Category == Composite) != (len(k.Bases) > 1) {
			t.Errorf("%s has category %d, %d enumerants, %d bases", k.Name, k.Category, len(k.Enumerants), len(k.Bases))
		}
		for _, b := range k.Bases {
			if c := b.Info().Category; c == Composite || c == ValueEnum || c == BitEnum {
				t.Errorf("%s is made of %v", k.Name, b)
			}
		}
		checkEnumerants(t, k)
	}
}

func checkEnumerants(t *testing.T, k *KindInfo) {
	t.Helper()
	seen := names{}
	last := int64(-1)
	for i := range k.Enumerants {
		e := &k.Enumerants[i]
		what := k.Name + "." + e.Name
		if int64(e.Value) <= last {
			t.Errorf("%s (%d) stands after %d", what, e.Value, last)
		}
		last = int64(e.Value)
		if k.Category == BitEnum && bits.OnesCount32(e.Value) > 1 {
			t.Errorf("%s (%#x) is more than one bit", what, e.Value)
		}
		if k.Category == BitEnum && e.Value == 0 && len(e.Parameters) > 0 {
			t.Errorf("%s is no flag and has parameters", what)
		}
		seen.add(t, e.Name, what)
		for _, a := range e.Aliases {
			seen.add(t, a, "an alias of "+what)
		}
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if got, ok := k.EnumerantNamed(name); !ok || got != e {
				t.Errorf("EnumerantNamed(%s) does not find %s", name, what)
			}
			// A text could not tell such a name from an instruction or from two flags.
			if name == "" || strings.ContainsAny(name, " |;\"") || len(name) > 2 && strings.HasPrefix(name, "Op") && name[2] >= 'A' && name[2] <= 'Z' {
				t.Errorf("%s cannot be told apart in text", what)
			}
		}
		if got, ok := k.Enumerant(e.Value); !ok || got != e {
			t.Errorf("Enumerant(%d) does not find %s", e.Value, what)
		}
		checkOperands(t, what, e.Parameters)
		checkRequirement(t, what, e.Capabilities, e.Extensions, e.Version, e.LastVersion)
	}
	if _, ok := k.EnumerantNamed("Frobnicate"); ok {
		t.Errorf("%s has an enumerant that is not there", k.Name)
	}
}

// TestEnumStrings holds the names of package spirv against the table, for kinds read all over the project.
func TestEnumStrings(t *testing.T) {
	for kind, str := range map[Kind]func(uint32) string{
		Capability:     func(v uint32) string { return spirv.Capability(v).String() },
		StorageClass:   func(v uint32) string { return spirv.StorageClass(v).String() },
		Decoration:     func(v uint32) string { return spirv.Decoration(v).String() },
		BuiltIn:        func(v uint32) string { return spirv.BuiltIn(v).String() },
		ExecutionModel: func(v uint32) string { return spirv.ExecutionModel(v).String() },
		ExecutionMode:  func(v uint32) string { return spirv.ExecutionMode(v).String() },
		Scope:          func(v uint32) string { return spirv.Scope(v).String() },
		GroupOperation: func(v uint32) string { return spirv.GroupOperation(v).String() },
		FPEncoding:     func(v uint32) string { return spirv.FPEncoding(v).String() },
	} {
		for _, e := range kind.Info().Enumerants {
			if got := str(e.Value); got != e.Name {
				t.Errorf("%v %d is %s in package spirv, %s in the table", kind, e.Value, got, e.Name)
			}
		}
		if got := str(0xfffffff0); got != "4294967280" {
			t.Errorf("an unknown %v prints as %s", kind, got)
		}
	}
}

// TestExtInst holds the extended instruction sets: no number or name twice, nothing out of order.
func TestExtInst(t *testing.T) {
	for i := range ExtInstSets() {
		s := &ExtInstSets()[i]
		if got, ok := LookupExtInstSet(s.Name); !ok || got != s {
			t.Errorf("LookupExtInstSet(%s) does not find it", s.Name)
		}
		seen := names{}
		last := int64(-1)
		for j := range s.Instructions {
			in := &s.Instructions[j]
			what := s.Name + " " + in.Name
			if int64(in.Number) <= last {
				t.Errorf("%s (%d) stands after %d", what, in.Number, last)
			}
			last = int64(in.Number)
			seen.add(t, in.Name, what)
			if in.Name == "" || in.Name[0] >= '0' && in.Name[0] <= '9' {
				t.Errorf("%s looks like a number", what)
			}
			if got, ok := s.Lookup(in.Number); !ok || got != in {
				t.Errorf("Lookup(%d) does not find %s", in.Number, what)
			}
			if got, ok := s.LookupName(in.Name); !ok || got != in {
				t.Errorf("LookupName does not find %s", what)
			}
			checkOperands(t, what, in.Operands)
		}
		if _, ok := s.Lookup(0xffffffff); ok {
			t.Errorf("%s has an instruction that is not there", s.Name)
		}
	}
	if _, ok := LookupExtInstSet("OpenCL.DebugInfo.100"); ok {
		t.Error("a set is found that is not there")
	}
}

// TestNumbers holds numbers picked from the specifications: SPIR-V 1.6 sections 3.2 and 3.3, the extended instruction
// sets, SPV_KHR_cooperative_matrix, SPV_EXT_cooperative_matrix_maintenance1, SPV_INTEL_subgroup_matrix_multiply_accumulate
// and SPV_INTEL_subgroup_bitcast_shuffle.
func TestNumbers(t *testing.T) {
	for name, op := range map[string]spirv.Op{
		"OpNop": 0, "OpExtInst": 12, "OpTypeInt": 21, "OpConstant": 43, "OpSpecConstantOp": 52, "OpFunction": 54, "OpLoad": 61,
		"OpAccessChain": 65, "OpDecorate": 71, "OpBitcast": 124, "OpIAdd": 128, "OpSwitch": 251, "OpLabel": 248,
		"OpGroupNonUniformShuffleXor": 346, "OpCopyLogical": 400, "OpSubgroupShuffleINTEL": 5571,
		"OpTypeCooperativeMatrixKHR": 4456, "OpCooperativeMatrixMulAddKHR": 4459, "OpCooperativeMatrixConvertUseEXT": 5293,
		"OpCooperativeMatrixGetCoordinateEXT": 5363, "OpCooperativeMatrixReduceNV": 5366,
		"OpSubgroupMatrixMultiplyAccumulateINTEL": 6237, "OpSubgroupBitcastShuffleINTEL": 6208,
	} {
		if in, ok := LookupName(name); !ok || in.Op != op {
			t.Errorf("%s is not opcode %d", name, op)
		}
	}
	for _, e := range []struct {
		kind  Kind
		name  string
		value uint32
	}{
		{Capability, "Kernel", 6}, {Capability, "Groups", 18}, {Capability, "CooperativeMatrixKHR", 6022},
		{Capability, "SubgroupBitcastShuffleINTEL", 6207}, {Capability, "SubgroupMatrixMultiplyAccumulateINTEL", 6236},
		{Capability, "CooperativeMatrixConversionsEXT", 5429}, {Capability, "CooperativeMatrixReductionsNV", 5430},
		{StorageClass, "StorageBuffer", 12}, {StorageClass, "Function", 7}, {Decoration, "CooperativeMatrixTransposeEXT", 5440},
		{Decoration, "BuiltIn", 11}, {BuiltIn, "GlobalInvocationId", 28}, {BuiltIn, "SubgroupMaxSize", 37}, {Scope, "Subgroup", 3},
		{MemoryAccess, "Aligned", 2}, {CooperativeMatrixUse, "MatrixAccumulatorKHR", 2}, {CooperativeMatrixReduce, "2x2", 4},
		{ExecutionMode, "SubgroupSize", 35}, {FPEncoding, "BFloat16KHR", 0},
	} {
		if got, ok := e.kind.Info().EnumerantNamed(e.name); !ok || got.Value != e.value {
			t.Errorf("%v %s is not %d", e.kind, e.name, e.value)
		}
	}
	for _, e := range []struct {
		set, name string
		number    uint32
	}{
		{"OpenCL.std", "acos", 0}, {"OpenCL.std", "fma", 26}, {"OpenCL.std", "s_max", 156}, {"OpenCL.std", "printf", 184},
		{"OpenCL.std", "prefetch", 185}, {"GLSL.std.450", "Round", 1}, {"GLSL.std.450", "InverseSqrt", 32},
		{"GLSL.std.450", "Fma", 50}, {"GLSL.std.450", "NClamp", 81},
	} {
		set, ok := LookupExtInstSet(e.set)
		if !ok {
			t.Fatalf("%s is not there", e.set)
		}
		if in, ok := set.LookupName(e.name); !ok || in.Number != e.number {
			t.Errorf("%s %s is not %d", e.set, e.name, e.number)
		}
	}
}

// TestBitcastShuffle holds the one instruction of the supplement: SPV_INTEL_subgroup_bitcast_shuffle, revision 1.
func TestBitcastShuffle(t *testing.T) {
	in, ok := Lookup(spirv.OpSubgroupBitcastShuffleINTEL)
	if !ok {
		t.Fatal("it is not there")
	}
	var kinds []Kind
	for _, o := range in.Operands {
		kinds = append(kinds, o.Kind)
	}
	if !slices.Equal(kinds, []Kind{IdResultType, IdResult, IdRef}) || !slices.Equal(in.Capabilities, []spirv.Capability{spirv.CapabilitySubgroupBitcastShuffleINTEL}) || in.Version != 0 {
		t.Errorf("operands %v, capabilities %v, version %#x", kinds, in.Capabilities, in.Version)
	}
	c, ok := Capability.Info().Enumerant(6207)
	if !ok || !slices.Equal(c.Extensions, []string{"SPV_INTEL_subgroup_bitcast_shuffle"}) || c.Version != 0 {
		t.Errorf("the capability is %+v", c)
	}
}
