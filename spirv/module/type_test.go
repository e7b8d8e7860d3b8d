package module_test

import (
	"math"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

func TestTypeText(t *testing.T) {
	tests := []struct{ decl, want string }{
		{"%t = OpTypeVoid", "void"},
		{"%t = OpTypeBool", "bool"},
		{"%t = OpTypeInt 8 0", "u8"},
		{"%t = OpTypeInt 32 1", "i32"},
		{"%t = OpTypeFloat 64", "f64"},
		{"%t = OpTypeFloat 16 BFloat16KHR", "bf16"},
		{"%t = OpTypeFloat 8 Float8E4M3EXT", "f8e4m3"},
		{"%e = OpTypeInt 8 0\n%t = OpTypeVector %e 4", "v4u8"},
		{"%e = OpTypeFloat 32\n%v = OpTypeVector %e 4\n%t = OpTypeMatrix %v 3", "m3v4f32"},
		{"%e = OpTypeInt 32 0\n%n = OpConstant %e 16\n%f = OpTypeFloat 32\n%t = OpTypeArray %f %n", "[16]f32"},
		{"%e = OpTypeInt 32 0\n%len = OpSpecConstant %e 16\n%t = OpTypeArray %e %len", "[length]u32"},
		{"%e = OpTypeFloat 16\n%t = OpTypeRuntimeArray %e", "[]f16"},
		{"%e = OpTypeInt 32 0\n%t = OpTypePointer CrossWorkgroup %e", "ptr<CrossWorkgroup,u32>"},
		{"%e = OpTypeInt 32 0\n%st = OpTypeStruct %e %e\n%t = OpTypeStruct %st %e", "struct{struct{u32,u32},u32}"},
		{"%e = OpTypeInt 32 0\n%node = OpTypeStruct %e\n%t = OpTypePointer Function %node", "ptr<Function,Node>"},
		{"%v = OpTypeVoid\n%e = OpTypeInt 32 0\n%t = OpTypeFunction %v %e %e", "func(u32,u32)void"},
		{"%t = OpTypeSampler", "sampler"},
		{"%v = OpTypeVoid\n%t = OpTypeImage %v 2D 0 0 0 0 Unknown ReadOnly", "image2D"},
		// A pointer type that leads back to itself.
		{"OpTypeForwardPointer %t CrossWorkgroup\n%st = OpTypeStruct %t\n%t = OpTypePointer CrossWorkgroup %st", "ptr<CrossWorkgroup,struct{ptr<CrossWorkgroup,struct{ptr<CrossWorkgroup,struct{ptr<CrossWorkgroup,struct{ptr<CrossWorkgroup,%2>}>}>}>}>"},
	}
	for _, test := range tests {
		m := load(t, shaderHead+"OpName %len \"length\"\nOpName %node \"Node\"\n"+test.decl)
		got := m.TypeOrder[len(m.TypeOrder)-1].String()
		if i := len(got); i > 60 && len(test.want) > 60 { // the ids in it depend on the assembler
			got, test.want = got[:60], test.want[:60]
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.decl, got, test.want)
		}
	}
}

func TestConstantText(t *testing.T) {
	m := load(t, kernelHead+`OpName %c "c"
OpName %s "s"
OpName %o "o"
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%bool = OpTypeBool
%v2 = OpTypeVector %f32 2
%st = OpTypeStruct %u32 %v2 %bool %bool
%a = OpConstant %u32 4294967295
%h = OpConstant %f32 0.5
%third = OpConstant %f32 0.333333343
%v = OpConstantComposite %v2 %h %third
%t = OpConstantTrue %bool
%z = OpConstantNull %bool
%c = OpConstantComposite %st %a %v %t %z
%s = OpSpecConstant %f32 -1e30
%o = OpSpecConstantOp %u32 IAdd %a %a
`)
	for name, want := range map[string]string{"c": "{4294967295, {0.5, 0.33333334}, true, false}", "s": "-1e+30", "o": "o"} {
		if got := m.ConstantText(named(t, m, name)); got != want {
			t.Errorf("%s prints as %q, want %q", name, got, want)
		}
	}
}

// TestScalarText checks numbers by their bits; halves by IEEE 754-2019, section 3.4: 0x3555 is 0x555/2^10 * 2^-2 + 2^-2.
func TestScalarText(t *testing.T) {
	f := func(width int, encoding uint32) *module.Type {
		return &module.Type{Kind: module.Float, Width: width, Encoding: encoding}
	}
	tests := []struct {
		typ  *module.Type
		bits uint64
		want string
	}{
		{&module.Type{Kind: module.Int, Width: 8, Signed: true}, 0x80, "-128"},
		{&module.Type{Kind: module.Int, Width: 64, Signed: true}, math.MaxUint64, "-1"},
		{&module.Type{Kind: module.Int, Width: 64}, math.MaxUint64, "18446744073709551615"},
		{f(16, 0), 0x3555, "0.33325"},
		{f(16, 0), 0x0001, "5.9605e-08"},
		{f(16, 0), 0xfc00, "-Inf"},
		{f(16, 0), 0x7e00, "NaN"},
		{f(16, uint32(spirv.FPEncodingBFloat16KHR)+1), 0x3f80, "1"},
		{f(16, uint32(spirv.FPEncodingBFloat16KHR)+1), 0xc040, "-3"},
		{f(64, 0), math.Float64bits(0.1), "0.1"},
		{f(8, uint32(spirv.FPEncodingFloat8E4M3EXT)+1), 0x38, "0x38"},
	}
	for _, test := range tests {
		if got := module.ScalarText(test.typ, test.bits); got != test.want {
			t.Errorf("%v 0x%x prints as %q, want %q", test.typ, test.bits, got, test.want)
		}
	}
}
