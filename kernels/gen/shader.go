package gen

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// addShader adds the compute shaders: the bitcast shuffle in the dialect of shaders, generated, and kernels written by hand
// on what only shaders have. Arguments are named by "set.binding".
func addShader(a *All) {
	t := a.topic("shader", "compute shaders: bitcast shuffle, storage, uniform and push-constant blocks, private and work-group variables, structured control flow, signed integers")
	for i, d := range shaderDirections {
		a.shaderShuffle(t, d, i%2 == 1)
	}
	a.shaderWords(t)
	a.shaderBuiltins(t)
	a.shaderStorage(t)
	a.shaderUniform(t)
	a.shaderNumbers(t)
	a.shaderMatrices(t)
}

// shaderDirections are bitcast shuffles between types that shaders have: vectors of up to four. Integers may be signed,
// which plays no part.
var shaderDirections = []direction{
	{u32.of(1), u16.of(2)}, {u16.of(2), u32.of(1)}, {u32.of(1), u8.of(4)}, {u8.of(4), u32.of(1)},
	{u64.of(1), u16.of(4)}, {u32.of(2), u64.of(1)}, {u32.of(4), u64.of(2)}, {u64.of(2), u32.of(4)},
	{i32.of(1), i16.of(2)}, {i8.of(4), u16.of(2)}, {u8.of(2), i16.of(1)},
	{u32.of(1), i32.of(1)}, {f32.of(4), i32.of(4)},
}

const shaderHeader = `; SPIR-V
; Version: 1.6
;
; %s:
; OpSubgroupBitcastShuffleINTEL from %v to %v in a compute shader, one element an invocation.
; The specialization constant 0 is the work-group size, as %s.
; %s: changes belong there.

`

// shaderShuffle adds the shader of one direction. bySize: the work-group size is given by the mode LocalSizeId, otherwise
// by the decoration WorkgroupSize.
func (a *All) shaderShuffle(t *Topic, d direction, bySize bool) {
	name := "shader/shuffle-" + d.String()
	size := "the decoration WorkgroupSize says"
	if bySize {
		size = "the execution mode LocalSizeId says"
	}
	source := fmt.Sprintf(shaderHeader, name, d.src, d.dst, size, generatedMark) + align(shaderLines(d, bySize))
	a.Sources[name] = source
	k := a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"0.0", "0.1"},
		Effect: func(r *Rules, l *Launch) {
			l.subgroups(func(items []int) {
				for lane, x := range r.shuffle(l.operands("0.0", d.src, items), d.src, d.dst) {
					l.setElement("0.1", d.dst, items[lane], x)
				}
			})
		}})
	for _, size := range []int{8, 16, 32} {
		local := size * subGroupsPerGroup
		c := fmt.Sprintf("shuffle-%v/sg%d", d, size)
		t.Cases = append(t.Cases, &Case{Name: c, Module: name, From: shuffleFrom,
			Buffers: []*Buffer{in("in", randomBits(d.src, local*workGroups, seedOf(c))), out("out", d.dst, local*workGroups)},
			Steps: []*Step{{Kernel: k, Groups: true, Global: []int{workGroups}, Local: []int{local}, SubGroup: size,
				Spec: []Spec{{0, fmt.Sprint(local), uint64(local)}},
				Args: map[string]string{"0.0": "&in", "0.1": "&out"}}}})
	}
}

