package runner

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
	"github.com/sgrun/sgrun/spirv"
)

var addArgs = []string{"a=u32[4]:1,2,3,4", "b=u32[4]:10,20,30,40", "out=u32[4]", "n=4", "scale=2"}

func TestRun(t *testing.T) {
	dev := newFake()
	res, err := Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := res.Buffer("out")
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Final.String(); got != "u32[4]:21,42,63,84" || !out.Changed || out.Initial.String() != "u32[4]:0,0,0,0" {
		t.Errorf("out: %s, changed %v, before %v", got, out.Changed, out.Initial)
	}
	if byIndex, err := res.Buffer("2"); err != nil || byIndex != out {
		t.Errorf("by index: %v %v", byIndex, err)
	}
	if a, err := res.Buffer("a"); err != nil || a.Changed {
		t.Errorf("a: %v %v", a, err)
	}
	_, err = res.Buffer("ot")
	wantError(t, "wrong name", err, device.Usage, `there is no buffer "ot"`, "try: out")
	if res.Steps[0].Log != "fake log" || res.Steps[0].Report.SubGroupSize != 8 || ExitStatus(res.Err()) != 0 {
		t.Errorf("step %+v, %v", res.Steps[0], res.Err())
	}
	if dev.open != 0 || dev.buffer != 0 {
		t.Errorf("%d programs and %d buffers are still open", dev.open, dev.buffer)
	}
}

// Steps run in order over the same buffers; a program is built once for each set of specialization constants and options.
func TestSteps(t *testing.T) {
	l, err := DecodeLaunch("x.json", []byte(`{
		"buffers": {"x": "u32[4]:1,2,3,4", "y": {"type": "u32", "count": 4}},
		"steps": [
			{"global": [4], "args": {"a": "&x", "b": "&x", "out": "&y", "n": 4, "scale": 1}},
			{"global": [4], "args": {"a": "&y", "b": "&x", "out": "&y", "n": 4, "scale": "0x10"}},
			{"global": [2], "args": {"a": "&y+8", "b": "&x", "out": "&y", "n": 2, "scale": 0}, "build_options": "-O0"}
		]}`), &value.Parser{})
	if err != nil {
		t.Fatal(err)
	}
	dev := newFake()
	res, err := Run(context.Background(), dev, load(t, "add"), l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// y = 2,4,6,8; then y + 16*x = 18,36,54,72; then y[0:2] = y[2:4].
	if y, err := res.Buffer("y"); err != nil || y.Final.String() != "u32[4]:54,72,54,72" {
		t.Errorf("y: %v %v", y.Final, err)
	}
	if dev.builds != 2 || len(res.Steps) != 3 {
		t.Errorf("%d builds, %d steps", dev.builds, len(res.Steps))
	}
	if _, err := res.Buffer("out"); err != nil {
		t.Errorf("out was bound to y in all steps: %v", err)
	}
	_, err = res.Buffer("a")
	wantError(t, "a in several steps", err, device.Usage, `"a" means a different buffer in different steps`)
}

func TestFault(t *testing.T) {
	dev := newFake()
	dev.kernels["add"] = func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
		binary.LittleEndian.PutUint32(words(d.Args[2], 0), 77)
		return &device.Report{}, &device.Error{Class: device.Fault, Kind: "out-of-bounds", Message: "a load is out of bounds"}
	}
	res, err := Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), Options{})
	wantError(t, "fault", err, device.Fault, "a load is out of bounds")
	if res == nil {
		t.Fatal("no result beside the fault")
	}
	if out, _ := res.Buffer("out"); out.Final.Bits(0, 0) != 77 {
		t.Errorf("out after the fault: %v", out.Final)
	}

	dev.kernels["add"] = func(context.Context, *device.Dispatch) (*device.Report, error) { panic("broken device") }
	_, err = Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), Options{})
	wantError(t, "panic", err, device.Internal, "running add failed: broken device", "stack")

	dev.kernels["add"] = func(context.Context, *device.Dispatch) (*device.Report, error) { return nil, fmt.Errorf("odd") }
	_, err = Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), Options{})
	wantError(t, "untyped", err, device.Internal, "cannot run add: odd")

	dev.buildErr = &device.Error{Class: device.Unsupported, Kind: "missing-capability", Message: "no Int64"}
	_, err = Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), Options{})
	wantError(t, "build", err, device.Unsupported, "no Int64")
	if dev.open != 0 || dev.buffer != 0 {
		t.Errorf("%d programs and %d buffers are still open", dev.open, dev.buffer)
	}
}

