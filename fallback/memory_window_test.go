package fallback_test

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// TestPhysical32 runs a module with 32-bit addresses: pointers take four bytes in memory and as integers, negative indices
// wrap, every storage class is inside the window.
func TestPhysical32(t *testing.T) {
	src := run.Source{Addr32: true, Ins: 1, Outs: 3, Interface: "%w %k", Globals: `
		%init = OpConstantComposite %a4_u32 %u32_10 %u32_20 %u32_30 %u32_40
		%k = OpVariable %p_UniformConstant_a4_u32 UniformConstant %init
		%w = OpVariable %p_Workgroup_a64_u32 Workgroup
		%s = OpTypeStruct %u8 %p_CrossWorkgroup_u32`, Body: `
		%v = OpVariable %p_Function_a4_u32 Function
		%sv = OpVariable %p_Function_s Function
		%i = OpUMod %u32 %in0 %u32_4
		%vp = OpInBoundsAccessChain %p_Function_u32 %v %i
		OpStore %vp %in0
		%wp = OpInBoundsAccessChain %p_Workgroup_u32 %w %lid
		OpStore %wp %u32_7
		%kp = OpInBoundsAccessChain %p_UniformConstant_u32 %k %i
		%a = OpLoad %u32 %vp
		%b = OpLoad %u32 %wp
		%c = OpLoad %u32 %kp
		%ab = OpIAdd %u32 %a %b
		%abc = OpIAdd %u32 %ab %c
		OpStore %out0 %abc
		%spp = OpInBoundsAccessChain %p_Function_p_CrossWorkgroup_u32 %sv %u32_1
		OpStore %spp %out2
		%q = OpLoad %p_CrossWorkgroup_u32 %spp
		%back = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %q %u32_xffffffff
		OpStore %back %in0
		%spi = OpConvertPtrToU %u32 %spp
		%svi = OpConvertPtrToU %u32 %sv
		%d = OpISub %u32 %spi %svi
		OpStore %out2 %d
		OpReturn`}
	in := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	got := src.Run(t, run.Options{Items: 10, Local: 10, SubGroup: 8, In: in})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	for i, x := range in {
		if o := got.Out[3*i:]; o[0] != x+7+10*(x%4+1) || o[1] != x || o[2] != 4 {
			t.Errorf("lane %d: %v", i, o[:3])
		}
	}
}

// TestWindowFull has a module with 32-bit addresses that finds the window taken: by buffers it is given, or by others.
func TestWindowFull(t *testing.T) {
	d := run.Device(t, fallback.Options{Memory: 64 << 30})
	big := func(size uint64) device.Buffer {
		t.Helper()
		b, err := d.NewBuffer(size) // nothing is written to it, so it takes no memory
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { b.Close() })
		return b
	}
	src := run.Source{Addr32: true, Outs: 1, Body: `
		%v = OpVariable %p_Function_a8_u32 Function
		%k = OpUMod %u32 %gid %u32_8
		%p = OpInBoundsAccessChain %p_Function_u32 %v %k
		OpStore %p %gid
		%x = OpLoad %u32 %p
		OpStore %out0 %x
		OpReturn`}
	arg := func(i int, b device.Buffer) device.Arg {
		return device.Arg{Kind: device.ArgBuffer, Index: i, Buffer: b, Name: "x"}
	}
	first := big(3 << 30)
	outside := big(3 << 30)
	e := run.AsError(src.Run(t, run.Options{Device: d, Args: []device.Arg{arg(0, first), arg(1, outside)}}).Err)
	if e == nil || e.Kind != "32-bit-addresses" || !strings.Contains(e.Error(), "4 GiB") {
		t.Errorf("a buffer outside the window: %v", e)
	}
	second := big(1<<30 - 4*64<<10)
	e = run.AsError(src.Run(t, run.Options{Device: d, Args: []device.Arg{arg(0, first), arg(1, second)}}).Err)
	if e == nil || e.Kind != "out-of-memory" || !strings.Contains(e.Error(), "private memory") || !strings.Contains(e.Error(), "32-bit addresses") {
		t.Errorf("private memory outside the window: %v", e)
	}
	second.Close()
	if got := src.Run(t, run.Options{Device: d}); got.Err != nil || got.Out[63] != 63 {
		t.Errorf("with room again: %v", got.Err)
	}
	src.Addr32 = false // 64-bit addresses reach everything
	if e := src.Run(t, run.Options{Device: d, Args: []device.Arg{arg(0, first), arg(1, outside)}}).Err; e != nil {
		t.Error(e)
	}
}