// shaderLines are the instructions of a shuffle shader.
func shaderLines(d direction, bySize bool) []string {
	var types []string
	capabilities := []string{"OpCapability Shader"}
	seen := map[string]bool{}
	declare := func(v vec) string {
		one := "%" + v.of(1).String()
		if !seen[one] && one != "%u32" {
			kind := fmt.Sprintf("OpTypeInt %d %d", v.bits, map[byte]int{'u': 0, 'i': 1}[v.kind])
			if v.kind == 'f' {
				kind = fmt.Sprintf("OpTypeFloat %d", v.bits)
			} else if v.bits != 32 {
				for _, c := range []string{fmt.Sprintf("OpCapability Int%d", v.bits), storageCapability(v.bits)} {
					if c != "" && !slices.Contains(capabilities, c) {
						capabilities = append(capabilities, c)
					}
				}
			}
			types = append(types, one+" = "+kind)
			seen[one] = true
		}
		id := "%" + v.String()
		if v.n > 1 {
			types = append(types, fmt.Sprintf("%s = OpTypeVector %s %d", id, one, v.n))
		}
		return id
	}
	src, dst := declare(d.src), declare(d.dst)
	mode := []string{}
	if bySize {
		mode = []string{"OpExecutionModeId %main LocalSizeId %size %u32_1 %u32_1"}
	}
	lines := append(capabilities,
		"OpCapability "+shuffleCapability, fmt.Sprintf("OpExtension %q", shuffleExtension),
		"OpMemoryModel Logical GLSL450",
		`OpEntryPoint GLCompute %main "main" %global_id %in %out`)
	lines = append(lines, mode...)
	lines = append(lines, "OpDecorate %size SpecId 0", "OpDecorate %global_id BuiltIn GlobalInvocationId")
	if !bySize {
		lines = append(lines, "OpDecorate %group_size BuiltIn WorkgroupSize")
	}
	for i, side := range []struct {
		name string
		typ  vec
	}{{"in", d.src}, {"out", d.dst}} {
		lines = append(lines,
			fmt.Sprintf("OpDecorate %%%s_array ArrayStride %d", side.name, side.typ.bytes()),
			fmt.Sprintf("OpDecorate %%%s_block Block", side.name),
			fmt.Sprintf("OpMemberDecorate %%%s_block 0 Offset 0", side.name),
			fmt.Sprintf("OpDecorate %%%s DescriptorSet 0", side.name),
			fmt.Sprintf("OpDecorate %%%s Binding %d", side.name, i))
	}
	lines = append(lines, "", "%void = OpTypeVoid", "%u32 = OpTypeInt 32 0", "%v3u32 = OpTypeVector %u32 3")
	lines = append(lines, types...)
	lines = append(lines, "%main_type = OpTypeFunction %void", "%size = OpSpecConstant %u32 64", "%u32_0 = OpConstant %u32 0", "%u32_1 = OpConstant %u32 1")
	if !bySize {
		lines = append(lines, "%group_size = OpSpecConstantComposite %v3u32 %size %u32_1 %u32_1")
	}
	for _, side := range [][2]string{{"in", src}, {"out", dst}} {
		lines = append(lines,
			fmt.Sprintf("%%%s_array = OpTypeRuntimeArray %s", side[0], side[1]),
			fmt.Sprintf("%%%s_block = OpTypeStruct %%%s_array", side[0], side[0]),
			fmt.Sprintf("%%ptr_%s_block = OpTypePointer StorageBuffer %%%s_block", side[0], side[0]),
			fmt.Sprintf("%%ptr_%s = OpTypePointer StorageBuffer %s", side[1][1:], side[1]),
			fmt.Sprintf("%%%s = OpVariable %%ptr_%s_block StorageBuffer", side[0], side[0]))
	}
	return append(lines, "%ptr_Input_v3u32 = OpTypePointer Input %v3u32", "%global_id = OpVariable %ptr_Input_v3u32 Input", "",
		"%main = OpFunction %void None %main_type", "%entry = OpLabel",
		"%id = OpLoad %v3u32 %global_id", "%i = OpCompositeExtract %u32 %id 0",
		fmt.Sprintf("%%at_in = OpAccessChain %%ptr_%s %%in %%u32_0 %%i", src[1:]),
		fmt.Sprintf("%%in_i = OpLoad %s %%at_in", src),
		fmt.Sprintf("%%shuffled = OpSubgroupBitcastShuffleINTEL %s %%in_i", dst),
		fmt.Sprintf("%%at_out = OpAccessChain %%ptr_%s %%out %%u32_0 %%i", dst[1:]),
		"OpStore %at_out %shuffled", "OpReturn", "OpFunctionEnd")
}

