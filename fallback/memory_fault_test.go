package fallback_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// A fault is a kernel that does something wrong in one lane, or in all.
type fault struct {
	name string
	run.Source
	only []run.Dialect // nil: both
	opt  run.Options
	kind string
	says []string // parts of the error's text
}

// onlyLane21 gives lane 21 (of 40 in work-groups of 20) the index INDEX and the others 0.
const onlyLane21 = `
	%bad = OpIEqual %bool %gid %u32_21
	%k = OpSelect %u32 %bad INDEX %u32_0
`

func TestMemoryFaults(t *testing.T) {
	at21 := []string{"kernel: main", "global (21,0,0), local (1,0,0), work-group (1,0,0), sub-group 0, lane 1", "word offset", "function: main"}
	lane21 := func(index, body string) string {
		return strings.Replace(onlyLane21, "INDEX", index, 1) + body + "\nOpReturn"
	}
	// The output buffer has 40 words.
	buffer := `
		%k64 = OpSConvert %u64 %k
		%p = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %out_buf %k64
		OpStore %p %u32_1`
	block := `
		%p = OpAccessChain %p_StorageBuffer_u32 %out_var %u32_0 %k
		OpStore %p %u32_1`
	read := strings.NewReplacer("OpStore %p %u32_1", "%x = OpLoad %u32 %p")
	kernels, shaders := []run.Dialect{run.Kernel}, []run.Dialect{run.Shader}
	cases := []fault{
		{name: "buffer, one element past the end", only: kernels, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: lane21("%u32_40", buffer)},
			says:   append(at21, "out-of-bounds store of 4 bytes", "OpStore", "byte offset 160 of buffer out (160 bytes)", "address: 0x")},
		{name: "buffer, one element before the start", only: kernels, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: lane21("%u32_xffffffff", read.Replace(buffer))},
			says:   append(at21, "out-of-bounds load of 4 bytes", "OpLoad", "4 bytes before buffer out (160 bytes)")},
		{name: "buffer, the last byte of the element past the end", only: kernels, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: lane21("%u32_1", `
				%k64 = OpUConvert %u64 %k
				%last = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %out_buf %u64_39
				%b = OpBitcast %p_CrossWorkgroup_u8 %last
				%b1 = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u8 %b %k64
				%p = OpBitcast %p_CrossWorkgroup_u32 %b1
				OpStore %p %u32_1 Aligned 1`)},
			says: append(at21, "byte offset 157 of buffer out (160 bytes)")},
		{name: "block, one element past the end", only: shaders, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: lane21("%u32_40", block)},
			says:   append(at21, "out-of-bounds store of 4 bytes", "byte offset 160 of buffer out (160 bytes)")},
		{name: "block, before the start", only: shaders, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: lane21("%u32_xffffffff", read.Replace(block))},
			says:   append(at21, "out-of-bounds load", "4 bytes before buffer out (160 bytes)")},
		{name: "private array, one past the end", kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Annotate: `OpName %v "table"`, Body: lane21("%u32_8", `
				%v = OpVariable %p_Function_a8_u32 Function
				%p = OpAccessChain %p_Function_u32 %v %k
				OpStore %p %u32_1`)},
			says: append(at21, "byte offset 32 of variable table (32 bytes)")},
		{name: "private array, one before the start", kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Annotate: `OpName %v "table"`, Body: lane21("%u32_xffffffff", `
				%v = OpVariable %p_Function_a8_u32 Function
				%p = OpAccessChain %p_Function_u32 %v %k
				OpStore %p %u32_1`)},
			says: append(at21, "out-of-bounds store")},
		{name: "promoted variable, a constant past the end", kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Annotate: `OpName %v "table"`, Body: `
				%v = OpVariable %p_Function_a4_u32 Function
				%p = OpAccessChain %p_Function_u32 %v %u32_4
				OpStore %p %u32_1
				OpReturn`},
			says: []string{"byte offset 16 of variable table (16 bytes)"}},
		{name: "local array, one past the end", kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Annotate: `OpName %v "shared"`, Interface: "%v", Globals: "%v = OpVariable %p_Workgroup_a8_u32 Workgroup", Body: lane21("%u32_8", `
				%p = OpAccessChain %p_Workgroup_u32 %v %k
				OpStore %p %u32_1`)},
			says: append(at21, "byte offset 32 of variable shared (32 bytes)")},
		{name: "vector component past the end of a built-in", only: kernels, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: lane21("%u32_5", `
				%n = OpFunctionCall %void %f %lid_var
				%p = OpAccessChain %p_Input_u64 %lid_var %k
				%x = OpLoad %u64 %p`), Globals: "%f_t = OpTypeFunction %void %p_Input_v3u64", Functions: `
				%f = OpFunction %void None %f_t
				%fp = OpFunctionParameter %p_Input_v3u64
				%f_entry = OpLabel
				OpReturn
				OpFunctionEnd`},
			says: append(at21, "byte offset 40 of variable")},
		{name: "null pointer", only: kernels, kind: "null-pointer",
			Source: run.Source{Outs: 1, Globals: "%null = OpConstantNull %p_CrossWorkgroup_u32", Body: lane21("%u32_0", `
				%p = OpSelect %p_CrossWorkgroup_u32 %bad %null %out0
				OpStore %p %u32_1`)},
			says: append(at21, "store of 4 bytes through a null pointer", "address: 0x0")},
		{name: "null pointer to a structure", only: kernels, kind: "null-pointer",
			Source: run.Source{Outs: 1, Globals: `
				%s = OpTypeStruct %u64 %u32
				%null = OpConstantNull %p_CrossWorkgroup_s`, Body: `
				%p = OpInBoundsAccessChain %p_CrossWorkgroup_u32 %null %u32_1
				OpStore %p %u32_1
				OpReturn`},
			says: []string{"through a null pointer", "address: 0x8"}},
		{name: "wild pointer", only: kernels, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: `
				%p = OpConvertUToPtr %p_CrossWorkgroup_u32 %u64_x123456789abcdef0
				OpStore %p %u32_1
				OpReturn`},
			says: []string{"address: 0x123456789abcdef0", "lane 0"}},
		{name: "a constant table written to", only: kernels, kind: "invalid-access",
			Source: run.Source{Outs: 1, Annotate: `OpName %v "table"`, Interface: "%v", Globals: `
				%init = OpConstantComposite %a4_u32 %u32_10 %u32_20 %u32_30 %u32_40
				%v = OpVariable %p_UniformConstant_a4_u32 UniformConstant %init`, Body: lane21("%u32_0", `
				%q = OpInBoundsAccessChain %p_UniformConstant_u32 %v %u32_3
				%i = OpConvertPtrToU %u64 %q
				%c = OpConvertUToPtr %p_CrossWorkgroup_u32 %i
				%p = OpSelect %p_CrossWorkgroup_u32 %bad %c %out0
				OpStore %p %u32_1`)},
			says: append(at21, "the memory is read-only", "byte offset 12 of variable table (16 bytes)")},
		{name: "another lane's private memory", only: kernels, kind: "invalid-access",
			Source: run.Source{Outs: 1, Annotate: `OpName %v "own"`, Interface: "%w", Globals: "%w = OpVariable %p_Workgroup_a4_u64 Workgroup", Body: `
				%v = OpVariable %p_Function_u32 Function
				OpStore %v %u32_5
				%i = OpConvertPtrToU %u64 %v
				%first = OpIEqual %bool %lid %u32_0
				%slot = OpSelect %u32 %first %u32_0 %u32_1
				%wp = OpInBoundsAccessChain %p_Workgroup_u64 %w %slot
				OpStore %wp %i
				%w0 = OpInBoundsAccessChain %p_Workgroup_u64 %w %u32_0
				%j = OpLoad %u64 %w0
				%p = OpConvertUToPtr %p_Function_u32 %j
				%x = OpLoad %u32 %p
				OpReturn`},
			says: []string{"another work-item's private memory", "lane 1", "byte offset 0 of variable own (4 bytes)"}},
		{name: "copy past the end", only: kernels, kind: "out-of-bounds",
			Source: run.Source{Outs: 1, Body: `
				%v = OpVariable %p_Function_a8_u32 Function
				%b = OpBitcast %p_Function_u8 %v
				%c = OpBitcast %p_CrossWorkgroup_u8 %out0
				OpCopyMemorySized %c %b %u64_32 Aligned 4
				OpReturn`},
			says: []string{"out-of-bounds store of 32 bytes", "OpCopyMemorySized", "global (33,0,0)", "byte offset 132 of buffer out (160 bytes)"}},
	}
	for _, c := range cases {
		dialects := c.only
		if dialects == nil {
			dialects = run.Dialects
		}
		for _, d := range dialects {
			t.Run(c.name+"/"+d.String(), func(t *testing.T) {
				c := c
				c.Dialect = d
				c.opt.Items, c.opt.Local, c.opt.In = 40, 20, []uint32{0}
				c.opt.Deterministic = true
				got := c.Run(t, c.opt)
				checkFault(t, got.Err, c.kind, c.says)
			})
		}
	}
}

