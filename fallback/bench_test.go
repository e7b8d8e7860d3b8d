package fallback_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// repeated is a loop of 1000 rounds around a body in which %x is the value that goes round and %y the next one. ops counts
// the instructions a lane executes in a round, the loop's own included.
func repeated(typ, init, body string, ops int) (run.Source, int) {
	return run.Source{Ins: 1, Outs: 1, Body: strings.NewReplacer("TYPE", typ, "INIT", init).Replace(`
		%start = OpBitcast %TYPE %in0
		OpBranch %head
		%head = OpLabel
		%i = OpPhi %u32 %u32_0 %entry %i1 %next
		%x = OpPhi %TYPE INIT %entry %y %next
		%c = OpULessThan %bool %i %u32_1000
		OpLoopMerge %end %next None
		OpBranchConditional %c %body %end
		%body = OpLabel
		` + body + `
		OpBranch %next
		%next = OpLabel
		%i1 = OpIAdd %u32 %i %u32_1
		OpBranch %head
		%end = OpLabel
		%r = OpBitcast %u32 %x
		OpStore %out0 %r
		OpReturn`)}, ops + 2
}

// chain is n instructions, each on the result of the one before.
func chain(n int, first, last, format string) string {
	var b strings.Builder
	x := first
	for i := range n {
		y := fmt.Sprintf("%%t%d", i)
		if i == n-1 {
			y = last
		}
		b.WriteString(strings.NewReplacer("DST", y, "SRC", x).Replace(format) + "\n")
		x = y
	}
	return b.String()
}

func BenchmarkKernels(b *testing.B) {
	add := func(name string, src run.Source, ops int) { benchmark(b, name, src, ops) }
	src, ops := repeated("u32", "%start", chain(16, "%x", "%y", "DST = OpIAdd %u32 SRC %in0"), 16)
	add("int add", src, ops)
	src, ops = repeated("u32", "%start", chain(8, "%x", "%y", "DST_a = OpIMul %u32 SRC %u32_1664525\nDST_b = OpBitwiseXor %u32 DST_a %in0\nDST = OpShiftRightLogical %u32 DST_b %u32_1"), 24)
	add("int mixed", src, ops)
	src, ops = repeated("f32", "%start", chain(8, "%x", "%y", "DST_a = OpFMul %f32 SRC %f32_0p5\nDST = OpFAdd %f32 DST_a %f32_1"), 16)
	add("float", src, ops)
	src, ops = repeated("u32", "%start", `
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
		%y = OpPhi %u32 %ya %yes %na %no`, 6)
	add("divergent branch", src, ops)
	src, ops = repeated("u32", "%start", chain(4, "%x", "%y", "DST_s = OpSubgroupBitcastShuffleINTEL %v2u16 SRC\nDST = OpSubgroupBitcastShuffleINTEL %u32 DST_s"), 8)
	add("bitcast shuffle", src, ops)
	src, ops = repeated("u32", "%start", chain(4, "%x", "%y", "OpStore %out0 SRC\nDST = OpLoad %u32 %in0_p"), 8)
	add("load and store", src, ops)
}

// benchmark runs a kernel on one work-group after another, on one core at a time.
func benchmark(b *testing.B, name string, src run.Source, ops int) {
	const items = 2048
	for _, subGroup := range []int{8, 16, 32} {
		b.Run(fmt.Sprintf("%s/sub-group=%d", name, subGroup), func(b *testing.B) {
			d := run.Device(b, fallback.Options{})
			p, err := d.Build(b.Context(), run.Module(b, src.Text()), device.BuildOptions{})
			if err != nil {
				b.Fatal(err)
			}
			buffer := func() device.Buffer { return run.Buffer(b, d, make([]byte, 4*items)) }
			call := &device.Dispatch{EntryPoint: "main", Global: [3]uint64{items, 1, 1}, Local: [3]uint64{256, 1, 1}, SubGroupSize: subGroup,
				Deterministic: true, Args: []device.Arg{{Index: 0, Buffer: buffer()}, {Index: 1, Buffer: buffer()}}}
			for b.Loop() {
				if _, err := p.Launch(b.Context(), call); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items/1000/float64(ops), "ns/lane-op")
		})
	}
}

// BenchmarkCopy copies a buffer, a word a lane: launches of little work each.
func BenchmarkCopy(b *testing.B) {
	const items = 1 << 18
	src := run.Source{Ins: 1, Outs: 1, Body: "OpStore %out0 %in0\nOpReturn"}
	d := run.Device(b, fallback.Options{})
	p, err := d.Build(b.Context(), run.Module(b, src.Text()), device.BuildOptions{})
	if err != nil {
		b.Fatal(err)
	}
	buffer := func() device.Buffer { return run.Buffer(b, d, make([]byte, 4*items)) }
	call := &device.Dispatch{EntryPoint: "main", Global: [3]uint64{items, 1, 1}, Local: [3]uint64{256, 1, 1}, SubGroupSize: 16,
		Deterministic: true, Args: []device.Arg{{Index: 0, Buffer: buffer()}, {Index: 1, Buffer: buffer()}}}
	b.SetBytes(8 * items)
	for b.Loop() {
		if _, err := p.Launch(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items, "ns/lane")
}