func TestTimeLimit(t *testing.T) {
	endless := func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
		<-ctx.Done()
		return &device.Report{}, &device.Error{Class: device.Fault, Where: []device.Place{{Key: "instruction", Value: "OpBranch"}}, Err: ctx.Err()}
	}
	dev := newFake()
	dev.kernels["add"] = endless
	l := launchOf(t, Step{Global: []uint64{4}, Timeout: 10 * time.Millisecond}, addArgs...)
	res, err := Run(context.Background(), dev, load(t, "add"), l, Options{Timeout: time.Hour})
	wantError(t, "step limit", err, device.Fault, "kernel add did not end within the time limit of 10ms", "kernel: add", "instruction: OpBranch", "--timeout")
	var de *device.Error
	if errors.As(err, &de); de.Kind != "timeout" || res == nil {
		t.Errorf("kind %q, result %v", de.Kind, res)
	}
	l.Steps[0].Timeout = 0
	_, err = Run(context.Background(), dev, load(t, "add"), l, Options{Timeout: 10 * time.Millisecond})
	wantError(t, "general limit", err, device.Fault, "time limit of 10ms")

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err = Run(ctx, dev, load(t, "add"), l, Options{})
	wantError(t, "cancelled", err, device.Fault, "kernel add was stopped: context canceled")

	// A kernel that fails for its own reason while time runs out says that reason.
	dev.kernels["add"] = func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
		<-ctx.Done()
		return nil, &device.Error{Class: device.Fault, Kind: "out-of-bounds", Message: "out of bounds"}
	}
	_, err = Run(context.Background(), dev, load(t, "add"), l, Options{Timeout: time.Millisecond})
	wantError(t, "own reason", err, device.Fault, "out of bounds")
}

func TestFindings(t *testing.T) {
	dev := newFake()
	var got *device.Dispatch
	dev.kernels["add"] = func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
		got = d
		return &device.Report{Findings: []device.Finding{{Check: "undefined", Kind: "inactive-lane", Message: "lane 3 is inactive", Instruction: "%9 = OpX"}}, MoreFindings: 4}, nil
	}
	opt := Options{Check: []string{"undefined"}, Seed: 5, Deterministic: true, MaxInstructions: 9, ReleaseExited: true}
	res, err := Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), opt)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, "findings", res.Err(), device.Fault, "5 findings, the first: lane 3 is inactive", "instruction: %9 = OpX")
	if got.Seed != 5 || !got.Deterministic || !got.ReleaseExited || got.MaxInstructions != 9 || len(got.Check) != 1 {
		t.Errorf("dispatch %+v", got)
	}
	_, err = Run(context.Background(), dev, load(t, "add"), launchOf(t, Step{Global: []uint64{4}}, addArgs...), Options{Check: []string{"undefinde"}})
	wantError(t, "unknown check", err, device.Unsupported, `cannot check "undefinde"`, "try: undefined")
}