// storageCapability is what integers of that width in a storage buffer need.
func storageCapability(bits int) string {
	switch bits {
	case 8:
		return "OpCapability StorageBuffer8BitAccess"
	case 16:
		return "OpCapability StorageBuffer16BitAccess"
	}
	return ""
}

// shaderStep is a dispatch of work-groups of the shader's own size.
func shaderStep(k *Kernel, groups, local []int, subGroup int, args ...string) []*Step {
	m := map[string]string{}
	for i, name := range args {
		m[k.Params[i]] = "&" + name
	}
	return []*Step{{Kernel: k, Groups: true, Global: groups, Local: local, SubGroup: subGroup, Args: m}}
}

func (a *All) shader(name string, params []string, effect func(l *Launch)) *Kernel {
	return a.kernel(&Kernel{KernelName: KernelName{"shader/" + name, "main"}, Params: params,
		Effect: func(_ *Rules, l *Launch) { effect(l) }})
}

// shaderWords adds the shaders whose out[i] follows from in[i].
func (a *All) shaderWords(t *Topic) {
	add := func(name string, rule func(l *Launch, x uint32) uint32) *Kernel {
		return a.shader(name, []string{"0.0", "0.1"}, func(l *Launch) {
			wordEffect("0.0", "0.1", func(x uint32) (uint32, bool) { return rule(l, x), true })(nil, l)
		})
	}
	input := upTo(128, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff)
	testCase := func(name string, k *Kernel, groups, local int, spec ...Spec) {
		c := &Case{Name: name, Module: k.Module, From: handFrom,
			Buffers: []*Buffer{in("in", input), out("out", u32.of(1), 128)},
			Steps:   shaderStep(k, []int{groups}, []int{local}, 0, "in", "out")}
		c.Steps[0].Spec = spec
		t.Cases = append(t.Cases, c)
	}
	private := add("private-workgroup", func(_ *Launch, x uint32) uint32 {
		table := [4]uint32{2, 3, 5, 7}
		return (table[x%4]+x)*3 + (x ^ 0xff)
	})
	testCase("private-workgroup", private, 2, 64)
	testCase("control", add("control", func(_ *Launch, x uint32) uint32 { return shaderControl(x) }), 2, 64)

	specialized := add("specialized", func(l *Launch, x uint32) uint32 {
		factor, bonus := uint32(3), uint32(0)
		if f, ok := l.Spec[1]; ok {
			factor = uint32(f)
		}
		if l.Spec[2] != 0 {
			bonus = uint32(l.Local[0])
		}
		return x*factor + bonus
	})
	testCase("specialized/defaults", specialized, 8, 16)
	testCase("specialized/size", specialized, 4, 32, Spec{0, "32", 32}, Spec{2, "true", 1})
	testCase("specialized/factor", specialized, 8, 16, Spec{1, "0xfffffffb", 0xfffffffb})
}

func shaderControl(x uint32) uint32 {
	total := uint32(0)
	for k := uint32(0); k < 20 && k != x%23; k++ {
		if (k+x)%5 == 0 {
			continue
		}
		switch k % 4 {
		case 0:
			total++
		case 1:
			total += 110
		case 2:
			total += 100
		default:
			total += min(k*x, 200)
		}
	}
	return total
}

func (a *All) shaderBuiltins(t *Topic) {
	const row = 20
	k := a.shader("builtins", []string{"0.0"}, func(l *Launch) {
		group := l.Local[0] * l.Local[1] * l.Local[2]
		for _, w := range l.items() {
			at := ((w.group[2]*w.groups[1]+w.group[1])*w.groups[0]+w.group[0])*group + w.localLinear
			var list []int
			for _, three := range [][3]int{w.global, w.local, w.group, w.groups, l.Local} {
				list = append(list, three[:]...)
			}
			// In shaders SubgroupSize does not shrink in a partial sub-group.
			list = append(list, w.localLinear, l.SubGroup, w.subGroups, w.subGroup, w.lane)
			for c, x := range list {
				putNumber(l.Args["0.0"], u32, at*row+c, uint64(x))
			}
		}
	})
	for _, c := range []struct {
		name   string
		groups []int
		size   int
	}{{"full", []int{2, 2}, 8}, {"partial-sub-group", []int{2, 1, 2}, 16}} {
		groups := 4
		t.Cases = append(t.Cases, &Case{Name: "builtins/" + c.name, Module: k.Module,
			From:    "oracle: SPIR-V 1.6, BuiltIn, with the linear order of sub-groups that the devices here have",
			About:   fmt.Sprintf("Work-groups of 4 x 3 x 2 in sub-groups of %d.", c.size),
			Buffers: []*Buffer{out("out", u32.of(1), groups*24*row)},
			Steps:   shaderStep(k, c.groups, []int{4, 3, 2}, c.size, "out")})
	}
}

