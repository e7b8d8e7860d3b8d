package fallback_test

import (
	"testing"

	"github.com/sgrun/sgrun/fallback/internal/run"
)

// TestStorageClasses gives each lane its own way through memory of every storage class.
func TestStorageClasses(t *testing.T) {
	runFlows(t, []flow{
		{
			name: "Function: an array with an index of the lane's own",
			Source: run.Source{Ins: 2, Outs: 1, Body: `
				%v = OpVariable %p_Function_a8_u32 Function
				OpBranch %head
				%head = OpLabel
				%i = OpPhi %u32 %u32_0 %entry %i1 %next
				%c = OpULessThan %bool %i %u32_8
				OpLoopMerge %end %next None
				OpBranchConditional %c %next %end
				%next = OpLabel
				%at = OpAccessChain %p_Function_u32 %v %i
				%x = OpIMul %u32 %i %in1
				OpStore %at %x
				%i1 = OpIAdd %u32 %i %u32_1
				OpBranch %head
				%end = OpLabel
				%k = OpUMod %u32 %in0 %u32_8
				%p = OpAccessChain %p_Function_u32 %v %k
				%r = OpLoad %u32 %p
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 { return []uint32{in[0] % 8 * in[1]} },
		},
		{
			name: "Function: initial contents in each call",
			Source: run.Source{Ins: 1, Outs: 2, Globals: `
				%init = OpConstantComposite %a4_u32 %u32_1 %u32_2 %u32_3 %u32_4
				%f_t = OpTypeFunction %u32 %u32`,
				Body: `
				%r0 = OpFunctionCall %u32 %f %in0
				%r1 = OpFunctionCall %u32 %f %gid
				OpStore %out0 %r0
				OpStore %out1 %r1
				OpReturn`,
				Functions: `
				%f = OpFunction %u32 None %f_t
				%fx = OpFunctionParameter %u32
				%f_entry = OpLabel
				%v = OpVariable %p_Function_a4_u32 Function %init
				%k = OpUMod %u32 %fx %u32_4
				%p = OpAccessChain %p_Function_u32 %v %k
				%l = OpLoad %u32 %p
				OpStore %p %u32_100
				%q = OpAccessChain %p_Function_u32 %v %u32_0
				%m = OpLoad %u32 %q
				%s = OpIAdd %u32 %l %m
				OpReturnValue %s
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 {
				f := func(x uint32) uint32 {
					v := [4]uint32{1, 2, 3, 4}
					l := v[x%4]
					v[x%4] = 100
					return l + v[0]
				}
				return []uint32{f(in[0]), f(id)}
			},
		},
		{
			name: "Private: initial contents, and one variable a lane",
			only: []run.Dialect{run.Shader},
			Source: run.Source{Ins: 1, Outs: 2, Interface: "%v", Globals: `
				%init = OpConstantComposite %a4_u32 %u32_1 %u32_2 %u32_3 %u32_4
				%v = OpVariable %p_Private_a4_u32 Private %init`,
				Body: `
				%k = OpUMod %u32 %in0 %u32_4
				%p = OpAccessChain %p_Private_u32 %v %k
				%l = OpLoad %u32 %p
				%l1 = OpIAdd %u32 %l %gid
				OpStore %p %l1
				%q = OpAccessChain %p_Private_u32 %v %u32_1
				%m = OpLoad %u32 %q
				OpStore %out0 %l1
				OpStore %out1 %m
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				v := [4]uint32{1, 2, 3, 4}
				v[in[0]%4] += id
				return []uint32{v[in[0]%4], v[1]}
			},
		},
		{
			name: "Workgroup: each lane its own place",
			Source: run.Source{Ins: 1, Outs: 1, Interface: "%v", Globals: `
				%v = OpVariable %p_Workgroup_a1024_u32 Workgroup`,
				Body: `
				%p = OpAccessChain %p_Workgroup_u32 %v %lid
				OpStore %p %in0
				%rev = OpISub %u32 %u32_1023 %lid
				%q = OpAccessChain %p_Workgroup_u32 %v %rev
				%l = OpLoad %u32 %p
				%x = OpIAdd %u32 %l %u32_1
				OpStore %p %x
				%r = OpLoad %u32 %p
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 { return []uint32{in[0] + 1} },
		},
		{
			name: "UniformConstant and CrossWorkgroup: tables in the module",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 1, Outs: 2, Interface: "%v %w", Globals: `
				%init = OpConstantComposite %a4_u32 %u32_10 %u32_20 %u32_30 %u32_40
				%v = OpVariable %p_UniformConstant_a4_u32 UniformConstant %init
				%w = OpVariable %p_CrossWorkgroup_a4_u32 CrossWorkgroup %init`,
				Body: `
				%k = OpUMod %u32 %in0 %u32_4
				%p = OpInBoundsAccessChain %p_UniformConstant_u32 %v %k
				%l = OpLoad %u32 %p
				%q = OpInBoundsAccessChain %p_CrossWorkgroup_u32 %w %k
				%m = OpLoad %u32 %q
				OpStore %out0 %l
				OpStore %out1 %m
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				v := 10 * (in[0]%4 + 1)
				return []uint32{v, v}
			},
		},
		{
			name: "Generic: pointers to three storage classes through one function",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 2, Outs: 1, Caps: []string{"GenericPointer"}, Interface: "%w", Globals: `
				%w = OpVariable %p_Workgroup_a1024_u32 Workgroup
				%f_t = OpTypeFunction %u32 %p_Generic_u32 %u32`,
				Body: `
				%v = OpVariable %p_Function_u32 Function
				OpStore %v %in1
				%wp = OpInBoundsAccessChain %p_Workgroup_u32 %w %lid
				OpStore %wp %u32_7
				OpStore %out0 %u32_50
				%ga = OpPtrCastToGeneric %p_Generic_u32 %v
				%gb = OpPtrCastToGeneric %p_Generic_u32 %wp
				%gc = OpPtrCastToGeneric %p_Generic_u32 %out0
				%c1 = OpULessThan %bool %in0 %u32_3
				%c2 = OpULessThan %bool %in0 %u32_6
				%g1 = OpSelect %p_Generic_u32 %c2 %gb %gc
				%g = OpSelect %p_Generic_u32 %c1 %ga %g1
				%n = OpFunctionCall %u32 %f %g %u32_1000
				%a = OpLoad %u32 %v
				%b = OpLoad %u32 %wp
				%c = OpLoad %u32 %out0
				%s0 = OpIAdd %u32 %a %b
				%s1 = OpIAdd %u32 %s0 %c
				OpStore %out0 %s1
				OpReturn`,
				Functions: `
				%f = OpFunction %u32 None %f_t
				%fp = OpFunctionParameter %p_Generic_u32
				%fx = OpFunctionParameter %u32
				%f_entry = OpLabel
				%l = OpLoad %u32 %fp
				%m = OpIAdd %u32 %l %fx
				OpStore %fp %m
				OpReturnValue %m
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 { return []uint32{in[1] + 7 + 50 + 1000} },
		},
		{
			name: "Input: a built-in vector with an index of the lane's own, and its address taken",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 1, Outs: 2, Globals: `%f_t = OpTypeFunction %u64 %p_Input_v3u64 %u32`, Body: `
				%k = OpUMod %u32 %in0 %u32_3
				%p = OpAccessChain %p_Input_u64 %lid_var %k
				%l = OpLoad %u64 %p
				%m = OpFunctionCall %u64 %f %lid_var %k
				%l32 = OpUConvert %u32 %l
				%m32 = OpUConvert %u32 %m
				%d = OpISub %u32 %l32 %m32
				OpStore %out0 %d
				%pz = OpAccessChain %p_Input_u64 %lid_var %u32_1
				%z = OpLoad %u64 %pz
				%z32 = OpUConvert %u32 %z
				OpStore %out1 %z32
				OpReturn`,
				Functions: `
				%f = OpFunction %u64 None %f_t
				%fp = OpFunctionParameter %p_Input_v3u64
				%fk = OpFunctionParameter %u32
				%f_entry = OpLabel
				%fq = OpAccessChain %p_Input_u64 %fp %fk
				%fr = OpLoad %u64 %fq
				OpReturnValue %fr
				OpFunctionEnd`},
			want: func(id uint32, in []uint32) []uint32 { return []uint32{0, 0} },
		},
		{
			name: "a pointer in memory, compared, as an integer and back",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 1, Outs: 3, Body: `
				%v = OpVariable %p_Function_p_CrossWorkgroup_u32 Function
				%c = OpULessThan %bool %in0 %u32_3
				%q = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %out0 %u64_1
				%s = OpSelect %p_CrossWorkgroup_u32 %c %out0 %q
				OpStore %v %s
				%w = OpLoad %p_CrossWorkgroup_u32 %v
				OpStore %out0 %u32_1
				OpStore %out1 %u32_2
				%x = OpLoad %u32 %w
				%i = OpConvertPtrToU %u64 %w
				%j = OpIAdd %u64 %i %u64_4
				%k = OpConvertUToPtr %p_CrossWorkgroup_u32 %j
				%o1 = OpConvertPtrToU %u64 %out1
				%o2 = OpConvertPtrToU %u64 %out2
				%e1 = OpIEqual %bool %j %o1
				%e2 = OpIEqual %bool %j %o2
				%f1 = OpSelect %u32 %e1 %u32_10 %u32_0
				%f2 = OpSelect %u32 %e2 %u32_20 %u32_0
				%y = OpIAdd %u32 %f1 %f2
				OpStore %k %u32_9
				%d = OpIAdd %u32 %x %y
				OpStore %out0 %d
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				if in[0] < 3 {
					return []uint32{11, 9, run.Poison}
				}
				return []uint32{22, 2, 9}
			},
		},
		{
			name: "addresses that are not aligned",
			only: []run.Dialect{run.Kernel},
			Source: run.Source{Ins: 2, Outs: 2, Body: `
				%v = OpVariable %p_Function_a16_u8 Function %null_a16_u8
				%k = OpUMod %u32 %in0 %u32_8
				%p = OpInBoundsAccessChain %p_Function_u8 %v %k
				%q = OpBitcast %p_Function_u64 %p
				%wide = OpUConvert %u64 %in1
				%big = OpIMul %u64 %wide %u64_x100000001
				OpStore %q %big Aligned 1
				%p1 = OpInBoundsPtrAccessChain %p_Function_u8 %p %u64_1
				%q1 = OpBitcast %p_Function_u32 %p1
				%x = OpLoad %u32 %q1 Aligned 1
				OpStore %out0 %x
				%y = OpLoad %u64 %q Aligned 1
				%z = OpShiftRightLogical %u64 %y %u64_32
				%z32 = OpUConvert %u32 %z
				OpStore %out1 %z32
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 {
				big := uint64(in[1]) * 0x100000001
				return []uint32{uint32(big >> 8), in[1]}
			},
		},
		{
			name: "a constant index outside an array, in code that does not run",
			Source: run.Source{Ins: 1, Outs: 1, Body: `
				%v = OpVariable %p_Function_a4_u32 Function
				%never = OpUGreaterThan %bool %in0 %u32_5000
				%q = OpAccessChain %p_Function_u32 %v %u32_2
				OpStore %q %in0
				OpSelectionMerge %end None
				OpBranchConditional %never %then %end
				%then = OpLabel
				%p = OpAccessChain %p_Function_u32 %v %u32_4
				OpStore %p %in0
				OpBranch %end
				%end = OpLabel
				%r = OpLoad %u32 %q
				OpStore %out0 %r
				OpReturn`},
			want: func(id uint32, in []uint32) []uint32 { return in },
		},
	})
}

// TestLargePrivateArray has an array with more elements than a value may have scalars.
func TestLargePrivateArray(t *testing.T) {
	src := run.Source{Ins: 1, Outs: 1, Body: `
		%v = OpVariable %p_Function_a20000_u32 Function
		%k = OpIMul %u32 %in0 %u32_1500
		%p = OpAccessChain %p_Function_u32 %v %k
		OpStore %p %in0
		%r = OpLoad %u32 %p
		OpStore %out0 %r
		OpReturn`}
	for _, d := range run.Dialects {
		src.Dialect = d
		got := src.Run(t, run.Options{Items: 8, Local: 8, SubGroup: 8, In: []uint32{0, 1, 2, 3, 4, 5, 6, 7}})
		if got.Err != nil || got.Out[7] != 7 {
			t.Error(got.Err, got.Out)
		}
	}
}
