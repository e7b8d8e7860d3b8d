package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// quickly fails the test where f takes longer than a hostile input may cost, or more memory.
func quickly(t *testing.T, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	f()
	if d := time.Since(start); d > 60*time.Second { // several times what it takes, for slow and busy machines
		t.Errorf("took %v", d)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 6<<30 {
		t.Errorf("allocated %d MiB", n>>20)
	}
}

func wantError(t *testing.T, err error, class device.Class, kind string, says ...string) {
	t.Helper()
	e := run.AsError(err)
	if e == nil || e.Class != class || e.Kind != kind {
		t.Fatalf("got %v, want class %d, kind %s", err, class, kind)
	}
	for _, s := range says {
		if !strings.Contains(e.Error(), s) {
			t.Errorf("the error does not say %q:\n%v", s, e)
		}
	}
}

const endless = `
	OpBranch %head
	%head = OpLabel
	%i = OpPhi %u32 %u32_0 %entry %i1 %next
	OpLoopMerge %end %next None
	OpBranch %next
	%next = OpLabel
	%i1 = OpIAdd %u32 %i %u32_1
	OpBranch %head
	%end = OpLabel
	OpReturn`

func TestTimeLimit(t *testing.T) {
	for _, d := range run.Dialects {
		src := run.Source{Dialect: d, Outs: 1, Body: endless}
		t.Run("deadline/"+d.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			quickly(t, func() {
				got := src.Run(t, run.Options{Context: ctx, Items: 1000})
				wantError(t, got.Err, device.Fault, "timeout", "time limit", "kernel: main", "OpBranch", "work-group", "try:")
			})
		})
		t.Run("cancelled/"+d.String(), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("had enough")
			time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
			got := src.Run(t, run.Options{Context: ctx, Items: 1000})
			wantError(t, got.Err, device.Fault, "stopped", "had enough")
			if !errors.Is(got.Err, cause) {
				t.Error("the cause is lost")
			}
		})
		t.Run("cancelled before/"+d.String(), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			short := run.Source{Dialect: d, Outs: 1, Body: "OpStore %out0 %u32_1\nOpReturn"}
			got := short.Run(t, run.Options{Context: ctx})
			wantError(t, got.Err, device.Fault, "stopped")
			if got.Out[0] != run.Poison {
				t.Error("it ran nevertheless")
			}
		})
		t.Run("many work-groups/"+d.String(), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			short := run.Source{Dialect: d, Body: "OpReturn"}
			quickly(t, func() { // 2^47 work-items
				wantError(t, short.Run(t, run.Options{Context: ctx, Items: 1 << 40, Local: 1}).Err, device.Fault, "timeout")
			})
		})
	}
}

func TestInstructionBudget(t *testing.T) {
	// Each function calls the next twice: 2^40 calls, no loop.
	calls := run.Source{Globals: "%f_t = OpTypeFunction %void %u32", Body: "%x = OpFunctionCall %void %fn0 %u32_1\nOpReturn"}
	for i := range 40 {
		calls.Functions += fmt.Sprintf("%%fn%d = OpFunction %%void None %%f_t\n%%p%d = OpFunctionParameter %%u32\n%%l%d = OpLabel\n", i, i, i)
		for j := range 2 {
			if i < 39 {
				calls.Functions += fmt.Sprintf("%%x%d_%d = OpFunctionCall %%void %%fn%d %%p%d\n", i, j, i+1, i)
			}
		}
		calls.Functions += "OpReturn\nOpFunctionEnd\n"
	}
	for _, d := range run.Dialects {
		for name, src := range map[string]run.Source{"loop": {Outs: 1, Body: endless}, "calls": calls} {
			t.Run(name+"/"+d.String(), func(t *testing.T) {
				src.Dialect = d
				quickly(t, func() {
					got := src.Run(t, run.Options{Budget: 100_000})
					wantError(t, got.Err, device.Fault, "instruction-budget", "budget of instructions", "kernel: main", "work-item")
					if n := got.Report.Instructions; n < 90_000 || n > 300_000 {
						t.Errorf("%d instructions executed with a budget of 100000", n)
					}
				})
			})
		}
	}
}

