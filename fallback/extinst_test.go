package fallback_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestExtInst runs extended instructions, each in a kernel of its own or a shader, on inputs %in0, %in1, %in2 and the
// same bits as floats, %f0, %f1, %f2. Expected values are worked out by hand from the specifications; those of
// transcendental functions are the correctly rounded decimals.
func TestExtInst(t *testing.T) {
	dev := run.Device(t, fallback.Options{})
	f := func(v float64) uint32 { return math.Float32bits(float32(v)) }
	neg := func(v uint32) uint32 { return -v }
	inf, nan := f(math.Inf(1)), uint32(0x7fc00000)
	for _, c := range []struct {
		glsl bool
		code string // after the set, with the type before it; or several lines that define %r
		in   []uint32
		want uint32
	}{
		{false, "f32 sin %f0", []uint32{f(0.5)}, f(0.47942553860420300027)},
		{false, "f32 cos %f0", []uint32{f(1)}, f(0.54030230586813971740)},
		{false, "f32 exp %f0", []uint32{f(1)}, f(math.E)},
		{false, "f32 native_exp %f0", []uint32{f(1)}, f(math.E)},
		{false, "f32 half_recip %f0", []uint32{f(4)}, f(0.25)},
		{false, "f32 native_divide %f0 %f1", []uint32{f(1), f(8)}, f(0.125)},
		{false, "f32 pow %f0 %f1", []uint32{f(-2), f(3)}, f(-8)},
		{false, "f32 powr %f0 %f1", []uint32{f(-2), f(3)}, nan},
		{false, "f32 pown %f0 %in1", []uint32{f(-2), neg(2)}, f(0.25)},
		{false, "f32 rootn %f0 %in1", []uint32{f(-27), 3}, f(-3)},
		{false, "f32 fma %f0 %f1 %f2", []uint32{f(0x1.000002p0), f(0x1.000002p0), f(-0x1.000004p0)}, f(0x1p-46)},
		{false, "f32 mad %f0 %f1 %f2", []uint32{f(0x1.000002p0), f(0x1.000002p0), f(-0x1.000004p0)}, 0},
		{false, "f32 fmax %f0 %f1", []uint32{nan, f(2)}, f(2)},
		{false, "f32 fmin %f0 %f1", []uint32{f(3), f(-2)}, f(-2)},
		{false, "f32 fclamp %f0 %f1 %f2", []uint32{f(7), f(0), f(1)}, f(1)},
		{false, "f32 mix %f0 %f1 %f2", []uint32{f(2), f(4), f(0.25)}, f(2.5)},
		{false, "f32 step %f0 %f1", []uint32{f(2), f(1.5)}, 0},
		{false, "f32 smoothstep %f0 %f1 %f2", []uint32{f(0), f(2), f(1)}, f(0.5)},
		{false, "f32 sign %f0", []uint32{f(-9)}, f(-1)},
		{false, "f32 rint %f0", []uint32{f(2.5)}, f(2)},
		{false, "f32 round %f0", []uint32{f(2.5)}, f(3)},
		{false, "f32 trunc %f0", []uint32{f(-2.5)}, f(-2)},
		{false, "f32 floor %f0", []uint32{f(-2.5)}, f(-3)},
		{false, "f32 copysign %f0 %f1", []uint32{f(2), 1 << 31}, f(-2)},
		{false, "f32 fmod %f0 %f1", []uint32{f(-5), f(3)}, f(-2)},
		{false, "f32 remainder %f0 %f1", []uint32{f(5), f(3)}, f(-1)},
		{false, "f32 nextafter %f0 %f1", []uint32{1 << 31, f(1)}, 1},
		{false, "f32 nextafter %f0 %f1", []uint32{f(math.MaxFloat32), inf}, inf},
		{false, "f32 nan %in0", []uint32{5}, 0x7fc00005},
		{false, "f32 ldexp %f0 %in1", []uint32{f(1), neg(149)}, 1},
		{false, "u32 ilogb %f0", []uint32{1}, neg(149)},
		{false, "f32 logb %f0", []uint32{0}, f(math.Inf(-1))},
		{false, "f32 rsqrt %f0", []uint32{f(16)}, f(0.25)},
		{false, "f32 tgamma %f0", []uint32{f(5)}, f(24)},
		{false, "u32 s_abs %in0", []uint32{neg(4)}, 4},
		{false, "u32 u_abs_diff %in0 %in1", []uint32{1, 0xffffffff}, 0xfffffffe},
		{false, "u32 s_abs_diff %in0 %in1", []uint32{1 << 31, 1<<31 - 1}, 0xffffffff},
		{false, "u32 s_add_sat %in0 %in1", []uint32{1 << 31, neg(1)}, 1 << 31},
		{false, "u32 u_sub_sat %in0 %in1", []uint32{1, 2}, 0},
		{false, "u32 s_hadd %in0 %in1", []uint32{neg(3), 0}, neg(2)},
		{false, "u32 u_rhadd %in0 %in1", []uint32{0xffffffff, 0xfffffffe}, 0xffffffff},
		{false, "u32 s_mad_sat %in0 %in1 %in2", []uint32{1 << 16, 1 << 16, 0}, 1<<31 - 1},
		{false, "u32 s_mad_hi %in0 %in1 %in2", []uint32{1 << 31, 2, 7}, 6},
		{false, "u32 rotate %in0 %in1", []uint32{0x80000001, 33}, 3},
		{false, "u32 clz %in0", []uint32{0}, 32},
		{false, "u32 ctz %in0", []uint32{0}, 32},
		{false, "u32 popcount %in0", []uint32{0xf0f}, 8},
		{false, "u32 s_mul24 %in0 %in1", []uint32{0xffffff, 3}, neg(3)},
		{false, "u32 u_mad24 %in0 %in1 %in2", []uint32{0xff000002, 3, 1}, 7},
		{false, "u32 bitselect %in0 %in1 %in2", []uint32{0x0f0f, 0xffff, 0x00ff}, 0x0fff},
		{false, "u32 select %in0 %in1 %in2", []uint32{1, 2, 4}, 2},
		{false, "%h = OpUConvert %u16 %in0\n%l = OpUConvert %u16 %in1\n%r = OpExtInst %u32 %ext u_upsample %h %l", []uint32{1, 2}, 0x10002},
		{false, "%v = OpVariable %p_Function_f32 Function\n%s = OpExtInst %f32 %ext sincos %f0 %v\n%c = OpLoad %f32 %v\n%r = OpBitcast %u32 %c", []uint32{0}, f(1)},
		{false, "%v = OpVariable %p_Function_u32 Function\n%s = OpExtInst %f32 %ext remquo %f0 %f1 %v\n%r = OpLoad %u32 %v", []uint32{f(-11), f(4)}, neg(3)},
		{false, "%v = OpVariable %p_Function_u32 Function\n%s = OpExtInst %f32 %ext frexp %f0 %v\n%r = OpLoad %u32 %v", []uint32{f(8)}, 4},
		{false, "%x = OpCompositeConstruct %v2f32 %f0 %f1\n%s = OpExtInst %f32 %ext length %x\n%r = OpBitcast %u32 %s", []uint32{f(3e30), f(4e30)}, f(5e30)},
		{false, "%x = OpCompositeConstruct %v2u32 %in0 %in1\n%m = OpCompositeConstruct %v2u32 %u32_3 %u32_0\n%s = OpExtInst %v2u32 %ext shuffle %x %m\n%r = OpCompositeExtract %u32 %s 0", []uint32{7, 9}, 9},

		{true, "f32 Sqrt %f0", []uint32{f(2)}, f(math.Sqrt2)},
		{true, "f32 InverseSqrt %f0", []uint32{f(4)}, f(0.5)},
		{true, "f32 Atan2 %f0 %f1", []uint32{f(1), f(1)}, f(math.Pi / 4)},
		{true, "f32 RoundEven %f0", []uint32{f(3.5)}, f(4)},
		{true, "f32 Fract %f0", []uint32{f(-0.25)}, f(0.75)},
		{true, "u32 FindUMsb %in0", []uint32{0}, neg(1)},
		{true, "u32 FindSMsb %in0", []uint32{neg(2)}, 0},
		{true, "u32 FindILsb %in0", []uint32{8}, 3},
		{true, "u32 SSign %in0", []uint32{neg(5)}, neg(1)},
		{true, "u32 SClamp %in0 %in1 %in2", []uint32{neg(5), neg(1), 4}, neg(1)},
		{true, "%x = OpCompositeConstruct %v2f32 %f0 %f1\n%r = OpExtInst %u32 %ext PackHalf2x16 %x", []uint32{f(1), f(-2)}, 0xc0003c00},
		{true, "%x = OpCompositeConstruct %v2f32 %f0 %f1\n%r = OpExtInst %u32 %ext PackSnorm2x16 %x", []uint32{f(1), f(-1)}, 0x80017fff},
		{true, "%x = OpExtInst %v4f32 %ext UnpackUnorm4x8 %in0\n%y = OpCompositeExtract %f32 %x 3\n%r = OpBitcast %u32 %y", []uint32{0xff000000}, f(1)},
	} {
		t.Run(strings.ReplaceAll(c.code, "\n", ";"), func(t *testing.T) {
			s := run.Source{Ins: 3, Outs: 1}
			set := "OpenCL.std"
			if c.glsl {
				s.Dialect, set = run.Shader, "GLSL.std.450"
			}
			body := c.code
			if kind, rest, ok := strings.Cut(c.code, "32 "); ok && len(kind) == 1 {
				body = fmt.Sprintf("%%q = OpExtInst %%%s32 %%ext %s\n%%r = OpBitcast %%u32 %%q", kind, rest)
				if kind == "u" {
					body = "%r = OpExtInst %u32 %ext " + rest
				}
			}
			s.Body = "%f0 = OpBitcast %f32 %in0\n%f1 = OpBitcast %f32 %in1\n%f2 = OpBitcast %f32 %in2\n" + body + "\nOpStore %out0 %r\nOpReturn"
			text := strings.Replace(s.Text(), "OpMemoryModel", fmt.Sprintf("%%ext = OpExtInstImport %q\nOpMemoryModel", set), 1)
			in := append(append([]uint32{}, c.in...), 0, 0)[:3]
			got := run.Launch(t, run.Module(t, text), &s, run.Options{Items: 1, Local: 1, In: in, Device: dev})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			if got.Out[0] != c.want {
				t.Errorf("%#x, want %#x", got.Out[0], c.want)
			}
		})
	}
}
