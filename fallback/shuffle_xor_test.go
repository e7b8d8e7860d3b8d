package fallback_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
)

// xorType is a type that a lane's number goes into and comes out of again.
type xorType struct{ name, in, out string }

var xorTypes = []xorType{
	{"u8", "%v = OpUConvert %u8 %x", "%r = OpUConvert %u32 %taken"},
	{"u16", "%v = OpUConvert %u16 %x", "%r = OpUConvert %u32 %taken"},
	{"u32", "%v = OpCopyObject %u32 %x", "%r = OpCopyObject %u32 %taken"},
	{"u64", "%v = OpUConvert %u64 %x", "%r = OpUConvert %u32 %taken"},
	{"f16", "%v = OpConvertUToF %f16 %x", "%r = OpConvertFToU %u32 %taken"},
	{"f32", "%v = OpConvertUToF %f32 %x", "%r = OpConvertFToU %u32 %taken"},
	{"f64", "%v = OpConvertUToF %f64 %x", "%r = OpConvertFToU %u32 %taken"},
	{"v2u16", "%v = OpBitcast %v2u16 %x", "%r = OpBitcast %u32 %taken"},
	{"v4u8", "%v = OpBitcast %v4u8 %x", "%r = OpBitcast %u32 %taken"},
}

// xorSource is a kernel in which the lanes with in1 = 0 shuffle by the mask in0; the others store 7. A lane's value is 100
// plus its global id.
func xorSource(form string, t xorType, mask string) run.Source {
	op := "OpGroupNonUniformShuffleXor %" + t.name + " %u32_3 %v %mask"
	s := run.Source{Dialect: run.Kernel, Ins: 2, Outs: 1, Caps: []string{"GroupNonUniform", "GroupNonUniformShuffle"}}
	switch form {
	case "intel":
		op = "OpSubgroupShuffleXorINTEL %" + t.name + " %v %mask"
		s.Caps = []string{"SubgroupShuffleINTEL"}
	case "shader":
		s.Dialect = run.Shader
	}
	s.Body = `
		%x = OpIAdd %u32 %gid %u32_100
		` + t.in + `
		` + mask + `
		%in = OpIEqual %bool %in1 %u32_0
		OpStore %out0 %u32_7
		OpSelectionMerge %end None
		OpBranchConditional %in %then %end
		%then = OpLabel
		%taken = ` + op + `
		` + t.out + `
		OpStore %out0 %r
		OpBranch %end
		%end = OpLabel
		OpReturn`
	return s
}

