package fallback_test

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// Barriers, atomics and group operations that no specification gives a meaning are named: when the module is checked, when
// it is built, or when they happen. None runs as something else.
func TestBadGroupInput(t *testing.T) {
	arithmetic := []string{"GroupNonUniform", "GroupNonUniformArithmetic", "GroupNonUniformClustered", "GroupNonUniformBallot", "GroupNonUniformShuffle"}
	floats := []string{"AtomicFloat32AddEXT", "AtomicFloat16AddEXT", "AtomicFloat32MinMaxEXT"}
	const word = "%at = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %in_buf %u32_0\n"
	const wide = "%base = OpBitcast %p_CrossWorkgroup_u64 %in_buf\n"
	cases := []struct {
		name, body string
		caps       []string
		globals    string
		uses       string // of the globals, what the entry point lists
		// says is in the error; kind, if any, that of the fault when it is seen at run time.
		says, kind string
		spec       []device.SpecValue
	}{
		{name: "barrier: device scope", body: "OpControlBarrier %u32_1 %u32_1 %u32_264", says: "Device"},
		{name: "barrier: unknown scope", body: "OpControlBarrier %u32_77 %u32_2 %u32_264", says: "77"},
		{name: "barrier: unknown memory scope", body: "OpControlBarrier %u32_2 %u32_77 %u32_264", says: "77"},
		{name: "barrier: scope loaded from memory", body: word + "%s = OpLoad %u32 %at\nOpControlBarrier %s %u32_2 %u32_264", says: "constant"},
		{name: "barrier: two orders at once", body: "OpControlBarrier %u32_2 %u32_2 %u32_262", says: "one order at most"},
		{name: "barrier: bits without meaning", body: "OpControlBarrier %u32_2 %u32_2 %u32_x40000108", says: "0x40000108"},
		{name: "barrier: of no memory", body: "OpMemoryBarrier %u32_77 %u32_264", says: "77"},
		{
			name: "barrier: specialized to an unknown scope", body: "OpControlBarrier %scope %u32_2 %u32_264", says: "QueueFamily",
			globals: "%scope = OpSpecConstant %u32 2", spec: []device.SpecValue{{ID: 31, Bits: 5}},
		},
		{name: "named barrier", caps: []string{"NamedBarrier"}, globals: "%nb = OpTypeNamedBarrier",
			body: "%b = OpNamedBarrierInitialize %nb %u32_4\nOpMemoryNamedBarrier %b %u32_2 %u32_264", says: "NamedBarrier"},
		{name: "atomic: float added to integers", caps: floats, body: word + "%x = OpAtomicFAddEXT %f32 %at %u32_1 %u32_0 %f32_1", says: "OpAtomicFAddEXT"},
		{name: "atomic: integers added to a float", caps: floats, body: "%f = OpBitcast %p_CrossWorkgroup_f32 %in_buf\n%x = OpAtomicIAdd %u32 %f %u32_1 %u32_0 %u32_1", says: "OpAtomicIAdd"},
		{name: "atomic: a vector", body: "%v = OpBitcast %p_CrossWorkgroup_v2u32 %in_buf\n%x = OpAtomicLoad %v2u32 %v %u32_1 %u32_0", says: "OpAtomicLoad"},
		{name: "atomic: unknown scope", body: word + "%x = OpAtomicLoad %u32 %at %u32_77 %u32_0", says: "77"},
		{name: "atomic: a flag set with an unknown scope", body: word + "%x = OpAtomicFlagTestAndSet %bool %at %u32_77 %u32_0", says: "77"},
		{name: "atomic: a flag cleared with an unknown scope", body: word + "OpAtomicFlagClear %at %u32_77 %u32_0", says: "77"},
		{name: "atomic: a load that releases", body: word + "%x = OpAtomicLoad %u32 %at %u32_1 %u32_4", says: "OpAtomicLoad"},
		{name: "atomic: a store that acquires", body: word + "OpAtomicStore %at %u32_1 %u32_2 %u32_1", says: "OpAtomicStore"},
		{name: "atomic: misaligned", kind: "misaligned-atomic", caps: []string{"Int64Atomics"},
			body: "%n = OpConvertPtrToU %u64 %in_buf\n%m = OpIAdd %u64 %n %u64_4\n%q = OpConvertUToPtr %p_CrossWorkgroup_u64 %m\n%x = OpAtomicIAdd %u64 %q %u32_1 %u32_0 %u64_1",
			says: "not a multiple of 8"},
		{name: "atomic: behind the end", kind: "out-of-bounds",
			body: "%q = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %in_buf %u32_64\n%x = OpAtomicIAdd %u32 %q %u32_1 %u32_0 %u32_1", says: "in"},
		{name: "atomic: nowhere", kind: "null-pointer",
			body: wide + "%q = OpConvertUToPtr %p_CrossWorkgroup_u32 %u64_16\n%x = OpAtomicIAdd %u32 %q %u32_1 %u32_0 %u32_1", says: "0x10"},
		{name: "atomic: a constant", uses: "%table", globals: "%table = OpVariable %p_UniformConstant_u32 UniformConstant %u32_7",
			body: "%x = OpAtomicIAdd %u32 %table %u32_1 %u32_0 %u32_1", says: "OpAtomicIAdd"},
		{name: "group: work-group scope of a non-uniform one", caps: arithmetic, body: "%x = OpGroupNonUniformIAdd %u32 %u32_2 Reduce %gid", says: "Workgroup"},
		{name: "group: device scope", caps: arithmetic, body: "%x = OpGroupNonUniformIAdd %u32 %u32_1 Reduce %gid", says: "Device"},
		{name: "group: unknown scope", caps: arithmetic, body: "%x = OpGroupNonUniformElect %bool %u32_77", says: "77"},
		{name: "group: a cluster of three", caps: arithmetic, body: "%x = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %gid %u32_3", says: "power of two"},
		{name: "group: a cluster of nothing", caps: arithmetic, body: "%x = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %gid %u32_0", says: "power of two"},
		{name: "group: a cluster larger than the sub-group", caps: arithmetic, kind: "cluster-size",
			body: "%x = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %gid %u32_32", says: "a cluster of 32 lanes in a sub-group of 8"},
		{name: "group: a cluster size from memory", caps: arithmetic, body: word + "%c = OpLoad %u32 %at\n%x = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %gid %c", says: "constant"},
		{name: "group: no cluster size", caps: arithmetic, body: "%x = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %gid", says: "ClusteredReduce needs one more operand"},
		{name: "group: floats added as integers", caps: arithmetic, body: "%f = OpConvertUToF %f32 %gid\n%x = OpGroupNonUniformIAdd %f32 %u32_3 Reduce %f", says: "OpGroupNonUniformIAdd"},
		{name: "group: a ballot of two components", caps: arithmetic, body: "%x = OpGroupNonUniformBallot %v2u32 %u32_3 %true", says: "OpGroupNonUniformBallot"},
		{name: "group: a broadcast from a lane that varies", caps: arithmetic, kind: "-",
			body: "%x = OpGroupNonUniformShuffle %u32 %u32_3 %gid %u32_99\nOpStore %out0 %x", says: ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := run.Source{Ins: 1, Outs: 1, Body: c.body + "\nOpReturn", Caps: c.caps, Globals: c.globals, Interface: c.uses}
			if len(c.spec) > 0 {
				src.Annotate = "OpDecorate %scope SpecId 31\n"
			}
			if strings.Contains(strings.Join(c.caps, " "), "AtomicFloat") {
				src.Exts = []string{"SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float16_add", "SPV_EXT_shader_atomic_float_min_max"}
			}
			m, err := run.Load(src.Text())
			var got run.Result
			if err == nil {
				got = run.Launch(t, m, &src, run.Options{Items: 16, Local: 16, SubGroup: 8, In: make([]uint32, 16), Spec: c.spec, Device: run.Device(t, fallback.Options{})})
				err = got.Err
			}
			if c.kind == "-" { // an undefined value, which is no error
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatalf("it ran: %v\n%s", got.Out, src.Text())
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error does not say %q:\n%v", c.says, err)
			}
			if c.kind != "" {
				wantError(t, err, device.Fault, c.kind)
			}
		})
	}
}
