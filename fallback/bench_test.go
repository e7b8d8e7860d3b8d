package fallback_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// rounds is how often a benchmark's loop goes round.
const rounds = 1000

// benchKernel is a kernel to measure.
type benchKernel struct {
	name string
	src  run.Source
	ops  int // SPIR-V instructions a lane executes
}

// repeated is a loop of 1000 rounds around a body in which %x is the value that goes round and %y the next one. ops counts
// the instructions a lane executes in the body; those that keep the loop going (a phi, a comparison, an addition and the
// branches) count as two.
func repeated(name, typ, body string, ops int) benchKernel {
	return benchKernel{name, run.Source{Ins: 1, Outs: 1, Body: strings.ReplaceAll(`
		%start = OpBitcast %TYPE %in0
		OpBranch %head
		%head = OpLabel
		%i = OpPhi %u32 %u32_0 %entry %i1 %next
		%x = OpPhi %TYPE %start %entry %y %next
		%c = OpULessThan %bool %i %u32_1000
		OpLoopMerge %end %next None
		OpBranchConditional %c %body %end
		%body = OpLabel
		`+body+`
		OpBranch %next
		%next = OpLabel
		%i1 = OpIAdd %u32 %i %u32_1
		OpBranch %head
		%end = OpLabel
		%r = OpBitcast %u32 %x
		OpStore %out0 %r
		OpReturn`, "TYPE", typ)}, rounds * (ops + 2)}
}

// chain is n pieces of code, each on the result of the one before.
func chain(n int, format string) string {
	var b strings.Builder
	x := "%x"
	for i := range n {
		y := fmt.Sprintf("%%t%d", i)
		if i == n-1 {
			y = "%y"
		}
		b.WriteString(strings.NewReplacer("DST", y, "SRC", x).Replace(format) + "\n")
		x = y
	}
	return b.String()
}

func integerKernel() benchKernel {
	return repeated("integer", "u32", chain(8, `
		DST_a = OpIMul %u32 SRC %u32_1664525
		DST_b = OpBitwiseXor %u32 DST_a %in0
		DST = OpShiftRightLogical %u32 DST_b %u32_1`), 24)
}

func floatKernel() benchKernel {
	return repeated("float", "f32", chain(8, `
		DST_a = OpFMul %f32 SRC %f32_0p5
		DST = OpFAdd %f32 DST_a %f32_1`), 16)
}

// memoryKernel stores to global memory and loads from there, at addresses it computes.
func memoryKernel() benchKernel {
	return repeated("memory", "u32", "%zero = OpShiftRightLogical %u32 %i %u32_31\n"+chain(4, `
		DST_s = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %out0 %zero
		OpStore DST_s SRC
		DST_l = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %in0_p %zero
		DST_v = OpLoad %u32 DST_l
		DST = OpIAdd %u32 DST_v %u32_1`), 21)
}

// benchKernels are the kernels for whole lanes, one for each kind of instruction.
func benchKernels() []benchKernel {
	barrier := repeated("barrier", "u32", `
		%at = OpInBoundsPtrAccessChain %p_Workgroup_u32 %scratch %lid
		OpStore %at %x
		OpControlBarrier %u32_2 %u32_2 %u32_x108
		%other = OpBitwiseXor %u32 %lid %u32_1
		%from = OpInBoundsPtrAccessChain %p_Workgroup_u32 %scratch %other
		%v = OpLoad %u32 %from
		OpControlBarrier %u32_2 %u32_2 %u32_x108
		%y = OpIAdd %u32 %v %i`, 8)
	barrier.src.Params = "%scratch = OpFunctionParameter %p_Workgroup_u32"
	return []benchKernel{
		repeated("add", "u32", chain(16, "DST = OpIAdd %u32 SRC %in0"), 16),
		integerKernel(),
		floatKernel(),
		memoryKernel(),
		repeated("shuffle", "u32", chain(8, "DST = OpGroupNonUniformShuffleXor %u32 %u32_3 SRC %u32_1"), 8),
		repeated("bitcast-shuffle", "u32", chain(4, `
			DST_s = OpSubgroupBitcastShuffleINTEL %v2u16 SRC
			DST = OpSubgroupBitcastShuffleINTEL %u32 DST_s`), 8),
		repeated("branchy", "u32", `
			%odd = OpIAdd %u32 %in0 %i
			%bit = OpBitwiseAnd %u32 %odd %u32_3
			%p = OpIEqual %bool %bit %u32_0
			OpSelectionMerge %m None
			OpBranchConditional %p %yes %no
			%yes = OpLabel
			%ya = OpIMul %u32 %x %u32_3
			OpBranch %m
			%no = OpLabel
			%na = OpIAdd %u32 %x %u32_7
			OpBranch %m
			%m = OpLabel
			%y = OpPhi %u32 %ya %yes %na %no`, 6),
		barrier,
	}
}