func TestMemoryBudget(t *testing.T) {
	big := func(n string) run.Source {
		return run.Source{Outs: 1, Body: `
			%v = OpVariable %p_Function_a` + n + `_u32 Function
			%p = OpAccessChain %p_Function_u32 %v %gid
			OpStore %p %gid
			OpReturn`}
	}
	local := func(n string) run.Source {
		return run.Source{Outs: 1, Interface: "%v", Globals: "%v = OpVariable %p_Workgroup_a" + n + "_u32 Workgroup", Body: `
			%p = OpAccessChain %p_Workgroup_u32 %v %gid
			OpStore %p %gid
			OpReturn`}
	}
	for _, c := range []struct {
		name  string
		src   run.Source
		class device.Class
		kind  string
		only  run.Dialect
	}{
		{"private gigabytes", big("1000000000"), device.Usage, "out-of-memory", -1},
		{"private terabytes", run.Source{Outs: 1, Globals: "%row = OpTypeArray %a1000000000_u32 %u32_1000000", Body: `
			%v = OpVariable %p_Function_row Function
			%p = OpAccessChain %p_Function_u32 %v %u32_0 %gid
			OpStore %p %gid
			OpReturn`}, device.Module, "unsupported", -1},
		{"beyond 2^63", run.Source{Outs: 1, Globals: "%row = OpTypeArray %a4000000000_u32 %u32_4000000000", Body: `
			%v = OpVariable %p_Function_row Function
			%p = OpAccessChain %p_Function_u32 %v %u32_0 %gid
			OpStore %p %gid
			OpReturn`}, device.Module, "invalid-module", -1},
		{"local memory", local("40000"), device.Unsupported, "local-memory", -1},
		{"local gigabytes", local("4000000000"), device.Unsupported, "local-memory", -1},
		{"module gigabytes", run.Source{Interface: "%v", Globals: "%v = OpVariable %p_CrossWorkgroup_a4000000000_u32 CrossWorkgroup", Body: `
			%p = OpInBoundsAccessChain %p_CrossWorkgroup_u32 %v %gid
			OpStore %p %gid
			OpReturn`}, device.Usage, "out-of-memory", run.Kernel},
		{"a value of many gigabytes", run.Source{Interface: "%v", Globals: "%v = OpVariable %p_CrossWorkgroup_a400000000_u32 CrossWorkgroup", Body: `
			%x = OpLoad %a400000000_u32 %v
			OpReturn`}, device.Module, "unsupported", run.Kernel},
		{"an image of many gigabytes", run.Source{Interface: "%v", Globals: `
			%null = OpConstantNull %a400000000_u32
			%v = OpVariable %p_CrossWorkgroup_a400000000_u32 CrossWorkgroup %null`, Body: `
			%p = OpInBoundsAccessChain %p_CrossWorkgroup_u32 %v %gid
			OpStore %p %gid
			OpReturn`}, device.Module, "unsupported", run.Kernel},
	} {
		for _, d := range run.Dialects {
			if c.only >= 0 && c.only != d {
				continue
			}
			t.Run(c.name+"/"+d.String(), func(t *testing.T) {
				c.src.Dialect = d
				quickly(t, func() {
					dev := run.Device(t, fallback.Options{Memory: 1 << 30})
					got := c.src.Run(t, run.Options{Device: dev})
					wantError(t, got.Err, c.class, c.kind)
					// What was refused leaves nothing behind.
					b, err := dev.NewBuffer(1 << 30)
					if err != nil {
						t.Fatal(err)
					}
					b.Close()
				})
			})
		}
	}
}

func TestSizes(t *testing.T) {
	d := run.Device(t, fallback.Options{})
	if _, err := d.NewBuffer(math.MaxUint64); run.AsError(err) == nil || run.AsError(err).Kind != "out-of-memory" {
		t.Error(err)
	}
	src := run.Source{Outs: 1, Body: "OpStore %out0 %gid\nOpReturn"}
	p, err := d.Build(t.Context(), run.Module(t, src.Text()), device.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	in, out := run.Buffer(t, d, nil), run.Buffer(t, d, make([]byte, 4))
	for _, c := range []struct {
		global, local, offset [3]uint64
		subGroup              int
		kind                  string
	}{
		{global: [3]uint64{0, 1, 1}, kind: "global-size"},
		{global: [3]uint64{1, 1, 0}, kind: "global-size"},
		{global: [3]uint64{math.MaxUint64, 1, 1}, kind: "global-size"},
		{global: [3]uint64{1 << 40, 1 << 40, 1 << 40}, kind: "global-size"},
		{global: [3]uint64{1 << 20, 1 << 20, 1 << 20}, kind: "global-size"},
		{global: [3]uint64{1, 1, 1}, offset: [3]uint64{math.MaxUint64, 0, 0}, kind: "global-size"},
		{global: [3]uint64{4, 1, 1}, local: [3]uint64{1025, 1, 1}, kind: "work-group-size"},
		{global: [3]uint64{4, 1, 1}, local: [3]uint64{64, 64, 64}, kind: "work-group-size"},
		{global: [3]uint64{4, 1, 1}, local: [3]uint64{math.MaxUint64, 2, 1}, kind: "work-group-size"},
		{global: [3]uint64{4, 1, 1}, local: [3]uint64{4, 0, 1}, kind: "work-group-size"},
		{global: [3]uint64{4, 1, 1}, subGroup: 3, kind: "sub-group-size"},
		{global: [3]uint64{4, 1, 1}, subGroup: 256, kind: "sub-group-size"},
		{global: [3]uint64{4, 1, 1}, subGroup: -8, kind: "sub-group-size"},
	} {
		_, err := p.Launch(t.Context(), &device.Dispatch{EntryPoint: "main", Global: c.global, Local: c.local, Offset: c.offset, SubGroupSize: c.subGroup,
			Args: []device.Arg{{Index: 0, Buffer: in}, {Index: 1, Buffer: out}}})
		if e := run.AsError(err); e == nil || e.Class != device.Usage || e.Kind != c.kind {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := p.Launch(t.Context(), &device.Dispatch{EntryPoint: "other", Global: [3]uint64{1, 1, 1}}); run.AsError(err) == nil || run.AsError(err).Kind != "unknown-kernel" || !strings.Contains(err.Error(), "one of main") {
		t.Error(err)
	}
	if _, err := d.Build(t.Context(), run.Module(t, src.Text()), device.BuildOptions{Options: "-cl-what"}); run.AsError(err) == nil || run.AsError(err).Kind != "build-options" {
		t.Error(err)
	}
}
