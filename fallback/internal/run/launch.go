package run

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
)

// Poison is what output buffers hold before a launch, a word.
const Poison = 0xdeadbeef

// Options say how a source is launched. The zero value runs one work-group of 64 lanes.
type Options struct {
	Items         int // lanes; 0: 64
	Local         int // work-group size; 0: 64
	SubGroup      int // 0: 16
	In            []uint32
	Check         bool // look for undefined cases
	Seed          uint64
	Deterministic bool
	ReleaseExited bool               // at barriers
	Budget        uint64             // instructions; 0: the device's
	Context       context.Context    // nil: Background
	Spec          []device.SpecValue // specialization constants
	Args          []device.Arg       // in place of the buffers; Out stays empty
	Extra         []device.Arg       // besides the buffers
	Device        device.Device      // nil: a new one of the generic profile
	Program       device.Program     // what Build made of the module; nil: built for this launch
}

func (o *Options) fill() {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	set(&o.Items, 64)
	set(&o.Local, 64)
	set(&o.SubGroup, 16)
	if o.Context == nil {
		o.Context = context.Background()
	}
}

// Result is what a launch gave.
type Result struct {
	Out    []uint32
	Report *device.Report
	Err    error
}

// Device makes a device of the generic profile that lives as long as the test.
func Device(tb testing.TB, opt fallback.Options) device.Device {
	tb.Helper()
	d, err := fallback.NewDevice("", opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

// Module assembles text, passes it through its binary form and makes the model of it. A module that is not valid fails the
// test.
func Module(tb testing.TB, text string) *module.Module {
	tb.Helper()
	m, err := Load(text)
	if err != nil {
		tb.Fatalf("%v\n%s", err, text)
	}
	return m
}

// Load is Module for texts that may be invalid.
func Load(text string) (*module.Module, error) {
	b, err := asm.Assemble([]byte(text), asm.Options{HeaderComments: true})
	if err != nil {
		return nil, err
	}
	data, err := b.Encode()
	if err != nil {
		return nil, err
	}
	if b, err = spirv.Decode(data); err != nil {
		return nil, err
	}
	m, err := module.New(b)
	if err != nil {
		return nil, err
	}
	return m, validate(m)
}

// Run launches the source. Errors of the launch are in the result; everything else fails the test.
func (s *Source) Run(tb testing.TB, opt Options) Result {
	tb.Helper()
	opt.fill()
	return Launch(tb, Module(tb, s.Text()), s, opt)
}

// Launch launches a module made of the source.
func Launch(tb testing.TB, m *module.Module, s *Source, opt Options) Result {
	tb.Helper()
	opt.fill()
	d := opt.Device
	if d == nil {
		d = Device(tb, fallback.Options{})
	}
	p := opt.Program
	if p == nil {
		var err error
		if p, err = Build(d, m, s, opt); err != nil {
			return Result{Err: err}
		}
		defer p.Close()
	}
	call := &device.Dispatch{
		EntryPoint: "main", Global: [3]uint64{uint64(opt.Items), 1, 1}, Local: [3]uint64{uint64(opt.Local), 1, 1},
		SubGroupSize: opt.SubGroup, Seed: opt.Seed, Deterministic: opt.Deterministic, MaxInstructions: opt.Budget, ReleaseExited: opt.ReleaseExited,
		Args: opt.Args,
	}
	if opt.Check {
		call.Check = []string{"undefined"}
	}
	var out device.Buffer
	if opt.Args == nil {
		in := Buffer(tb, d, Words(opt.In...))
		out = Buffer(tb, d, Words(repeat(Poison, s.Shared+opt.Items*s.Outs)...))
		defer in.Close()
		defer out.Close()
		call.Args = append(s.bind(in, out), opt.Extra...)
	}
	r := Result{}
	r.Report, r.Err = p.Launch(opt.Context, call)
	if out != nil {
		data := make([]byte, out.Size())
		if err := out.Read(data, 0); err != nil {
			tb.Fatal(err)
		}
		r.Out = FromWords(data)
	}
	return r
}

// Build makes a program of a module made of the source, for launches with the same work-group size.
func Build(d device.Device, m *module.Module, s *Source, opt Options) (device.Program, error) {
	opt.fill()
	spec := opt.Spec
	if s.Dialect == Shader && m.Names != nil && hasSpec(m, 900) {
		spec = append([]device.SpecValue{{ID: 900, Bits: uint64(opt.Local)}}, spec...)
	}
	return d.Build(opt.Context, m, device.BuildOptions{Spec: spec})
}

func hasSpec(m *module.Module, id uint32) bool {
	for _, c := range m.ConstantOrder {
		if c.HasSpecID && c.SpecID == id {
			return true
		}
	}
	return false
}

// bind gives the two buffers their places.
func (s *Source) bind(in, out device.Buffer) []device.Arg {
	if s.Dialect == Shader {
		var args []device.Arg
		if s.Ins > 0 || strings.Contains(s.Body, "%in_var") {
			args = append(args, device.Arg{Kind: device.ArgBuffer, Slot: device.SlotBinding, Bind: 0, Buffer: in, Name: "in"})
		}
		if s.Outs > 0 || strings.Contains(s.Body, "%out_var") {
			args = append(args, device.Arg{Kind: device.ArgBuffer, Slot: device.SlotBinding, Bind: 1, Buffer: out, Name: "out"})
		}
		return args
	}
	return []device.Arg{
		{Kind: device.ArgBuffer, Index: 0, Buffer: in, Name: "in"},
		{Kind: device.ArgBuffer, Index: 1, Buffer: out, Name: "out"},
	}
}

// Buffer makes a buffer with the contents.
func Buffer(tb testing.TB, d device.Device, data []byte) device.Buffer {
	tb.Helper()
	b, err := d.NewBuffer(uint64(len(data)))
	if err != nil {
		tb.Fatal(err)
	}
	if err := b.Write(data, 0); err != nil {
		tb.Fatal(err)
	}
	return b
}

// Words returns the bytes of 32-bit words.
func Words(w ...uint32) []byte {
	b := make([]byte, 0, 4*len(w))
	for _, v := range w {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// FromWords is the inverse of Words.
func FromWords(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

func repeat(v uint32, n int) []uint32 {
	w := make([]uint32, n)
	for i := range w {
		w[i] = v
	}
	return w
}

// AsError returns the error as one for users; nil where it is none.
func AsError(err error) *device.Error {
	var e *device.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