func checkFault(t *testing.T, err error, kind string, says []string) {
	t.Helper()
	e := run.AsError(err)
	if e == nil || e.Class != device.Fault || e.Kind != kind {
		t.Fatalf("got %v, want a fault of kind %s", err, kind)
	}
	for _, s := range says {
		if !strings.Contains(e.Error(), s) {
			t.Errorf("the error does not say %q:\n%v", s, e)
		}
	}
}

// TestArgumentFaults goes past the end of what is bound by other means than a buffer of a kernel.
func TestArgumentFaults(t *testing.T) {
	uniform := func(d device.Device) device.Arg {
		return device.Arg{Slot: device.SlotBinding, Set: 2, Bind: 3, Name: "table", Buffer: run.Buffer(t, d, make([]byte, 64))}
	}
	for _, c := range []struct {
		name  string
		src   run.Source
		extra func(d device.Device) device.Arg
		says  []string
	}{
		{
			"local memory", run.Source{Params: "%loc = OpFunctionParameter %p_Workgroup_u32", Annotate: `OpName %loc "loc"`, Outs: 1, Body: `
				%p = OpInBoundsPtrAccessChain %p_Workgroup_u32 %loc %lid_wide
				OpStore %p %gid
				%x = OpLoad %u32 %p
				OpStore %out0 %x
				OpReturn`},
			func(device.Device) device.Arg {
				return device.Arg{Kind: device.ArgLocal, Index: 2, Local: 16, Name: "loc"}
			},
			[]string{"store of 4 bytes", "local (4,0,0)", "byte offset 16 of local memory of argument loc (16 bytes)"},
		},
		{
			"push constants", run.Source{Dialect: run.Shader, Interface: "%push", Outs: 1, Globals: `
				%arr = OpTypeArray %u32 %u32_4
				%P = OpTypeStruct %arr
				%push = OpVariable %p_PushConstant_P PushConstant`,
				Annotate: "OpDecorate %arr ArrayStride 4\nOpDecorate %P Block\nOpMemberDecorate %P 0 Offset 0", Body: `
				%p = OpAccessChain %p_PushConstant_u32 %push %u32_0 %gid
				%x = OpLoad %u32 %p
				OpStore %out0 %x
				OpReturn`},
			func(device.Device) device.Arg {
				return device.Arg{Slot: device.SlotPush, Kind: device.ArgValue, Value: make([]byte, 16), Name: "push"}
			},
			[]string{"load of 4 bytes", "global (4,0,0)", "byte offset 16 of push constants (16 bytes)"},
		},
		{
			"uniform block", run.Source{Dialect: run.Shader, Interface: "%uni", Outs: 1, Globals: `
				%arr = OpTypeArray %u32 %u32_4
				%U = OpTypeStruct %arr
				%uni = OpVariable %p_Uniform_U Uniform`,
				Annotate: "OpName %uni \"table\"\nOpDecorate %arr ArrayStride 16\nOpDecorate %U Block\nOpMemberDecorate %U 0 Offset 0\nOpDecorate %uni DescriptorSet 2\nOpDecorate %uni Binding 3",
				Body: `
				%p = OpAccessChain %p_Uniform_u32 %uni %u32_0 %gid
				%x = OpLoad %u32 %p
				OpStore %out0 %x
				OpReturn`},
			uniform, []string{"load of 4 bytes", "global (4,0,0)", "byte offset 64 of buffer table (64 bytes)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := run.Device(t, fallback.Options{})
			extra := []device.Arg{c.extra(d)}
			if got := c.src.Run(t, run.Options{Items: 4, Local: 4, Device: d, Extra: extra}); got.Err != nil {
				t.Fatal(got.Err)
			}
			checkFault(t, c.src.Run(t, run.Options{Items: 5, Local: 5, Device: d, Extra: extra}).Err, "out-of-bounds", c.says)
		})
	}
}