// shaderStorage: {u32 bias at 0; f32 scale at 4; {f32x3 position; u32 tag} items[] at 16, 16 bytes each}.
func (a *All) shaderStorage(t *Topic) {
	k := a.shader("storage", []string{"0.0", "0.1", "0.2"}, func(l *Launch) {
		scene := l.Args["0.0"]
		length := (len(scene) - 16) / 16
		for i := range min(length, l.Items()) {
			item := scene[16+16*i:]
			result := make([]uint64, 4)
			for c := range 3 {
				result[c] = oracle.F32.FMul(number(item, f32, c), number(scene, f32, 1))
			}
			sum := binary.LittleEndian.Uint32(item[12:]) + binary.LittleEndian.Uint32(scene) + uint32(length)
			result[3] = oracle.F32.FromUnsigned(32, uint64(sum), oracle.RTE)
			l.setElement("0.1", f32.of(4), i, result)
			putNumber(l.Args["0.2"], u32, i, uint64(length))
		}
	})
	const length = 100
	scene := newArray(u8.of(1), 16+16*length)
	copy(scene.Data, words(1000, 0x3fc00000, 0, 0).Data) // bias 1000, scale 1.5
	for i := range length {
		for c := range 3 {
			putNumber(scene.Data[16+16*i:], f32, c, anyFloat(f32, 101, 3*i+c))
		}
		putNumber(scene.Data[16+16*i:], u32, 3, splitMix64(102, uint64(i))>>40)
	}
	t.Cases = append(t.Cases, &Case{Name: "storage", Module: k.Module, From: handFrom,
		Buffers: []*Buffer{in("scene", scene), out("out", f32.of(4), length), out("lengths", u32.of(1), length)},
		Steps:   shaderStep(k, []int{2}, []int{64}, 0, "scene", "out", "lengths")})
}

// shaderUniform: {f32x4 color at 0; f32 table[4] from 16, 16 bytes apart; u32 flag at 80}, and push constants {u32 offset;
// f32 k; u32x2 pair}.
func (a *All) shaderUniform(t *Topic) {
	k := a.shader("uniform-push", []string{"0.0", "0.1", "push"}, func(l *Launch) {
		settings, push := l.Args["0.0"], l.Args["push"]
		for i := range l.Items() {
			entry := (uint32(i) + binary.LittleEndian.Uint32(push)) % 4
			product := oracle.F32.FMul(number(settings[16+16*entry:], f32, 0), number(push, f32, 1))
			sum := oracle.F32.FAdd(product, number(settings, f32, i%4))
			integers := binary.LittleEndian.Uint32(settings[80:]) + binary.LittleEndian.Uint32(push[12:])
			y := oracle.F32.FAdd(sum, oracle.F32.FromUnsigned(32, uint64(integers), oracle.RTE))
			putNumber(l.Args["0.1"], f32, i, y)
		}
	})
	// Multiples of 1/8 of moderate size: no result is rounded, with or without a fused multiply-add.
	settings := newArray(u8.of(1), 96)
	eighths := func(n uint64) uint64 {
		return oracle.F32.FDiv(oracle.F32.FromSigned(64, n, oracle.RTE), oracle.F32.FromUnsigned(64, 8, oracle.RTE))
	}
	for c := range 4 {
		putNumber(settings.Data, f32, c, eighths(uint64(3*c-5)))
		putNumber(settings.Data[16+16*c:], f32, 0, eighths(uint64(100-57*c)))
	}
	copy(settings.Data[80:], words(12345).Data)
	push := words(3, eighths(20), 77, 0xffffff00)
	c := &Case{Name: "uniform-push", Module: k.Module, From: handFrom,
		Buffers: []*Buffer{in("settings", settings), out("out", f32.of(1), 64)},
		Steps:   shaderStep(k, []int{1}, []int{64}, 0, "settings", "out")}
	c.Steps[0].Args["push"] = fmt.Sprintf("hex:%x", push.Data)
	c.Steps[0].Values = map[string][]byte{"push": push.Data}
	t.Cases = append(t.Cases, c)
}

