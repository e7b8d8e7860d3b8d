package fallback_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// at is a 32-, 16- or 8-bit value at a byte offset.
type at struct {
	off   int
	bytes int
	value uint64
}

func checkBytes(t *testing.T, data []byte, want []at) {
	t.Helper()
	free := map[int]bool{}
	for i := range data {
		free[i] = true
	}
	for _, w := range want {
		var b [8]byte
		copy(b[:], data[w.off:w.off+w.bytes])
		if got := binary.LittleEndian.Uint64(b[:]); got != w.value {
			t.Errorf("%d bytes at offset %d: %#x, want %#x", w.bytes, w.off, got, w.value)
		}
		for i := range w.bytes {
			delete(free, w.off+i)
		}
	}
	for i := range free {
		if data[i] != 0xEE {
			t.Errorf("byte %d belongs to nothing and was written: %#x", i, data[i])
		}
	}
}

// TestKernelLayout stores structures whole and by parts, as OpenCL C lays them out, and loads them back.
func TestKernelLayout(t *testing.T) {
	for _, c := range []struct {
		name, globals, annotate, typ string
		value                        string // constant of the type
		parts                        []string
		size                         int
		want                         []at
	}{
		{
			name: "natural", typ: "s", size: 48, value: "%val",
			globals: `
				%s = OpTypeStruct %u8 %u32 %u16 %v3u32 %u8
				%vec = OpConstantComposite %v3u32 %u32_3 %u32_4 %u32_5
				%val = OpConstantComposite %s %u8_1 %u32_2 %u16_9 %vec %u8_6`,
			parts: []string{"u8 %u8_1 0", "u32 %u32_2 1", "u16 %u16_9 2", "v3u32 %vec 3", "u8 %u8_6 4"},
			want:  []at{{0, 1, 1}, {4, 4, 2}, {8, 2, 9}, {16, 4, 3}, {20, 4, 4}, {24, 4, 5}, {32, 1, 6}},
		},
		{
			name: "packed", typ: "s", size: 24, value: "%val", annotate: "OpDecorate %s CPacked",
			globals: `
				%s = OpTypeStruct %u8 %u32 %u16 %v3u32 %u8
				%vec = OpConstantComposite %v3u32 %u32_3 %u32_4 %u32_5
				%val = OpConstantComposite %s %u8_1 %u32_2 %u16_9 %vec %u8_6`,
			parts: []string{"u8 %u8_1 0", "u32 %u32_2 1", "u16 %u16_9 2", "v3u32 %vec 3", "u8 %u8_6 4"},
			want:  []at{{0, 1, 1}, {1, 4, 2}, {5, 2, 9}, {7, 4, 3}, {11, 4, 4}, {15, 4, 5}, {23, 1, 6}},
		},
		{
			name: "array of vectors of three", typ: "a2_v3u16", size: 16, value: "%val",
			globals: `
				%x = OpConstantComposite %v3u16 %u16_1 %u16_2 %u16_3
				%y = OpConstantComposite %v3u16 %u16_4 %u16_5 %u16_6
				%val = OpConstantComposite %a2_v3u16 %x %y`,
			parts: []string{"v3u16 %x 0", "u16 %u16_4 1 0", "u16 %u16_5 1 1", "u16 %u16_6 1 2"},
			want:  []at{{0, 2, 1}, {2, 2, 2}, {4, 2, 3}, {8, 2, 4}, {10, 2, 5}, {12, 2, 6}},
		},
		{
			name: "structures in arrays in structures", typ: "outer", size: 40, value: "%val",
			globals: `
				%inner = OpTypeStruct %u8 %u64
				%arr = OpTypeArray %inner %u32_2
				%outer = OpTypeStruct %u16 %arr
				%i0 = OpConstantComposite %inner %u8_1 %u64_2
				%i1 = OpConstantComposite %inner %u8_3 %u64_4
				%pair = OpConstantComposite %arr %i0 %i1
				%val = OpConstantComposite %outer %u16_9 %pair`,
			parts: []string{"u16 %u16_9 0", "inner %i0 1 0", "u8 %u8_3 1 1 0", "u64 %u64_4 1 1 1"},
			want:  []at{{0, 2, 9}, {8, 1, 1}, {16, 8, 2}, {24, 1, 3}, {32, 8, 4}},
		},
	} {
		for _, whole := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/whole=%v", c.name, whole), func(t *testing.T) {
				body := "%p = OpBitcast %p_CrossWorkgroup_" + c.typ + " %out_buf\n"
				if whole {
					body += "OpStore %p " + c.value + "\n"
				} else {
					for i, part := range c.parts {
						f := strings.Fields(part) // type, value, indices
						indices := " %u32_" + strings.Join(f[2:], " %u32_")
						body += fmt.Sprintf("%%q%d = OpInBoundsAccessChain %%p_CrossWorkgroup_%s %%p%s\nOpStore %%q%d %s\n", i, f[0], indices, i, f[1])
					}
				}
				// The second place is filled from the first, so loading is tested by what was stored.
				body += fmt.Sprintf(`
					%%all = OpLoad %%%s %%p
					%%there = OpInBoundsPtrAccessChain %%p_CrossWorkgroup_%s %%p %%u64_1
					OpStore %%there %%all
					%%third = OpInBoundsPtrAccessChain %%p_CrossWorkgroup_%s %%p %%u64_2
					OpCopyMemory %%third %%there
					OpReturn`, c.typ, c.typ, c.typ)
				src := run.Source{Body: body, Globals: c.globals, Annotate: c.annotate}
				d := run.Device(t, fallback.Options{})
				data := make([]byte, 3*c.size)
				for i := range data {
					data[i] = 0xEE
				}
				buf := run.Buffer(t, d, data)
				got := src.Run(t, run.Options{Items: 1, Local: 1, Device: d, Args: []device.Arg{
					{Kind: device.ArgBuffer, Index: 0, Buffer: buf, Name: "in"}, {Kind: device.ArgBuffer, Index: 1, Buffer: buf, Name: "out"}}})
				if got.Err != nil {
					t.Fatal(got.Err)
				}
				if err := buf.Read(data, 0); err != nil {
					t.Fatal(err)
				}
				want := c.want
				for _, w := range c.want {
					want = append(want, at{w.off + c.size, w.bytes, w.value}, at{w.off + 2*c.size, w.bytes, w.value})
				}
				checkBytes(t, data, want)
			})
		}
	}
}

