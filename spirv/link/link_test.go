package link_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/link"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// text completes a module in the OpenCL dialect: names, decorations, globals and functions.
func text(annotations, globals, functions string) string {
	var names, decorations strings.Builder
	for line := range strings.Lines(annotations) {
		if strings.HasPrefix(line, "OpName") {
			names.WriteString(line)
		} else {
			decorations.WriteString(line)
		}
	}
	entry := ""
	if strings.Contains(functions, "%kernel =") {
		entry = "OpEntryPoint Kernel %kernel \"k\"\n"
	}
	return "; Version: 1.2\nOpCapability Addresses\nOpCapability Kernel\nOpCapability Linkage\n%cl = OpExtInstImport \"OpenCL.std\"\n" +
		"OpMemoryModel Physical64 OpenCL\n" + entry + names.String() + decorations.String() + "%u32 = OpTypeInt 32 0\n%fn = OpTypeFunction %u32 %u32\n" + globals + functions
}

const (
	importF  = "OpDecorate %f LinkageAttributes \"f\" Import\n"
	exportF  = "OpDecorate %f LinkageAttributes \"f\" Export\n"
	onceF    = "OpDecorate %f LinkageAttributes \"f\" LinkOnceODR\n"
	declareF = "%f = OpFunction %u32 None %fn\n%x = OpFunctionParameter %u32\nOpFunctionEnd\n"
	defineF  = "%f = OpFunction %u32 None %fn\n%x = OpFunctionParameter %u32\n%e = OpLabel\n%y = OpIAdd %u32 %x %x\nOpReturnValue %y\nOpFunctionEnd\n"
	caller   = "%void = OpTypeVoid\n%kt = OpTypeFunction %void\n%u32_1 = OpConstant %u32 1\n"
	callF    = "%kernel = OpFunction %void None %kt\n%l = OpLabel\n%r = OpFunctionCall %u32 %f %u32_1\nOpReturn\nOpFunctionEnd\n"
)

