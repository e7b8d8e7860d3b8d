package lower

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

const host = `
OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpName %main "main"
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%fn = OpTypeFunction %void
%c = OpConstant %u32 1
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpIAdd %u32 %c %c
OpReturn
OpFunctionEnd`

// TestUnsupported puts every instruction that can stand in a block and that the emulator does not run into a kernel. Each
// is refused by name, with its text, its function and where it is, before anything runs.
func TestUnsupported(t *testing.T) {
	refused, elsewhere := 0, 0
	for _, g := range grammar.Instructions() {
		if _, ok := handlers()[g.Op]; ok {
			continue
		}
		if _, ok := lane.ElementwiseFor(g.Op); ok {
			continue
		}
		switch g.Op {
		case spirv.OpLine, spirv.OpNoLine, spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue,
			spirv.OpUnreachable, spirv.OpSelectionMerge, spirv.OpLoopMerge:
			continue // done by the model of a module and by terminator
		}
		m, in, err := moduleWith(&g)
		if err != nil {
			elsewhere++ // module.New knows it as one that does not belong into a block
			continue
		}
		_, err = Lower(m, Options{Entry: m.EntryPoints[0], BuiltIn: exec.BuiltInComponents})
		var e *device.Error
		if !errors.As(err, &e) || e.Class != device.Module || e.Kind != "unsupported" {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		refused++
		text := e.Error()
		for _, part := range []string{g.Op.String() + " is not supported", "instruction: ", "function: main", fmt.Sprintf("word offset: %d", in.Offset)} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: the error does not say %q:\n%s", g.Name, part, text)
			}
		}
		where := e.Where[slices.IndexFunc(e.Where, func(p device.Place) bool { return p.Key == "instruction" })].Value
		if !strings.Contains(where, g.Op.String()) || g.HasResult() && !strings.HasPrefix(where, "%200 = ") {
			t.Errorf("%s: the instruction's text is %q", g.Name, where)
		}
	}
	t.Logf("%d refused, %d not for blocks", refused, elsewhere)
	if refused < 300 {
		t.Errorf("only %d instructions tried", refused)
	}
}

// moduleWith makes a kernel with the instruction, its operands made up as the grammar asks.
func moduleWith(g *grammar.Instruction) (*module.Module, *spirv.Instruction, error) {
	b, err := asm.Assemble([]byte(host), asm.Options{})
	if err != nil {
		return nil, nil, err
	}
	ids := map[string]uint32{}
	for i := range b.Insts {
		switch in := &b.Insts[i]; in.Op {
		case spirv.OpTypeInt:
			ids["u32"] = in.Words[0]
		case spirv.OpConstant:
			ids["c"] = in.Words[1]
		}
	}
	b.Bound = 300
	in := spirv.Instruction{Op: g.Op, Words: words(g.Operands, ids)}
	at := slices.IndexFunc(b.Insts, func(in spirv.Instruction) bool { return in.Op == spirv.OpIAdd })
	if module.IsTerminator(g.Op) {
		b.Insts[at+1] = in
		at++
	} else {
		b.Insts = slices.Insert(b.Insts, at+1, in)
		at++
	}
	data, err := b.Encode()
	if err != nil {
		return nil, nil, err
	}
	if b, err = spirv.Decode(data); err != nil {
		return nil, nil, err
	}
	m, err := module.New(b)
	if err != nil {
		return nil, nil, err
	}
	return m, &b.Insts[at], nil
}

// words makes up operands.
func words(ops []grammar.Operand, ids map[string]uint32) (out []uint32) {
	for _, o := range ops {
		if o.Quantifier != grammar.Once {
			continue
		}
		info := o.Kind.Info()
		switch {
		case o.Kind == grammar.IdResultType:
			out = append(out, ids["u32"])
		case o.Kind == grammar.IdResult:
			out = append(out, 200)
		case info.Category == grammar.Id:
			out = append(out, ids["c"])
		case info.Category == grammar.ValueEnum:
			e := info.Enumerants[0]
			out = append(append(out, e.Value), words(e.Parameters, ids)...)
		case info.Category == grammar.Composite:
			for _, k := range info.Bases {
				out = append(out, words([]grammar.Operand{{Kind: k}}, ids)...)
			}
		default:
			out = append(out, 0)
		}
	}
	return out
}

// TestUnsupportedTypes refuses types, execution models and modes by name too.
func TestUnsupportedTypes(t *testing.T) {
	const sum = "%x = OpIAdd %u32 %c %c"
	for _, c := range []struct {
		says string
		edit []string // old and new text by turns
	}{
		{"integers of 128 bits", []string{"%fn = ", "%i128 = OpTypeInt 128 0\n%fn = ", sum, "%x = OpUndef %i128"}},
		{"not supported", []string{"%fn = ", "%bf = OpTypeFloat 16 BFloat16KHR\n%fn = ", sum, "%x = OpUndef %bf"}},
		{"execution model Fragment", []string{"OpEntryPoint Kernel", "OpEntryPoint Fragment"}},
		{"execution mode RoundingModeRTZ", []string{"OpName", "OpExecutionMode %main RoundingModeRTZ 32\nOpName"}},
		{"printf of OpenCL.std", []string{"OpMemoryModel", "%cl = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel", sum, "%x = OpExtInst %u32 %cl printf %c %c"}},
		{"InterpolateAtCentroid of GLSL.std.450", []string{"OpMemoryModel", "%gl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel", sum, "%x = OpExtInst %u32 %gl InterpolateAtCentroid %c"}},
		{"instruction set Unknown", []string{"OpMemoryModel", "%cl = OpExtInstImport \"Unknown\"\nOpMemoryModel", sum, "%x = OpExtInst %u32 %cl 1 %c"}},
	} {
		b, err := asm.Assemble([]byte(strings.NewReplacer(c.edit...).Replace(host)), asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := module.New(b)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(m, Options{Entry: m.EntryPoints[0], BuiltIn: exec.BuiltInComponents})
		var e *device.Error
		if !errors.As(err, &e) || e.Kind != "unsupported" || !strings.Contains(e.Message, c.says) {
			t.Errorf("got %v, want %q", err, c.says)
		}
	}
}