// shaderLayout copies a matrix, an array of row-major matrices and a vector of three from one block into another that has
// them elsewhere and otherwise, once whole and once by elements.
const shaderLayout = `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %src %dst %push %uni
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %A Block
OpMemberDecorate %A 0 Offset 4
OpMemberDecorate %A 1 Offset 16
OpMemberDecorate %A 1 ColMajor
OpMemberDecorate %A 1 MatrixStride 16
OpMemberDecorate %A 2 Offset 48
OpMemberDecorate %A 2 RowMajor
OpMemberDecorate %A 2 MatrixStride 8
OpDecorate %arrA ArrayStride 32
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 128
OpMemberDecorate %B 1 Offset 0
OpMemberDecorate %B 1 RowMajor
OpMemberDecorate %B 1 MatrixStride 16
OpMemberDecorate %B 2 Offset 48
OpMemberDecorate %B 2 ColMajor
OpMemberDecorate %B 2 MatrixStride 12
OpMemberDecorate %B 3 Offset 144
OpMemberDecorate %B 4 Offset 152
OpDecorate %arrB ArrayStride 40
OpDecorate %P Block
OpMemberDecorate %P 0 Offset 8
OpDecorate %U Block
OpMemberDecorate %U 0 Offset 0
OpDecorate %uarr ArrayStride 16
OpDecorate %src DescriptorSet 0
OpDecorate %src Binding 0
OpDecorate %dst DescriptorSet 0
OpDecorate %dst Binding 1
OpDecorate %uni DescriptorSet 1
OpDecorate %uni Binding 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%v3 = OpTypeVector %f32 3
%m = OpTypeMatrix %v3 2
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%arrA = OpTypeArray %m %c2
%arrB = OpTypeArray %m %c2
%uarr = OpTypeArray %u32 %c3
%A = OpTypeStruct %u32 %m %arrA
%B = OpTypeStruct %u32 %m %arrB %u32 %u32
%P = OpTypeStruct %u32
%U = OpTypeStruct %uarr
%pA = OpTypePointer StorageBuffer %A
%pB = OpTypePointer StorageBuffer %B
%pP = OpTypePointer PushConstant %P
%pU = OpTypePointer Uniform %U
%pu = OpTypePointer StorageBuffer %u32
%pf = OpTypePointer StorageBuffer %f32
%pm = OpTypePointer StorageBuffer %m
%pv = OpTypePointer StorageBuffer %v3
%ppu = OpTypePointer PushConstant %u32
%puu = OpTypePointer Uniform %u32
%src = OpVariable %pA StorageBuffer
%dst = OpVariable %pB StorageBuffer
%push = OpVariable %pP PushConstant
%uni = OpVariable %pU Uniform
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
%s0 = OpAccessChain %pu %src %c0
%x0 = OpLoad %u32 %s0
%d0 = OpAccessChain %pu %dst %c0
OpStore %d0 %x0
%s1 = OpAccessChain %pm %src %c1
%x1 = OpLoad %m %s1
%d1 = OpAccessChain %pm %dst %c1
OpStore %d1 %x1
%s2 = OpAccessChain %pm %src %c2 %c0
%x2 = OpLoad %m %s2
%d2 = OpAccessChain %pm %dst %c2 %c0
OpStore %d2 %x2
%s3 = OpAccessChain %pv %src %c2 %c1 %c0
%x3 = OpLoad %v3 %s3
%d3 = OpAccessChain %pv %dst %c2 %c1 %c0
OpStore %d3 %x3
%s4 = OpAccessChain %pf %src %c2 %c1 %c1 %c0
%x4 = OpLoad %f32 %s4
%d4 = OpAccessChain %pf %dst %c2 %c1 %c1 %c0
OpStore %d4 %x4
%s5c = OpCopyObject %pv %s3
%s5 = OpAccessChain %pv %src %c2 %c1 %c1
%s5b = OpCopyObject %pv %s5
%s6 = OpAccessChain %pf %s5b %c2
%x6 = OpLoad %f32 %s6
%d6 = OpAccessChain %pf %dst %c2 %c1 %c1 %c2
OpStore %d6 %x6
%sp = OpAccessChain %ppu %push %c0
%xp = OpLoad %u32 %sp
%dp = OpAccessChain %pu %dst %c3
OpStore %dp %xp
%su = OpAccessChain %puu %uni %c0 %c2
%xu = OpLoad %u32 %su
%du = OpAccessChain %pu %dst %c4
OpStore %du %xu
OpReturn
OpFunctionEnd`