// shaderNumbers adds the shader on signed integers, and OpQuantizeToF16.
func (a *All) shaderNumbers(t *Topic) {
	k := a.kernel(&Kernel{KernelName: KernelName{"shader/signed", "main"}, Params: []string{"0.0", "0.1"},
		Effect: func(r *Rules, l *Launch) {
			apply := func(name string, from, to elem, x ...uint64) uint64 {
				return r.apply(name, []elem{from, from}, to, x...)[0]
			}
			for i := range l.Items() {
				p := l.element("0.0", u32.of(2), i)
				x, y := p[0], p[1]
				smaller := y
				if apply("OpSLessThan", u32, boolean, x, y) == 1 {
					smaller = x
				}
				for c, result := range []uint64{
					apply("OpSDiv", u32, u32, x, y), apply("OpShiftRightArithmetic", u32, u32, x, 5), apply("OpShiftRightLogical", u32, u32, x, 5),
					apply("OpSNegate", u32, u32, x), smaller, apply("OpBitFieldSExtract", u32, u32, x, 3, 7),
					apply("OpBitFieldUExtract", u32, u32, x, 3, 7), apply("OpBitFieldInsert", u32, u32, x, y, 8, 16),
					apply("OpBitReverse", u32, u32, x), apply("OpBitCount", u32, u32, x), apply("OpConvertSToF", u32, f32, x),
					apply("OpSConvert", u16, u32, x&0xffff), apply("OpUConvert", u16, u32, x&0xffff),
				} {
					putNumber(l.Args["0.1"], u32, i*13+c, result)
				}
			}
		}})
	x, y := a.dividePair(u32)
	pairs := newArray(i32.of(2), 64)
	for i := range pairs.count {
		pairs.set(2*i, x.at(i))
		pairs.set(2*i+1, y.at(i))
	}
	t.Cases = append(t.Cases, &Case{Name: "signed", Module: k.Module, From: arithmeticFrom,
		Buffers: []*Buffer{in("pairs", pairs), out("out", u32.of(1), 64*13)},
		Steps:   shaderStep(k, []int{4}, []int{16}, 0, "pairs", "out")})

	quantize := a.shader("quantize", []string{"0.0", "0.1"}, func(l *Launch) {
		for i := range l.Items() {
			y, _ := oracle.QuantizeToF16(number(l.Args["0.0"], f32, i))
			putNumber(l.Args["0.1"], f32, i, y)
		}
	})
	// Numbers that 16 bits hold exactly, or that are far too large or too small: how others are rounded is left open.
	input := newArray(f32.of(1), 64)
	for i := range input.count {
		x := oracle.F16.FConvert(oracle.F32, anyFloat(f16, 103, i), oracle.RTE)
		list := []uint64{0, 0x80000000, 0x7f800000, 0xff800000, 0x477fe000, 0xc77fe000, 0x38800000, 0xb8800000, 0x7149f2ca, 0xf149f2ca, 0x33000000, 0xb3000000, 0x0da24260}
		if i < len(list) {
			x = list[i]
		}
		input.set(i, x)
	}
	t.Cases = append(t.Cases, &Case{Name: "quantize", Module: quantize.Module, From: "oracle: SPIR-V 1.6, OpQuantizeToF16",
		Buffers: []*Buffer{in("in", input), out("out", f32.of(1), 64)},
		Steps:   shaderStep(quantize, []int{4}, []int{16}, 0, "in", "out")})
}