// TestBufferArguments has one buffer bound twice, at offsets, a null buffer, and buffers of other devices.
func TestBufferArguments(t *testing.T) {
	src := run.Source{Ins: 1, Outs: 1, Body: `
		%x = OpIAdd %u32 %in0 %u32_1
		OpStore %out0 %x
		OpReturn`}
	d := run.Device(t, fallback.Options{})
	buf := run.Buffer(t, d, run.Words(1, 2, 3, 4, 5, 6, 7, 8))
	arg := func(i int, b device.Buffer, off uint64) device.Arg {
		return device.Arg{Kind: device.ArgBuffer, Index: i, Buffer: b, Offset: off, Name: "x"}
	}
	launch := func(args ...device.Arg) error {
		return src.Run(t, run.Options{Items: 4, Local: 4, Device: d, Args: args}).Err
	}
	if err := launch(arg(0, buf, 0), arg(1, buf, 16)); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 32)
	if err := buf.Read(data, 0); err != nil {
		t.Fatal(err)
	}
	if got := run.FromWords(data); got[4] != 2 || got[7] != 5 || got[0] != 1 {
		t.Errorf("aliasing buffers: %v", got)
	}
	checkFault(t, launch(arg(0, buf, 20), arg(1, buf, 0)), "out-of-bounds", []string{"global (3,0,0)", "byte offset 32 of buffer in, also bound as out (32 bytes)"})
	checkFault(t, launch(arg(0, nil, 0), arg(1, buf, 0)), "null-pointer", []string{"load of 4 bytes"})
	if err := launch(arg(0, buf, 32), arg(1, buf, 0)); run.AsError(err) == nil || run.AsError(err).Kind != "out-of-bounds" {
		t.Errorf("offset at the end: %v", err)
	}

	other := run.Buffer(t, run.Device(t, fallback.Options{}), make([]byte, 32))
	closed := run.Buffer(t, d, make([]byte, 32))
	closed.Close()
	local := device.Arg{Kind: device.ArgLocal, Index: 0, Local: 16, Name: "x"}
	value := device.Arg{Kind: device.ArgValue, Index: 0, Value: make([]byte, 8), Name: "x"}
	for _, c := range []struct {
		kind string
		args []device.Arg
	}{
		{"foreign-buffer", []device.Arg{arg(0, other, 0), arg(1, buf, 0)}},
		{"closed-buffer", []device.Arg{arg(0, closed, 0), arg(1, buf, 0)}},
		{"buffer-range", []device.Arg{arg(0, buf, 33), arg(1, buf, 0)}},
		{"buffer-range", []device.Arg{arg(0, buf, 1<<63), arg(1, buf, 0)}},
		{"missing-argument", []device.Arg{arg(1, buf, 0)}},
		{"argument-count", []device.Arg{arg(0, buf, 0), arg(1, buf, 0), arg(2, buf, 0)}},
		{"argument-count", []device.Arg{arg(0, buf, 0), arg(-1, buf, 0)}},
		{"argument-count", []device.Arg{arg(0, buf, 0), arg(0, buf, 0), arg(1, buf, 0)}},
		{"argument-kind", []device.Arg{local, arg(1, buf, 0)}},
		{"argument-kind", []device.Arg{value, arg(1, buf, 0)}},
		{"unknown-binding", []device.Arg{{Kind: device.ArgBuffer, Slot: device.SlotBinding, Buffer: buf}, arg(0, buf, 0), arg(1, buf, 0)}},
		{"unknown-binding", []device.Arg{{Kind: device.ArgValue, Slot: device.SlotPush, Value: make([]byte, 4)}, arg(0, buf, 0), arg(1, buf, 0)}},
	} {
		e := run.AsError(launch(c.args...))
		if e == nil || e.Class != device.Usage || e.Kind != c.kind {
			t.Errorf("got %v, want a usage error of kind %s", e, c.kind)
		}
	}
	if err := closed.Read(data, 0); err == nil {
		t.Error("a closed buffer can be read")
	}
	if err := buf.Write(data, 1); err == nil {
		t.Error("33 bytes fit into 32")
	}
	if err := buf.Read(nil, 1<<63); err == nil {
		t.Error("nothing can be read far behind the end")
	}
}

