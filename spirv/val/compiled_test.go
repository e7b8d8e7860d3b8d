package val_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

func decodeFile(t testing.TB, path string) *spirv.Binary {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := spirv.Decode(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return b
}

// compiled lists the modules in testdata, which clang with the SPIR-V translator and glslang made from the sources in
// testdata/src (testdata/build.sh).
func compiled(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.spv")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d modules in testdata, %v", len(files), err)
	}
	return files
}

func TestCompiledModulesAreValid(t *testing.T) {
	for _, f := range compiled(t) {
		if _, err := val.Load(decodeFile(t, f)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// withoutRules are the core instructions (below SPIR-V 1.6's first extension, opcode 4096) that Check knows by the
// grammar only: images beyond reads, writes, samples and queries of sizes, pipes, and device-side enqueue.
var withoutRules = []string{"OpImage", "OpTypePipe", "OpConstantPipe", "OpCreatePipe", "OpReadPipe", "OpWritePipe", "OpReserve", "OpCommit", "OpIsValidReserveId", "OpGetNumPipePackets",
	"OpGetMaxPipePackets", "OpGroupReserve", "OpGroupCommit", "OpEnqueue", "OpGetKernel", "OpRetainEvent", "OpReleaseEvent", "OpCreateUserEvent", "OpIsValidEvent", "OpSetUserEventStatus",
	"OpCaptureEventProfilingInfo", "OpGetDefaultQueue", "OpBuildNDRange", "OpAtomicFlag", "OpTypeNamedBarrier"}

// TestCoverage prints the instructions for which there are grammar-level rules only, and fails where a core instruction
// outside withoutRules is one of them: what is not checked must be known.
func TestCoverage(t *testing.T) {
	var core, extensions []string
	with := 0
	for _, in := range grammar.Instructions() {
		switch {
		case val.HasRules(in.Op):
			with++
		case in.Op < 4096:
			core = append(core, in.Name)
			if !slices.ContainsFunc(withoutRules, func(p string) bool { return strings.HasPrefix(in.Name, p) }) {
				t.Errorf("the core instruction %s has no rules and is not listed as such", in.Name)
			}
		default:
			extensions = append(extensions, in.Name)
		}
	}
	t.Logf("%d instructions have rules of their own; by the grammar only are checked %d core instructions: %s; and %d of extensions", with, len(core), strings.Join(core, " "), len(extensions))
	if with < 300 {
		t.Errorf("only %d instructions have rules", with)
	}
}

func FuzzCheck(f *testing.F) {
	for _, path := range compiled(f) {
		if data, err := os.ReadFile(path); err == nil && len(data) < 2600 {
			f.Add(data)
		}
	}
	for _, text := range []string{kernel("%r = OpIAdd %u32 %u32_1 %u32_2"), shader("OpSelectionMerge %end None\nOpSwitch %u32_1 %end 1 %a\n%a = OpLabel\nOpBranch %end\n%end = OpLabel")} {
		if data, err := assembled(f, text).Encode(); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		b, err := spirv.Decode(data)
		if err != nil {
			return
		}
		m, err := module.New(b)
		if err != nil {
			return
		}
		_ = val.Check(m)
		module.Reflect(m)
		for _, fn := range m.Functions {
			fn.Dominators()
			fn.PostDominators()
		}
	})
}
