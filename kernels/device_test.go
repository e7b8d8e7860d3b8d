package kernels_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/kernels/gen"
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// effectDevice is a device that does not look into modules: it knows the catalogue's kernels by what they must do, and does
// that by its rules. With the true rules it passes all vectors; with a planted wrong one it must not.
type effectDevice struct {
	suite   *suite
	rules   gen.Rules
	nothing bool // launches are accepted and change nothing
}

// suite is the generator's knowledge and the vectors as they are embedded, made once for all tests.
type suite struct {
	all     *gen.All
	modules map[[sha256.Size]byte]string // catalogue names by the modules' words
	files   []*runner.VectorFile
}

var loadSuite = sync.OnceValues(func() (*suite, error) {
	all, err := gen.New(kernels.Catalogue())
	if err != nil {
		return nil, err
	}
	s := &suite{all: all, modules: map[[sha256.Size]byte]string{}}
	for _, name := range kernels.Names() {
		text, err := fs.ReadFile(kernels.Catalogue(), name+".spvasm")
		if err != nil {
			return nil, err
		}
		source, err := runner.ParseSource(name, text)
		if err != nil {
			return nil, err
		}
		key := fingerprint(source.Binary)
		if other := s.modules[key]; other != "" {
			return nil, fmt.Errorf("%s and %s are the same module", name, other)
		}
		s.modules[key] = name
	}
	s.files, err = runner.LoadVectors(kernels.Vectors())
	return s, err
})

func getSuite(t *testing.T) *suite {
	t.Helper()
	s, err := loadSuite()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fingerprint(b *spirv.Binary) [sha256.Size]byte {
	data, err := b.Encode()
	if err != nil {
		panic(err) // it was made by the assembler
	}
	return sha256.Sum256(data)
}

func (d *effectDevice) Facts() *device.Facts {
	return &device.Facts{Backend: "test", Name: "effects of the catalogue's kernels", Executes: true}
}

func (d *effectDevice) Build(_ context.Context, m *module.Module, opt device.BuildOptions) (device.Program, error) {
	name := d.suite.modules[fingerprint(m.Binary)]
	if name == "" {
		return nil, &device.Error{Class: device.Unsupported, Message: "this module is not in the catalogue"}
	}
	p := &effectProgram{device: d, module: name, spec: map[uint32]uint64{}}
	for _, s := range opt.Spec {
		p.spec[s.ID] = s.Bits
	}
	return p, nil
}

func (d *effectDevice) NewBuffer(size uint64) (device.Buffer, error) {
	return &memory{data: make([]byte, size)}, nil
}

func (d *effectDevice) Close() error { return nil }

// memory is a buffer of an effectDevice.
type memory struct{ data []byte }

func (b *memory) Size() uint64 { return uint64(len(b.data)) }

func (b *memory) Read(p []byte, off uint64) error {
	copy(p, b.data[off:off+uint64(len(p))])
	return nil
}

func (b *memory) Write(p []byte, off uint64) error {
	copy(b.data[off:off+uint64(len(p))], p)
	return nil
}

func (b *memory) Address() (uint64, bool) { return 0, false }
func (b *memory) Close() error            { return nil }

type effectProgram struct {
	device *effectDevice
	module string
	spec   map[uint32]uint64
}

func (p *effectProgram) Log() string  { return "" }
func (p *effectProgram) Close() error { return nil }

func (p *effectProgram) Launch(_ context.Context, d *device.Dispatch) (*device.Report, error) {
	if p.device.nothing {
		return &device.Report{}, nil
	}
	k := p.device.suite.all.Kernels[gen.KernelName{Module: p.module, Entry: d.EntryPoint}]
	if k == nil {
		return nil, &device.Error{Class: device.Usage, Message: fmt.Sprintf("%s has no kernel %s", p.module, d.EntryPoint)}
	}
	l := &gen.Launch{SubGroup: d.SubGroupSize, Spec: p.spec, Args: map[string][]byte{}}
	for i := range 3 {
		l.Global[i], l.Local[i], l.Offset[i] = int(d.Global[i]), int(d.Local[i]), int(d.Offset[i])
	}
	for _, a := range d.Args {
		name := map[device.Slot]string{device.SlotBinding: fmt.Sprintf("%d.%d", a.Set, a.Bind), device.SlotPush: "push"}[a.Slot]
		if a.Slot == device.SlotParam {
			name = k.Params[a.Index]
		}
		switch a.Kind {
		case device.ArgBuffer:
			l.Args[name] = a.Buffer.(*memory).data[a.Offset:]
		case device.ArgLocal:
			l.Args[name] = make([]byte, a.Local)
		case device.ArgValue:
			l.Args[name] = a.Value
		}
	}
	for _, name := range k.Params {
		if l.Args[name] == nil {
			return nil, &device.Error{Class: device.Usage, Message: fmt.Sprintf("argument %s is missing", name)}
		}
	}
	k.Effect(&p.device.rules, l)
	return &device.Report{}, nil
}