// TestShuffleXorUndefined gives lanes a source that is out of range, not active or not in a partial sub-group: they get 0,
// all others what they should, and --check undefined names the lanes and nothing else. Sub-groups are of 8.
func TestShuffleXorUndefined(t *testing.T) {
	const u32Mask = "%mask = OpCopyObject %u32 %in0"
	cases := []struct {
		name   string
		mask   string // makes %mask of in0
		masks  [8]uint32
		away   [8]uint32 // in1: 1 for lanes that do not shuffle
		items  int       // in work-groups of 32
		from   [8]int    // the lane each reads; -1: none, -2: it does not shuffle
		groups uint64    // sub-groups with such lanes, where they are all alike
	}{
		{name: "all defined", mask: u32Mask, masks: [8]uint32{1, 2, 3, 4, 5, 6, 7, 0}, items: 64, from: [8]int{1, 3, 1, 7, 1, 3, 1, 7}},
		{name: "out of range", mask: u32Mask, masks: [8]uint32{1, 1, 2, 8, 2, 0xffffffff, 0x80000000, 7}, items: 64,
			from: [8]int{1, 0, 0, -1, 6, -1, -1, 0}, groups: 8},
		{name: "all out of range", mask: u32Mask, masks: [8]uint32{8, 9, 16, 32, 64, 128, 256, 1 << 20}, items: 64,
			from: [8]int{-1, -1, -1, -1, -1, -1, -1, -1}, groups: 8},
		{name: "not active", mask: u32Mask, masks: [8]uint32{1, 1, 4, 4, 1, 1, 1, 1}, away: [8]uint32{0, 0, 0, 0, 1, 1, 0, 0}, items: 64,
			from: [8]int{1, 0, 6, 7, -2, -2, 7, 6}},
		{name: "some not active", mask: u32Mask, masks: [8]uint32{1, 1, 4, 5, 1, 1, 1, 3}, away: [8]uint32{0, 1, 0, 0, 0, 1, 0, 0}, items: 64,
			from: [8]int{-1, -2, 6, 6, -1, -2, 7, 4}, groups: 8},
		{name: "alone", mask: u32Mask, masks: [8]uint32{1, 1, 1, 2, 1, 1, 1, 1}, away: [8]uint32{1, 1, 1, 0, 1, 1, 1, 1}, items: 64,
			from: [8]int{-2, -2, -2, -1, -2, -2, -2, -2}, groups: 8},
		{name: "alone with itself", mask: u32Mask, masks: [8]uint32{}, away: [8]uint32{1, 1, 1, 0, 1, 1, 1, 1}, items: 64,
			from: [8]int{-2, -2, -2, 3, -2, -2, -2, -2}},
		{name: "partial sub-group", mask: u32Mask, masks: [8]uint32{4, 4, 4, 1, 4, 4, 4, 4}, items: 5,
			from: [8]int{4, -1, -1, 2, 0}, groups: 1},
		{name: "masks of 8 bits", mask: "%mask = OpUConvert %u8 %in0", masks: [8]uint32{0x101, 1, 8, 1, 0xff, 2, 2, 2}, items: 64,
			from: [8]int{1, 0, -1, 2, -1, 7, 4, 5}, groups: 8},
		{name: "masks of 64 bits", masks: [8]uint32{1, 1, 1, 1, 0, 0, 0, 0}, items: 64, mask: `
			%wide = OpUConvert %u64 %in0
			%high = OpShiftLeftLogical %u64 %wide %u32_32
			%mask = OpBitwiseOr %u64 %high %u64_1`, from: [8]int{-1, -1, -1, -1, 5, 4, 7, 6}, groups: 8},
	}
	for _, form := range []string{"kernel", "intel", "shader"} {
		for _, c := range cases {
			if form == "intel" && c.mask != u32Mask {
				continue // the mask is a 32-bit integer there
			}
			t.Run(form+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				dev := run.Device(t, fallback.Options{})
				in := make([]uint32, 2*c.items)
				want := make([]uint32, c.items)
				var lanes []int
				for i := range c.items {
					in[2*i], in[2*i+1] = c.masks[i%8], c.away[i%8]
					switch from := c.from[i%8]; from {
					case -2:
						want[i] = 7
					case -1:
						want[i] = 0
						if i < 8 {
							lanes = append(lanes, i)
						}
					default:
						want[i] = uint32(100 + i/8*8 + from)
					}
				}
				for _, typ := range xorTypes {
					src := xorSource(form, typ, c.mask)
					text := src.Text()
					if form == "intel" {
						text = strings.Replace(text, "OpMemoryModel", "OpExtension \"SPV_INTEL_subgroups\"\nOpMemoryModel", 1)
					}
					mod := run.Module(t, text)
					for _, check := range []bool{false, true} {
						got := run.Launch(t, mod, &src, run.Options{Items: c.items, Local: min(c.items, 32), SubGroup: 8, In: in, Check: check, Device: dev})
						if got.Err != nil {
							t.Fatalf("%s: %v", typ.name, got.Err)
						}
						if !slices.Equal(got.Out, want) {
							t.Errorf("%s, check %v: %v, want %v", typ.name, check, got.Out, want)
						}
						found := fmt.Sprintf("%+v", got.Report.Findings)
						if !check || lanes == nil {
							if len(got.Report.Findings) > 0 {
								t.Errorf("%s, check %v: findings %s", typ.name, check, found)
							}
							continue
						}
						if len(got.Report.Findings) != 1 {
							t.Fatalf("%s: findings %s, want one", typ.name, found)
						}
						f := got.Report.Findings[0]
						if f.Check != "undefined" || f.Kind != "inactive-lane" || !slices.Equal(f.Lanes, lanes) || f.Count != c.groups ||
							f.SubGroup != 0 || !strings.Contains(f.Instruction, "ShuffleXor") || f.Function != "main" {
							t.Errorf("%s: finding %s, want lanes %v in %d sub-groups", typ.name, found, lanes, c.groups)
						}
					}
				}
			})
		}
	}
}
