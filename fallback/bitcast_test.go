package fallback_test

import (
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestIntegerFromFloat uses an integer that comes out of a float by a bitcast, which costs no operation, as what integers
// are used for: amounts, indices, selectors.
func TestIntegerFromFloat(t *testing.T) {
	runFlows(t, []flow{{
		name: "all uses",
		Source: run.Source{Ins: 1, Outs: 7, Body: `
			%v = OpVariable %p_Function_a8_u32 Function %null_a8_u32
			%two = OpBitwiseAnd %u32 %in0 %u32_3
			%f = OpBitcast %f32 %two
			%minus = OpFNegate %f32 %f
			%g = OpFNegate %f32 %minus
			%k = OpBitcast %u32 %g
			%b = OpUConvert %u8 %in0
			%s = OpShiftLeftLogical %u8 %b %k
			%swide = OpUConvert %u32 %s
			OpStore %out0 %swide
			%vec = OpCompositeConstruct %v4u32 %u32_10 %u32_20 %u32_30 %in0
			%e = OpVectorExtractDynamic %u32 %vec %k
			OpStore %out1 %e
			%ins = OpVectorInsertDynamic %v4u32 %vec %u32_7 %k
			%i0 = OpCompositeExtract %u32 %ins 0
			%i3 = OpCompositeExtract %u32 %ins 3
			%isum = OpIAdd %u32 %i0 %i3
			OpStore %out2 %isum
			%p = OpAccessChain %p_Function_u32 %v %k
			OpStore %p %u32_9
			%q = OpAccessChain %p_Function_u32 %v %u32_2
			%l = OpLoad %u32 %q
			OpStore %out3 %l
			%w = OpSConvert %u64 %k
			%n = OpUConvert %u32 %w
			OpStore %out4 %n
			%c = OpIEqual %bool %k %u32_2
			%cs = OpSelect %u32 %c %k %u32_5
			OpStore %out5 %cs
			OpSelectionMerge %end None
			OpSwitch %k %other 1 %one 2 %three
			%one = OpLabel
			OpBranch %end
			%three = OpLabel
			OpBranch %end
			%other = OpLabel
			OpBranch %end
			%end = OpLabel
			%r = OpPhi %u32 %u32_1 %one %k %three %u32_33 %other
			OpStore %out6 %r
			OpReturn`},
		want: func(id uint32, in []uint32) []uint32 {
			k := in[0] & 3
			vec := [4]uint32{10, 20, 30, in[0]}
			out := []uint32{uint32(uint8(in[0]) << k), vec[k], 0, 0, k, 5, 33}
			ins := vec
			ins[k] = 7
			out[2] = ins[0] + ins[3]
			switch k {
			case 1:
				out[6] = 1
			case 2:
				out[3], out[5], out[6] = 9, 2, 2
			}
			return out
		},
	}})
}