// TestValueArguments passes a structure with a pointer in it, a vector and a scalar.
func TestValueArguments(t *testing.T) {
	src := run.Source{Outs: 3, Globals: `
		%s = OpTypeStruct %u8 %u32 %p_CrossWorkgroup_u32`,
		Annotate: "OpDecorate %byval FuncParamAttr ByVal\nOpName %byval \"config\"", Params: `
		%byval = OpFunctionParameter %p_Function_s
		%vec = OpFunctionParameter %v3u16
		%half = OpFunctionParameter %f16`, Body: `
		%pa = OpInBoundsAccessChain %p_Function_u8 %byval %u32_0
		%pb = OpInBoundsAccessChain %p_Function_u32 %byval %u32_1
		%pc = OpInBoundsAccessChain %p_Function_p_CrossWorkgroup_u32 %byval %u32_2
		%a = OpLoad %u8 %pa
		%b = OpLoad %u32 %pb
		%q = OpLoad %p_CrossWorkgroup_u32 %pc
		%c = OpLoad %u32 %q
		%a32 = OpUConvert %u32 %a
		%ab = OpIAdd %u32 %a32 %b
		%abg = OpIAdd %u32 %ab %gid
		OpStore %pb %abg
		%b2 = OpLoad %u32 %pb
		OpStore %out0 %b2
		OpStore %out1 %c
		%z = OpCompositeExtract %u16 %vec 2
		%h = OpBitcast %u16 %half
		%zh = OpIAdd %u16 %z %h
		%zh32 = OpUConvert %u32 %zh
		OpStore %out2 %zh32
		OpReturn`}
	d := run.Device(t, fallback.Options{})
	buf := run.Buffer(t, d, run.Words(11, 22, 33))
	s := make([]byte, 16)
	s[0] = 200
	binary.LittleEndian.PutUint32(s[4:], 1000)
	vec := []byte{1, 0, 2, 0, 3, 0, 0, 0}
	args := []device.Arg{
		{Kind: device.ArgValue, Index: 2, Value: s, Name: "config", Pointers: []device.Pointer{{At: 8, Buffer: buf, Offset: 4}}},
		{Kind: device.ArgValue, Index: 3, Value: vec, Name: "vec"},
		{Kind: device.ArgValue, Index: 4, Value: []byte{0, 0x3c}, Name: "half"},
	}
	got := src.Run(t, run.Options{Items: 5, Local: 5, Device: d, Extra: args})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	for i := range uint32(5) {
		if o := got.Out[3*i:]; o[0] != 1200+i || o[1] != 22 || o[2] != 0x3c03 {
			t.Errorf("lane %d: %v", i, o[:3])
		}
	}
	args[0].Pointers[0].At = 9
	if e := run.AsError(src.Run(t, run.Options{Items: 5, Local: 5, Device: d, Extra: args}).Err); e == nil || e.Kind != "argument-size" {
		t.Errorf("a pointer across the end of the value: %v", e)
	}
	args[0].Value = s[:12]
	if e := run.AsError(src.Run(t, run.Options{Items: 5, Local: 5, Device: d, Extra: args}).Err); e == nil || e.Kind != "argument-size" || !strings.Contains(e.Error(), "config takes 16 bytes, got 12") {
		t.Errorf("a value of the wrong size: %v", e)
	}
}