func load(t testing.TB, name, text string) link.Module {
	t.Helper()
	b, err := asm.Assemble([]byte(text), asm.Options{HeaderComments: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	m, err := module.New(b)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return link.Module{Name: name, Model: m}
}

func count(m *module.Module, op spirv.Op) (n int) {
	for i := range m.Binary.Insts {
		if m.Binary.Insts[i].Op == op {
			n++
		}
	}
	return n
}

func TestLink(t *testing.T) {
	main := text("OpName %f \"f\"\n"+importF, caller, declareF+callF)
	lib := text("OpName %f \"f\"\nOpName %x \"x\"\n"+exportF, "", defineF)
	once := strings.Replace(text(onceF, "", defineF), "%cl =", "OpExtension \"SPV_KHR_linkonce_odr\"\n%cl =", 1)
	const structure = "%pair = OpTypeStruct %u32 %u32\n%pp = OpTypePointer CrossWorkgroup %pair\n"
	for _, c := range []struct {
		name      string
		modules   []string
		functions int
		kind      string // of the error
		says      string
	}{
		{name: "an import and its export", modules: []string{main, lib}, functions: 2},
		{name: "the other way round", modules: []string{lib, main}, functions: 2},
		{name: "one module", modules: []string{text(exportF, caller, defineF+callF)}, functions: 2},
		{name: "nothing exports it", modules: []string{main}, kind: "unresolved", says: `"f" is imported and no module exports it (m0)`},
		{name: "exported twice", modules: []string{main, lib, lib}, kind: "twice", says: `"f" is exported twice (m1, m2)`},
		{name: "defined the same twice", modules: []string{main, once, once}, functions: 2},
		{name: "two entry points of a name", modules: []string{main, lib, main}, kind: "entry-point", says: `two entry points have the name "k" (m0, m2)`},
		{name: "another type", modules: []string{main, text(exportF, "%gn = OpTypeFunction %u32\n%u32_9 = OpConstant %u32 9\n",
			"%f = OpFunction %u32 None %gn\n%e = OpLabel\nOpReturnValue %u32_9\nOpFunctionEnd\n")}, kind: "type", says: "another type"},
		{name: "another memory model", modules: []string{main, strings.ReplaceAll(lib, "Physical64", "Physical32")}, kind: "memory-model", says: "Physical32"},
		{
			name: "structures that are equal", functions: 2,
			modules: []string{
				text("OpName %pair \"pair\"\n"+importF, structure+"%gn = OpTypeFunction %u32 %pp\n"+"%void = OpTypeVoid\n%kt = OpTypeFunction %void %pp\n",
					"%f = OpFunction %u32 None %gn\n%x = OpFunctionParameter %pp\nOpFunctionEnd\n%kernel = OpFunction %void None %kt\n%p = OpFunctionParameter %pp\n%l = OpLabel\n%r = OpFunctionCall %u32 %f %p\nOpReturn\nOpFunctionEnd\n"),
				text("OpName %pair \"pair\"\n"+exportF, structure+"%gn = OpTypeFunction %u32 %pp\n%u32_9 = OpConstant %u32 9\n",
					"%f = OpFunction %u32 None %gn\n%x = OpFunctionParameter %pp\n%e = OpLabel\nOpReturnValue %u32_9\nOpFunctionEnd\n"),
			},
		},
		{
			name: "structures with other decorations", kind: "type", says: `"f" is imported with another type than it is exported with (m0, m1)`,
			modules: []string{
				text(importF, structure+"%gn = OpTypeFunction %u32 %pp\n", "%f = OpFunction %u32 None %gn\n%x = OpFunctionParameter %pp\nOpFunctionEnd\n"),
				text("OpDecorate %pair CPacked\n"+exportF, structure+"%gn = OpTypeFunction %u32 %pp\n%u32_9 = OpConstant %u32 9\n",
					"%f = OpFunction %u32 None %gn\n%x = OpFunctionParameter %pp\n%e = OpLabel\nOpReturnValue %u32_9\nOpFunctionEnd\n"),
			},
		},
		{
			name: "a variable", functions: 1,
			modules: []string{
				text("OpDecorate %f LinkageAttributes \"v\" Import\n", "%p = OpTypePointer CrossWorkgroup %u32\n%f = OpVariable %p CrossWorkgroup\n%void = OpTypeVoid\n%kt = OpTypeFunction %void\n",
					"%kernel = OpFunction %void None %kt\n%l = OpLabel\n%r = OpLoad %u32 %f\nOpReturn\nOpFunctionEnd\n"),
				text("OpDecorate %v LinkageAttributes \"v\" Export\n", "%p = OpTypePointer CrossWorkgroup %u32\n%u32_7 = OpConstant %u32 7\n%v = OpVariable %p CrossWorkgroup %u32_7\n", ""),
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []link.Module
			for i, text := range c.modules {
				list = append(list, load(t, fmt.Sprintf("m%d", i), text))
			}
			got, err := link.Link(list...)
			if c.kind != "" {
				var e *link.Error
				if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("got %v, want %s: %s", err, c.kind, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := val.Check(got); err != nil {
				t.Error(err)
			}
			if len(got.Functions) != c.functions {
				t.Errorf("%d functions, want %d", len(got.Functions), c.functions)
			}
			for _, op := range []spirv.Op{spirv.OpMemoryModel, spirv.OpExtInstImport} {
				if n := count(got, op); n != 1 {
					t.Errorf("%v stands in the result %d times", op, n)
				}
			}
			checkTool(t, got)
		})
	}
}

// checkTool asks spirv-val, where it is installed.
func checkTool(t *testing.T, m *module.Module) {
	t.Helper()
	if _, err := exec.LookPath("spirv-val"); err != nil {
		return
	}
	data, err := m.Binary.Encode()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.spv")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("spirv-val", "--target-env", "spv1.2", file).CombinedOutput(); err != nil {
		t.Errorf("spirv-val: %s", out)
	}
}

func ExampleLink() {
	parse := func(name, text string) link.Module {
		b, err := asm.Assemble([]byte(text), asm.Options{})
		if err != nil {
			panic(err)
		}
		m, err := module.New(b)
		if err != nil {
			panic(err)
		}
		return link.Module{Name: name, Model: m}
	}
	main := parse("main.spv", text(importF, caller, declareF+callF))
	lib := parse("lib.spv", text(exportF, "", defineF))
	m, err := link.Link(main, lib)
	fmt.Println(len(m.Functions), err)
	_, err = link.Link(main)
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// "f" is imported and no module exports it (main.spv)
}
