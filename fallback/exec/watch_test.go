package exec_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lower"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
)

// watcher collects accesses.
type watcher struct {
	mu   sync.Mutex
	list []exec.Access
}

func (w *watcher) Access(a exec.Access) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, a)
}

// TestWatch has a kernel in which every other lane reads one place and writes another: the hook hears of each, with its
// address, before it happens.
func TestWatch(t *testing.T) {
	b, err := asm.Assemble([]byte(`
		OpCapability Kernel
		OpCapability Addresses
		OpCapability Int64
		OpMemoryModel Physical64 OpenCL
		OpEntryPoint Kernel %main "main" %id
		OpDecorate %id BuiltIn GlobalLinearId
		%void = OpTypeVoid
		%bool = OpTypeBool
		%u64 = OpTypeInt 64 0
		%pin = OpTypePointer Input %u64
		%p = OpTypePointer CrossWorkgroup %u64
		%fn = OpTypeFunction %void %p
		%c0 = OpConstant %u64 0
		%c1 = OpConstant %u64 1
		%c100 = OpConstant %u64 100
		%id = OpVariable %pin Input
		%main = OpFunction %void None %fn
		%buf = OpFunctionParameter %p
		%entry = OpLabel
		%i = OpLoad %u64 %id
		%odd = OpBitwiseAnd %u64 %i %c1
		%c = OpIEqual %bool %odd %c0
		OpBranchConditional %c %even %end
		%even = OpLabel
		%from = OpInBoundsPtrAccessChain %p %buf %i
		%x = OpLoad %u64 %from
		%j = OpIAdd %u64 %i %c100
		%to = OpInBoundsPtrAccessChain %p %buf %j
		OpStore %to %x
		OpBranch %end
		%end = OpLabel
		OpReturn
		OpFunctionEnd`), asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := module.New(b)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lower.Lower(m, lower.Options{Entry: m.EntryPoints[0], BuiltIn: exec.BuiltInComponents})
	if err != nil {
		t.Fatal(err)
	}
	code, err := exec.Prepare(prog, 32, false)
	if err != nil {
		t.Fatal(err)
	}
	space := mem.NewSpace(1 << 24)
	defer space.Close()
	buf, err := space.Alloc(mem.Alloc{Size: 8 * 200, Name: "buf", Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	addr := make([]byte, 8)
	for i := range addr {
		addr[i] = byte(buf.Base >> (8 * i))
	}
	w := &watcher{}
	one := [3]uint64{50, 1, 1}
	if _, err := exec.Run(t.Context(), code, &exec.Env{
		Space: space, SubGroupSize: 8, Global: one, Local: [3]uint64{20, 1, 1}, Args: []exec.Arg{{Value: addr}}, MaxInstructions: 1e6, Watch: w,
	}); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(50) {
		read := slices.IndexFunc(w.list, func(a exec.Access) bool { return a.Addr == buf.Base+8*i && !a.Write })
		write := slices.IndexFunc(w.list, func(a exec.Access) bool { return a.Addr == buf.Base+8*(i+100) && a.Write })
		if (read >= 0) != (i%2 == 0) || (write >= 0) != (i%2 == 0) || write < read {
			t.Errorf("lane %d: read at %d, written at %d", i, read, write)
		}
		if read >= 0 {
			if a := w.list[read]; a.Size != 8 || a.Group != [3]uint64{i / 20, 0, 0} || a.Item != int(i%20) {
				t.Errorf("lane %d: %+v", i, a)
			}
		}
	}
	if len(w.list) != 50 {
		t.Errorf("%d accesses, want 50", len(w.list))
	}
}