// bench is a launch that is repeated.
type bench struct {
	b       *testing.B
	program device.Program
	call    device.Dispatch
}

// newBench builds a kernel for a number of work-items, in work-groups of 256.
func newBench(b *testing.B, k *benchKernel, items, subGroup int) *bench {
	d := run.Device(b, fallback.Options{})
	k.src.Caps = append(k.src.Caps, "GroupNonUniformShuffle")
	p, err := d.Build(b.Context(), run.Module(b, k.src.Text()), device.BuildOptions{})
	if err != nil {
		b.Fatal(err)
	}
	in := make([]byte, 4*items)
	for i := range items {
		in[4*i] = byte(i)
	}
	return &bench{b, p, device.Dispatch{EntryPoint: "main", Global: [3]uint64{uint64(items), 1, 1}, Local: [3]uint64{256, 1, 1}, SubGroupSize: subGroup,
		Args: []device.Arg{{Index: 0, Buffer: run.Buffer(b, d, in)}, {Index: 1, Buffer: run.Buffer(b, d, make([]byte, 4*items))},
			{Index: 2, Kind: device.ArgLocal, Local: 4 * 256}}[:2+strings.Count(k.src.Params, "\n")+min(len(k.src.Params), 1)]}}
}

// launch runs the kernel once.
func (x *bench) launch() {
	if _, err := x.program.Launch(x.b.Context(), &x.call); err != nil {
		x.b.Fatal(err)
	}
}

// loop runs the benchmark and reports the time one of a launch's units takes.
func (x *bench) loop(metric string, units float64) {
	x.launch() // which builds the kernel
	for x.b.Loop() {
		x.launch()
	}
	x.b.ReportMetric(float64(x.b.Elapsed().Nanoseconds())/float64(x.b.N)/units, metric)
}

// cores lets Go use n cores for the rest of the benchmark.
func cores(b *testing.B, n int) {
	before := runtime.GOMAXPROCS(n)
	b.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// BenchmarkKernels measures instructions of every kind, on one core.
func BenchmarkKernels(b *testing.B) {
	for _, k := range benchKernels() {
		for _, subGroup := range []int{8, 16, 32} {
			b.Run(fmt.Sprintf("%s/sub-group=%d", k.name, subGroup), func(b *testing.B) {
				cores(b, 1)
				const items = 2048
				newBench(b, &k, items, subGroup).loop("ns/lane-op", items*float64(k.ops))
			})
		}
	}
}

// BenchmarkCores measures how work spreads over cores: benchstat -col /cores.
func BenchmarkCores(b *testing.B) {
	for _, k := range []benchKernel{integerKernel(), memoryKernel()} {
		for n := 1; n <= runtime.NumCPU(); n *= 2 {
			b.Run(fmt.Sprintf("%s/cores=%d", k.name, n), func(b *testing.B) {
				cores(b, n)
				const items = 8192
				newBench(b, &k, items, 16).loop("ns/lane-op", items*float64(k.ops))
			})
		}
	}
}

// BenchmarkItems measures launches of very different sizes, of a kernel of little work per item. B/item is the memory that
// a launch allocates in all, the buffers apart.
func BenchmarkItems(b *testing.B) {
	for n := 10; n <= 22; n += 2 {
		b.Run(fmt.Sprintf("items=2^%d", n), func(b *testing.B) {
			cores(b, 1)
			x := newBench(b, &benchKernel{src: run.Source{Ins: 1, Outs: 1, Body: "OpStore %out0 %in0\nOpReturn"}}, 1<<n, 16)
			x.reportMemory(1 << n)
			x.loop("ns/item", float64(uint64(1)<<n))
		})
	}
}

// BenchmarkMemory measures what a work-item costs while it is there: the memory of a launch of one full work-group.
func BenchmarkMemory(b *testing.B) {
	for _, k := range benchKernels() {
		b.Run(k.name, func(b *testing.B) {
			cores(b, 1)
			x := newBench(b, &k, 256, 16)
			x.reportMemory(256)
			x.loop("ns/item", 256)
		})
	}
}

// reportMemory reports the memory that a launch takes on Go's heap, for each item.
func (x *bench) reportMemory(items int) {
	x.launch()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x.launch()
	runtime.ReadMemStats(&after)
	bytes := float64(after.TotalAlloc-before.TotalAlloc) / float64(items)
	x.b.Cleanup(func() { x.b.ReportMetric(bytes, "B/item") })
}