// TestShaderLayout has explicit offsets, strides and both orders of matrices (SPIR-V 1.6, section 2.16.2 and the decorations'
// own text): element row r, column c of a column-major matrix is at c·stride + 4r, of a row-major one at r·stride + 4c.
func TestShaderLayout(t *testing.T) {
	src := make([]byte, 112)
	put := func(off int, v float32) { binary.LittleEndian.PutUint32(src[off:], math.Float32bits(v)) }
	value := func(which, r, c int) float32 { return float32(100*which + 10*r + c) }
	binary.LittleEndian.PutUint32(src[4:], 77)
	for r := range 3 {
		for c := range 2 {
			put(16+c*16+4*r, value(1, r, c))
			put(48+8*r+4*c, value(2, r, c))
			put(48+32+8*r+4*c, value(3, r, c))
		}
	}
	d := run.Device(t, fallback.Options{})
	out := make([]byte, 160)
	for i := range out {
		out[i] = 0xEE
	}
	from, to := run.Buffer(t, d, src), run.Buffer(t, d, out)
	uniform := run.Buffer(t, d, run.Words(1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0))
	p, err := d.Build(context.Background(), run.Module(t, shaderLayout), device.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	push := make([]byte, 12)
	push[8] = 5
	call := device.Dispatch{EntryPoint: "main", Global: [3]uint64{1, 1, 1}, Args: []device.Arg{
		{Slot: device.SlotBinding, Bind: 0, Buffer: from}, {Slot: device.SlotBinding, Bind: 1, Buffer: to},
		{Slot: device.SlotBinding, Set: 1, Bind: 0, Buffer: uniform}, {Slot: device.SlotPush, Kind: device.ArgValue, Value: push},
	}}
	if _, err := p.Launch(context.Background(), &call); err != nil {
		t.Fatal(err)
	}
	if err := to.Read(out, 0); err != nil {
		t.Fatal(err)
	}
	want := []at{{128, 4, 77}, {144, 4, 5}, {152, 4, 3}}
	add := func(off int, v float32) { want = append(want, at{off, 4, uint64(math.Float32bits(v))}) }
	for r := range 3 {
		for c := range 2 {
			add(r*16+4*c, value(1, r, c))
			add(48+c*12+4*r, value(2, r, c))
			if c == 0 || r != 1 {
				add(48+40+c*12+4*r, value(3, r, c))
			}
		}
	}
	checkBytes(t, out, want)

	call.Args[2].Buffer = run.Buffer(t, d, make([]byte, 47)) // three elements 16 bytes apart take 48
	if _, err := p.Launch(context.Background(), &call); run.AsError(err) == nil || run.AsError(err).Kind != "argument-size" {
		t.Errorf("a uniform buffer that is too small: %v", err)
	}
}
