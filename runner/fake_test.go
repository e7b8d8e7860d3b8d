package runner

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// fakeDevice is a device whose kernels are Go functions, by the name of the entry point.
type fakeDevice struct {
	facts   device.Facts
	kernels map[string]func(ctx context.Context, d *device.Dispatch) (*device.Report, error)

	mu                   sync.Mutex
	builds, open, buffer int // programs built, programs and buffers not closed
	buildErr             error
}

func newFake() *fakeDevice {
	return &fakeDevice{
		facts: device.Facts{Backend: "fake", Name: "the fake device", Executes: true, SubGroupSizes: []int{8, 16}, DefaultSubGroupSize: 16,
			MaxWorkGroupSize: 256, MaxWorkItems: [3]uint64{256, 256, 64}, MaxBufferBytes: 1 << 32, LocalMemBytes: 1 << 16, Checks: []string{"undefined"},
			Capabilities: []spirv.Capability{spirv.CapabilityAddresses, spirv.CapabilityKernel, spirv.CapabilityInt64}},
		kernels: map[string]func(context.Context, *device.Dispatch) (*device.Report, error){"add": fakeAdd},
	}
}

func (f *fakeDevice) Facts() *device.Facts { return &f.facts }
func (f *fakeDevice) Close() error         { return nil }

func (f *fakeDevice) Build(_ context.Context, m *module.Module, opt device.BuildOptions) (device.Program, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.builds++
	if f.buildErr != nil {
		return nil, f.buildErr
	}
	f.open++
	return &fakeProgram{f}, nil
}

func (f *fakeDevice) NewBuffer(size uint64) (device.Buffer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buffer++
	b := &fakeBuffer{f, make([]byte, size)}
	for i := range b.data {
		b.data[i] = 0xee // undefined, as the contract says
	}
	return b, nil
}

type fakeProgram struct{ dev *fakeDevice }

func (p *fakeProgram) Log() string { return "fake log" }
func (p *fakeProgram) Close() error {
	p.dev.mu.Lock()
	defer p.dev.mu.Unlock()
	p.dev.open--
	return nil
}

func (p *fakeProgram) Launch(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
	k := p.dev.kernels[d.EntryPoint]
	if k == nil {
		return &device.Report{}, nil
	}
	return k(ctx, d)
}

type fakeBuffer struct {
	dev  *fakeDevice
	data []byte
}

func (b *fakeBuffer) Size() uint64 { return uint64(len(b.data)) }
func (b *fakeBuffer) Read(p []byte, off uint64) error {
	copy(p, b.data[off:])
	return nil
}
func (b *fakeBuffer) Write(p []byte, off uint64) error {
	copy(b.data[off:], p)
	return nil
}
func (b *fakeBuffer) Address() (uint64, bool) { return 0, false }
func (b *fakeBuffer) Close() error {
	b.dev.mu.Lock()
	defer b.dev.mu.Unlock()
	b.dev.buffer--
	return nil
}

// words gives access to a buffer argument as 32-bit words.
func words(a device.Arg, i uint64) []byte { return a.Buffer.(*fakeBuffer).data[a.Offset+4*i:] }

// fakeAdd is what the kernel of add.spvasm does.
func fakeAdd(_ context.Context, d *device.Dispatch) (*device.Report, error) {
	n, scale := binary.LittleEndian.Uint32(d.Args[3].Value), binary.LittleEndian.Uint32(d.Args[4].Value)
	for i := range d.Global[0] {
		if uint32(i) < n {
			sum := binary.LittleEndian.Uint32(words(d.Args[0], i)) + scale*binary.LittleEndian.Uint32(words(d.Args[1], i))
			binary.LittleEndian.PutUint32(words(d.Args[2], i), sum)
		}
	}
	local := d.Local
	if local[0] == 0 {
		local = [3]uint64{16, 1, 1}
	}
	return &device.Report{SubGroupSize: 8, Local: local, Groups: [3]uint64{d.Global[0] / local[0], 1, 1}}, nil
}

// catalogue holds the modules the tests run.
func catalogue() fs.FS { return os.DirFS("testdata/modules") }

func load(t *testing.T, name string) *Source {
	t.Helper()
	src, err := LoadModule(context.Background(), name, nil, catalogue())
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// launchOf makes a launch of one step from arguments as on the command line.
func launchOf(t *testing.T, step Step, args ...string) *Launch {
	t.Helper()
	for _, text := range args {
		a, err := ParseArgument(text, &value.Parser{})
		if err != nil {
			t.Fatal(err)
		}
		step.Args = append(step.Args, a)
	}
	return &Launch{Steps: []Step{step}}
}

// wantError checks the class of an error, its exit status, and that it says the words, in order.
func wantError(t *testing.T, name string, err error, class device.Class, words ...string) {
	t.Helper()
	var de *device.Error
	if !errors.As(err, &de) {
		t.Errorf("%s: got error %v, want a *device.Error", name, err)
		return
	}
	if de.Class != class || ExitStatus(err) != class.ExitStatus() {
		t.Errorf("%s: class %d, exit status %d, want class %d:\n%v", name, de.Class, ExitStatus(err), class, err)
	}
	text := err.Error()
	for _, w := range words {
		i := strings.Index(text, w)
		if i < 0 {
			t.Errorf("%s: the error does not say %q (in this order: %q):\n%v", name, w, words, err)
			return
		}
		text = text[i+len(w):]
	}
}