// What arguments define is saved as named buffers, and runs again with the same result.
func TestSaveLaunch(t *testing.T) {
	dev := newFake()
	src := load(t, "add")
	l := launchOf(t, Step{Global: []uint64{300}, Local: []uint64{4}, Spec: nil}, "0=u32[300]:iota", "b=u32[300]:5", "out=u32[300]", "n=300", "scale=2")
	l.Module = "add"
	res, err := Run(context.Background(), dev, src, l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "saved.json")
	if err := res.Launch.Save(name); err != nil {
		t.Fatal(err)
	}
	again, err := LoadLaunch(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.Module != "add" || len(again.Buffers) != 3 || again.Buffers[0].Name != "a" || again.Buffers[0].Value.Fill != "iota" || again.Buffers[2].Value.Filled {
		t.Errorf("read back: %+v", again)
	}
	if fill := again.Buffers[1].Value.Fill; fill != "@saved.b.npy" {
		t.Errorf("the 300 numbers of b are kept as %q", fill)
	}
	res2, err := Run(context.Background(), dev, src, again, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := res.Buffer("out")
	b, _ := res2.Buffer("out")
	if a.Final.String() != b.Final.String() {
		t.Errorf("%v\nis not\n%v", b.Final, a.Final)
	}
	err = res.Launch.Save(filepath.Join(t.TempDir(), "no", "such", "folder.json"))
	wantError(t, "no folder", err, device.Usage, "cannot save the launch to", "cannot write")
}

func TestLoadModule(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	binary, err := load(t, "add").Binary.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := value.WriteFile(path, writer(data)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, in := range map[string]struct{ name, stdin string }{
		"binary":         {write("x.spv", string(binary)), ""},
		"no suffix":      {write("x", string(binary)), ""},
		"text":           {"testdata/modules/add.spvasm", ""},
		"catalogue":      {"add", ""},
		"standard input": {"-", string(binary)},
		"text as input":  {"-", "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\n"},
	} {
		if s, err := LoadModule(ctx, in.name, strings.NewReader(in.stdin), catalogue()); err != nil || s.Module == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		name, module, stdin string
		class               device.Class
		words               []string
	}{
		{"no name", "", "", device.Usage, []string{"no module is named", "try: a file .spv"}},
		{"near miss", "adb", "", device.Usage, []string{`there is no module "adb", neither in the catalogue nor as a file`, "try: add"}},
		{"no file", filepath.Join(dir, "no.spv"), "", device.Usage, []string{"cannot read", "no.spv", "no such file"}},
		{"folder", dir, "", device.Usage, []string{"is a folder", "try: a file .spv"}},
		{"empty", write("empty.spv", ""), "", device.Module, []string{"empty.spv is empty"}},
		{"white space", "-", " \n ", device.Module, []string{"standard input is empty"}},
		{"cut", "-", string(binary[:len(binary)-2]), device.Module, []string{"standard input", "the module may be cut"}},
		{"cut at a word", "-", string(binary[:len(binary)-4]), device.Module, []string{"not ended by OpFunctionEnd"}},
		{"wrong magic", "-", "\x00\x01\x02\x03", device.Module, []string{"the magic number is"}},
		{"syntax", "-", "OpCapability Kernel\n  OpFoo\n", device.Module, []string{"standard input:2:3:", "OpFoo"}},
		{"invalid", "-", "OpCapability Kernel\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\n", device.Module, []string{"invalid module", "Addresses"}},
		{"source", "kernel.cl", "", device.Unsupported, []string{"kernel.cl is source code", "clang and llvm-spirv"}},
	} {
		_, err := LoadModule(ctx, c.module, strings.NewReader(c.stdin), catalogue())
		wantError(t, c.name, err, c.class, c.words...)
	}
	if _, err := LoadModule(ctx, "-", nil, nil); err == nil {
		t.Error("no standard input: no error")
	}
	if _, err := readLimited(endless{}, 1000); !errors.Is(err, errTooLarge) {
		t.Errorf("endless input: %v", err)
	}
	// What the catalogue holds comes before a file of the same name.
	broken := fstest.MapFS{"x.spvasm": {Data: []byte("OpNonsense")}}
	_, err = LoadModule(ctx, "x", nil, broken)
	wantError(t, "broken catalogue", err, device.Module, "x:1:1")
}

func writer(data string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, data)
		return err
	}
}

// endless is a reader without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		errs []error
		want int
	}{
		{nil, 0},
		{[]error{nil, nil}, 0},
		{[]error{&MismatchError{"x"}}, 1},
		{[]error{&device.Error{Class: device.Usage}}, 2},
		{[]error{&device.Error{Class: device.Absent}}, 3},
		{[]error{&device.Error{Class: device.Unsupported}}, 3},
		{[]error{&device.Error{Class: device.Module}}, 4},
		{[]error{&device.Error{Class: device.Fault}}, 5},
		{[]error{&device.Error{Class: device.Internal}}, 6},
		{[]error{fmt.Errorf("plain")}, 6},
		{[]error{fmt.Errorf("wrapped: %w", &device.Error{Class: device.Module})}, 4},
		{[]error{&value.Error{Message: "x", Err: fmt.Errorf("cause")}}, 2},
		{[]error{&spirv.FormatError{}}, 4},
		{[]error{context.Canceled}, 5},
		{[]error{fmt.Errorf("wrapped: %w", context.DeadlineExceeded)}, 5},
		{[]error{errors.Join(&MismatchError{"x"}, &device.Error{Class: device.Fault})}, 5},
		{[]error{&device.Error{Class: device.Unsupported}, &MismatchError{"x"}}, 1},
	} {
		if got := ExitStatus(c.errs...); got != c.want {
			t.Errorf("%v: %d, want %d", c.errs, got, c.want)
		}
	}
}
