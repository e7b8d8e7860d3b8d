package runner

import (
	"context"
	"encoding/hex"
	"testing"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

var one = Step{Global: []uint64{1}}

func with(s Step, kernel string) Step {
	s.Kernel = kernel
	return s
}

func TestBindErrors(t *testing.T) {
	add, params, shader := load(t, "add"), load(t, "params"), load(t, "shader")
	good := []string{"a=u32[4]:iota", "b=u32[4]:iota", "out=u32[4]", "n=4", "scale=1"}
	replace := func(i int, arg string) []string {
		list := append([]string{}, good...)
		list[i] = arg
		return list
	}
	for _, c := range []struct {
		name  string
		src   *Source
		step  Step
		args  []string
		class device.Class
		words []string
	}{
		{"no argument", add, one, nil, device.Usage, []string{"5 of 5 arguments of add are missing", "kernel: add", "a (argument 0): a buffer (ptr<CrossWorkgroup,u32>)", "n (argument 3): a value of type u32, 4 bytes", "try: a=u32[64]:iota"}},
		{"one missing", add, one, good[:4], device.Usage, []string{"1 of 5 arguments of add are missing", "scale (argument 4)", "try: scale=1"}},
		{"unknown name", add, one, replace(2, "uot=u32[4]"), device.Usage, []string{`add has no argument "uot"`, "out (argument 2)", "try: out"}},
		{"index too high", add, one, append(replace(0, good[0]), "5=1"), device.Usage, []string{`no argument "5"`}},
		{"given twice", add, one, append(replace(0, good[0]), "0=u32[4]"), device.Usage, []string{"a (argument 0) is given twice, as a and as 0"}},
		{"number for a buffer", add, one, replace(0, "a=7"), device.Usage, []string{"a (argument 0): it takes a buffer (ptr<CrossWorkgroup,u32>), got the number 7", "try: a=u32[64]:iota"}},
		{"buffer for a number", add, one, replace(3, "n=u32[4]:iota"), device.Usage, []string{"n (argument 3): it is of type u32 and needs 4 bytes, got an array u32[4] of 16 bytes"}},
		{"local for a number", add, one, replace(3, "n=local[4]"), device.Usage, []string{"n (argument 3): it takes a value of type u32, 4 bytes, got local memory of 4 bytes"}},
		{"structure for a number", add, one, replace(3, "n={a=1}"), device.Usage, []string{"n (argument 3): it is of type u32, got a structure of 1 fields"}},
		{"reference for a number", add, one, replace(3, "n=&a"), device.Usage, []string{"n (argument 3): it is of type u32 (4 bytes), got the buffer a"}},
		{"too large", add, one, replace(3, "n=4294967296"), device.Usage, []string{"n (argument 3)", "out of range for u32, which takes 0 to 4294967295"}},
		{"too small", add, one, replace(3, "n=-2147483649"), device.Usage, []string{"n (argument 3)", "out of range for i32"}},
		{"two numbers", add, one, replace(3, "n=1,2"), device.Usage, []string{"n (argument 3): it is of type u32 and takes 1 numbers, 2 are given"}},
		{"fraction", add, one, replace(3, "n=0.5"), device.Usage, []string{"n (argument 3)", "u32 takes integers"}},
		{"no such buffer", add, one, replace(2, "out=&x"), device.Usage, []string{`out (argument 2): there is no buffer "x"`, "try: a, b"}},
		{"self reference", add, one, replace(2, "out=&out"), device.Usage, []string{"&out leads back to itself"}},
		{"reference to a number", add, one, replace(2, "out=&n"), device.Usage, []string{"&n means n (argument 3), which is no buffer"}},
		{"offset beyond", add, one, replace(2, "out=&a+17"), device.Usage, []string{"the offset 17 is beyond the buffer a of 16 bytes"}},
		{"no global size", add, Step{}, good, device.Usage, []string{"it is not said how many work-items to run", "kernel: add", "try: --global"}},
		{"both sizes", add, Step{Global: []uint64{4}, Groups: []uint64{1}}, good, device.Usage, []string{"both the global size and the number of work-groups"}},
		{"zero", add, Step{Global: []uint64{4, 0}}, good, device.Usage, []string{"the global size 4,0 has a 0"}},
		{"groups without local", add, Step{Groups: []uint64{4}}, good, device.Usage, []string{"the number of work-groups needs a work-group size"}},
		{"overflow", add, Step{Groups: []uint64{1 << 62}, Local: []uint64{256}}, good, device.Usage, []string{"more work-items than can be counted"}},
		{"overflow of dimensions", add, Step{Global: []uint64{1 << 40, 1 << 40}}, good, device.Usage, []string{"more than can be counted"}},
		{"group too large", add, Step{Global: []uint64{512}, Local: []uint64{512}}, good, device.Unsupported, []string{"the fake device allows in dimension 0, which is 256"}},
		{"group too many", add, Step{Global: []uint64{32, 32}, Local: []uint64{32, 32}}, good, device.Unsupported, []string{"a work-group of 32,32,1 is 1024 work-items, and the fake device allows 256"}},
		{"sub-group size", add, Step{Global: []uint64{4}, SubGroupSize: 32}, good, device.Unsupported, []string{"the fake device has no sub-groups of 32 lanes; it has 8 16"}},
		{"unknown kernel", add, with(one, "ad"), good, device.Usage, []string{`has no entry point "ad"`, "try: add"}},
		{"unknown spec constant", add, Step{Global: []uint64{4}, Spec: []Spec{{"9", "1"}}}, good, device.Usage, []string{`has no specialization constant "9"`}},

		{"no kernel chosen", params, one, nil, device.Usage, []string{"6 entry points, and none is chosen", "--kernel with one of", "scalars", "sized"}},
		{"required size", params, Step{Kernel: "sized", Global: []uint64{8, 2}, Local: []uint64{4}}, []string{"0=u32[1]"}, device.Usage, []string{"the module requires the work-group size 8,2,1, not 4,1,1"}},
		{"required sub-group size", params, Step{Kernel: "sized", Global: []uint64{8, 2}, SubGroupSize: 16}, []string{"0=u32[1]"}, device.Usage, []string{"requires the sub-group size 8, not 16"}},
		{"ambiguous name", params, with(one, "twins"), []string{"same=u32[1]"}, device.Usage, []string{`2 arguments of twins are called "same"`, "try: the index"}},
		{"local missing", params, with(one, "locals"), []string{"dst=u32[1]"}, device.Usage, []string{"1 of 2 arguments", "tmp (argument 0): local[BYTES]", "try: tmp=local[256]"}},
		{"local empty", params, with(one, "locals"), []string{"dst=u32[1]", "tmp=local[0]"}, device.Usage, []string{"tmp (argument 0): it takes local memory, such as local[256]"}},
		{"buffer for local", params, with(one, "locals"), []string{"dst=u32[1]", "tmp=u32[4]"}, device.Usage, []string{"tmp (argument 0): it takes local memory", "got an array u32[4]"}},
		{"local too large", params, with(one, "locals"), []string{"dst=u32[1]", "tmp=local[65537]"}, device.Unsupported, []string{"65537 bytes of local memory, and the fake device has 65536"}},
		{"unknown field", params, with(one, "structs"), []string{"data=u32[1]", "more={x=1,z=2}", "params=u8[40]"}, device.Usage, []string{`more (argument 2): struct{u8,u64} has no field "z"; there are: x, y`}},
		{"missing field", params, with(one, "structs"), []string{"data=u32[1]", "more={x=1}", "params=u8[40]"}, device.Usage, []string{"the field y of type u64 is missing"}},
		{"field twice", params, with(one, "structs"), []string{"data=u32[1]", "more={x=1,0=2,y=1}", "params=u8[40]"}, device.Usage, []string{"the field x is given twice"}},
		{"field range", params, with(one, "structs"), []string{"data=u32[1]", "more={x=256,y=1}", "params=u8[40]"}, device.Usage, []string{`x: "256" is out of range for u8`}},
		{"wrong size", params, with(one, "structs"), []string{"data=u32[1]", "more={x=1,y=1}", "params=hex:00"}, device.Usage, []string{"params (argument 0): it is of type Params and needs 40 bytes, got an array u8[1] of 1 byte"}},
		{"number for a pointer field", params, with(one, "structs"), []string{"data=u32[1]", "more={x=1,y=1}", "params={n=1,scale=1,src=5,table=[1,2,3],inner={x=1,y=1}}"}, device.Usage, []string{"src: it is a pointer (ptr<CrossWorkgroup,u32>) and needs &NAME or null, got the number 5"}},
		{"nested field", params, with(one, "structs"), []string{"data=u32[1]", "more={x=1,y=1}", "params={n=1,scale=1,src=null,table=[1,2],inner={x=1,y=1}}"}, device.Usage, []string{"table: it is of type [3]u16 and takes 3 numbers, 2 are given"}},
		{"spec constant range", params, Step{Kernel: "twins", Global: []uint64{1}, Spec: []Spec{{"flag", "2"}}}, []string{"0=u32[1]", "1=u32[1]"}, device.Usage, []string{"specialization constant flag of type bool", "is no bool"}},
		{"spec constant twice", params, Step{Kernel: "twins", Global: []uint64{1}, Spec: []Spec{{"block_size", "2"}, {"3", "2"}}}, []string{"0=u32[1]", "1=u32[1]"}, device.Usage, []string{"specialization constant 3 is given twice"}},

		{"shader without arguments", shader, one, nil, device.Usage, []string{"global size 1,1,1 is no multiple of the work-group size 64,1,1"}},
		{"shader arguments", shader, Step{Groups: []uint64{1}}, nil, device.Usage, []string{"4 of 4 arguments of main are missing", "binding 0.0 (src): a buffer for struct{[]u32}", "binding 1.0 (params)", "the push constants (push): a value of type struct{i32,v3f32}, 28 bytes", "try: 0.0=u32[64]:iota"}},
		{"small uniform", shader, Step{Groups: []uint64{1}}, []string{"0.0=u32[4]", "0.1=u32[4]", "1.0=u32[1]", "push={offset=1,dir=[1,2,3]}"}, device.Usage, []string{"binding 1.0 (params): the block Params needs 8 bytes, got 4"}},
		{"unknown binding", shader, Step{Groups: []uint64{1}}, []string{"0.2=u32[4]"}, device.Usage, []string{`main has no argument "0.2"`, "binding 0.1 (dst)"}},
		{"shader offset", shader, Step{Groups: []uint64{1}, GlobalOffset: []uint64{1}}, nil, device.Usage, []string{"a compute shader has no global offset"}},
		{"signed push", shader, Step{Groups: []uint64{1}}, []string{"0.0=u32[4]", "0.1=u32[4]", "1.0={scale=1,count=-1}", "push={offset=1,dir=[1,2,3]}"}, device.Usage, []string{`count: "-1" is out of range for u32`}},
	} {
		dev := newFake()
		_, err := Run(context.Background(), dev, c.src, launchOf(t, c.step, c.args...), Options{})
		wantError(t, c.name, err, c.class, c.words...)
		if dev.builds != 0 {
			t.Errorf("%s: the module was built before the arguments were checked", c.name)
		}
	}
}

// bound binds a launch and returns the arguments of its step.
func bound(t *testing.T, src *Source, step Step, args ...string) *planStep {
	t.Helper()
	p, err := makePlan(&newFake().facts, src, launchOf(t, step, args...), 0)
	if err != nil {
		t.Fatal(err)
	}
	return &p.steps[0]
}

// The expected bytes follow from the types' sizes and alignments in OpenCL C, and from the offsets written in the shader.
func TestValuesByType(t *testing.T) {
	params := load(t, "params")
	s := bound(t, params, with(one, "scalars"), "i8=-1", "i16=0x8000", "i32=4000000000", "i64=-2", "f16=1.5", "f32=0x3f800000", "f64=-inf", "v3=1,2,3", "v4=7")
	for i, want := range []string{"ff", "0080", "00286bee", "feffffffffffffff", "003e", "0000803f", "000000000000f0ff", "0000803f000000400000404000000000", "0700070007000700"} {
		if got := hex.EncodeToString(s.dispatch.Args[i].Value); got != want {
			t.Errorf("argument %d: %s, want %s", i, got, want)
		}
	}
	s = bound(t, params, with(one, "scalars"), "0=u8:255", "1=hex:0102", "2=i32:-1", "3=0", "4=0", "5=0", "6=0", "7=v3f32:1,2,3", "8=u16[4]:1,2,3,4")
	for i, want := range map[int]string{0: "ff", 1: "0102", 2: "ffffffff", 7: "0000803f000000400000404000000000", 8: "0100020003000400"} {
		if got := hex.EncodeToString(s.dispatch.Args[i].Value); got != want {
			t.Errorf("typed argument %d: %s, want %s", i, got, want)
		}
	}

	// Params: u32 n at 0, f32 scale at 4, pointer at 8, u16[3] at 16, Inner {u8 at 0, u64 at 8} at 24, 40 bytes.
	s = bound(t, params, with(one, "structs"), "params={n=1,scale=0.5,src=&data+4,table=[1,2,3],inner={0=9,y=-1}}", "data=u32[4]:iota", "more=hex:01000000000000000200000000000000")
	a := s.dispatch.Args[0]
	if got, want := hex.EncodeToString(a.Value), "01000000"+"0000003f"+"0000000000000000"+"010002000300"+"0000"+"0900000000000000"+"ffffffffffffffff"; got != want {
		t.Errorf("structure:\n%s, want\n%s", got, want)
	}
	if len(a.Pointers) != 1 || a.Pointers[0].At != 8 || a.Pointers[0].Offset != 4 || s.args[0].pointers[0] != s.args[1].buffer {
		t.Errorf("pointers %+v of buffers %v", a.Pointers, s.args[0].pointers)
	}

	s = bound(t, load(t, "shader"), Step{Groups: []uint64{2}, Spec: []Spec{{"x", "32"}}}, "src=u32[4]:iota", "0.1=&0.0", "1.0={scale=2,count=7}", "push={offset=-5,dir=[1,2,3]}")
	if s.dispatch.Local != [3]uint64{32, 1, 1} || s.dispatch.Global != [3]uint64{64, 1, 1} {
		t.Errorf("sizes %v %v", s.dispatch.Local, s.dispatch.Global)
	}
	if len(s.spec) != 1 || s.spec[0] != (device.SpecValue{ID: 0, Bits: 32}) {
		t.Errorf("specialization %v", s.spec)
	}
	for i, a := range s.dispatch.Args {
		switch {
		case a.Slot == device.SlotPush:
			if got, want := hex.EncodeToString(a.Value), "fbffffff"+"000000000000000000000000"+"0000803f0000004000004040"; got != want {
				t.Errorf("push constants %s, want %s", got, want)
			}
		case a.Set == 1 && a.Bind != 0, a.Set > 1:
			t.Errorf("argument %d: %+v", i, a)
		}
	}
	if s.args[0].buffer != s.args[1].buffer {
		t.Error("0.1=&0.0 is another buffer")
	}
}

func TestGeometry(t *testing.T) {
	add, params := load(t, "add"), load(t, "params")
	args := []string{"a=u32[4]", "b=u32[4]", "out=u32[4]", "n=4", "scale=1"}
	for _, c := range []struct {
		name          string
		src           *Source
		step          Step
		global, local [3]uint64
		sub           int
	}{
		{"the device chooses", add, Step{Global: []uint64{100}}, [3]uint64{100, 1, 1}, [3]uint64{}, 0},
		{"all given", add, Step{Global: []uint64{100, 2}, Local: []uint64{16}, SubGroupSize: 8}, [3]uint64{100, 2, 1}, [3]uint64{16, 1, 1}, 8},
		{"groups", add, Step{Groups: []uint64{3, 2}, Local: []uint64{16, 4}}, [3]uint64{48, 8, 1}, [3]uint64{16, 4, 1}, 0},
		{"required", params, Step{Kernel: "sized", Groups: []uint64{3}}, [3]uint64{24, 2, 1}, [3]uint64{8, 2, 1}, 8},
	} {
		list := args
		if c.src == params {
			list = []string{"0=u32[4]"}
		}
		d := bound(t, c.src, c.step, list...).dispatch
		if d.Global != c.global || d.Local != c.local || d.SubGroupSize != c.sub {
			t.Errorf("%s: global %v, local %v, sub-group %d", c.name, d.Global, d.Local, d.SubGroupSize)
		}
	}
}

func TestEntryPoints(t *testing.T) {
	params := load(t, "params")
	for kernel, want := range map[string]string{"ns::mangled": "_ZN2ns7mangledEPj", "_ZN2ns7mangledEPj": "_ZN2ns7mangledEPj", "twins": "twins"} {
		e, err := findEntry(params, kernel)
		if err != nil || e.Name != want {
			t.Errorf("%s: %v, %v", kernel, e, err)
		}
	}
	for in, want := range map[string]string{"_Z3addPfS_": "add", "_ZN2ns3addEv": "ns::add", "_ZTS3Foo": "Foo", "_ZTSN1a1bE": "a::b", "_Z": "_Z", "_Z9add": "_Z9add",
		"_ZN3fooIfE": "_ZN3fooIfE", "main": "main", "_Z99999999999999999999x": "_Z99999999999999999999x", "_Z0x": "_Z0x"} {
		if got := demangle(in); got != want {
			t.Errorf("demangle(%s) = %s, want %s", in, got, want)
		}
	}
}

// A parameter without OpName goes by what the text calls it; a binary has the index only.
func TestNamesFromText(t *testing.T) {
	src := load(t, "add")
	s := bound(t, src, one, "a=u32[1]", "b=u32[1]", "out=u32[1]", "n=1", "scale=3")
	if s.dispatch.Args[4].Name != "scale" {
		t.Errorf("argument 4 is called %s", s.dispatch.Args[4].Name)
	}
	data, err := src.Binary.Encode()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := NewSource("add.spv", data)
	if err != nil {
		t.Fatal(err)
	}
	s = bound(t, bin, one, "a=u32[1]", "b=u32[1]", "out=u32[1]", "n=1", "4=3")
	if s.dispatch.Args[4].Name != "4" {
		t.Errorf("argument 4 of the binary is called %s", s.dispatch.Args[4].Name)
	}
}

func TestMemoryBudget(t *testing.T) {
	dev := newFake()
	l := launchOf(t, one, "a=u32[64]", "b=u32[64]", "out=u32[64]", "n=4", "scale=1")
	_, err := Run(context.Background(), dev, load(t, "add"), l, Options{Memory: 700})
	wantError(t, "budget", err, device.Usage, "the buffers need 768 bytes together, and the memory budget is 700")
	dev.facts.MaxBufferBytes = 100
	_, err = Run(context.Background(), dev, load(t, "add"), l, Options{})
	wantError(t, "device limit", err, device.Unsupported, "buffer a needs 256 bytes, and the fake device allows 100 in one buffer")
}

func TestParseArgument(t *testing.T) {
	for text, words := range map[string]string{
		"novalue":   `"novalue" is no argument`,
		"=1":        "is no argument",
		"x=u32[4":   "argument x: [ without ]",
		"x=foo":     `argument x: "foo" is no value`,
		"x=image(1": "not supported yet: images",
	} {
		_, err := ParseArgument(text, &value.Parser{})
		wantError(t, text, err, device.Usage, words)
	}
	if _, err := ParseSpec("3"); err == nil {
		t.Error("3 sets no specialization constant")
	}
	if s, err := ParseSpec("block=64"); err != nil || s != (Spec{"block", "64"}) {
		t.Errorf("block=64: %v, %v", s, err)
	}
}

// What cannot be passed yet is refused by name, whatever is given for it.
func TestNotSupportedArguments(t *testing.T) {
	for name, c := range map[string]struct{ text, arg, words string }{
		"image": {`
OpCapability Addresses
OpCapability Kernel
OpCapability ImageBasic
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
OpName %img "img"
%void = OpTypeVoid
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%fn = OpTypeFunction %void %image
%k = OpFunction %void None %fn
%img = OpFunctionParameter %image
%l = OpLabel
OpReturn
OpFunctionEnd`, "img=hex:00", "img (argument 0) is of type image2D: not supported yet: images and samplers"},
		"descriptors": {`
; SPIR-V
; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 3
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%block = OpTypeStruct %uint
%list = OpTypeArray %block %two
%ptr = OpTypePointer Uniform %list
%uptr = OpTypePointer Uniform %uint
%v = OpVariable %ptr Uniform
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpAccessChain %uptr %v %two %two
OpReturn
OpFunctionEnd`, "0.3=u32[4]", "binding 0.3 is an array of descriptors: not supported yet"},
	} {
		src, err := ParseSource(name, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, err = Run(context.Background(), newFake(), src, launchOf(t, one, c.arg), Options{})
		wantError(t, name, err, device.Module, c.words)
	}
	fragment := `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd`
	src, err := NewSource("fragment", []byte(fragment))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(context.Background(), newFake(), src, launchOf(t, one), Options{})
	wantError(t, "fragment shader", err, device.Usage, "fragment has no kernel and no compute shader; its entry points are of the kinds Fragment")
}
