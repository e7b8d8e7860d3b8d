package fallback_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lower"
	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// FuzzRun decodes, checks and runs modules on little memory and little time. Whatever a module is, the emulator must
// neither panic nor hang: it runs it, refuses it or stops it, and each error is a *device.Error that is no bug's.
func FuzzRun(f *testing.F) {
	seeds := 0
	err := fs.WalkDir(kernels.Catalogue(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".spvasm") {
			return err
		}
		if seeds++; seeds%9 != 0 { // the catalogue is large, and neighbours are alike
			return nil
		}
		text, err := fs.ReadFile(kernels.Catalogue(), path)
		if err != nil {
			return err
		}
		b, err := asm.Assemble(text, asm.Options{HeaderComments: true})
		if err != nil {
			return err
		}
		data, err := b.Encode()
		if err != nil {
			return err
		}
		f.Add(data)
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := spirv.Decode(data)
		if err != nil {
			return
		}
		m, err := module.New(b)
		if err != nil || val.Check(m) != nil {
			return
		}
		dev, err := fallback.NewDevice("", fallback.Options{Memory: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		prog, err := dev.Build(t.Context(), m, device.BuildOptions{})
		if err != nil {
			typed(t, err)
			return
		}
		defer prog.Close()
		for _, e := range m.EntryPoints[:min(len(m.EntryPoints), 4)] {
			runEntry(t, dev, prog, m, e)
		}
	})
}

// runEntry launches an entry point with a small buffer or value for everything it takes.
func runEntry(t *testing.T, dev device.Device, prog device.Program, m *module.Module, e *module.EntryPoint) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	d := &device.Dispatch{EntryPoint: e.Name, Global: [3]uint64{24, 1, 1}, SubGroupSize: 8, Check: []string{"undefined"}, MaxInstructions: 100_000}
	// Arguments by the lane program, which knows sizes; where the entry point is refused there is nothing to run.
	l, err := lower.Lower(m, lower.Options{Entry: e, BuiltIn: exec.BuiltInComponents})
	if err != nil {
		typed(t, err)
		return
	}
	buffer := func() device.Buffer {
		b, err := dev.NewBuffer(1 << 12)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b
	}
	for i, p := range l.Params {
		a := device.Arg{Index: i, Name: p.Name}
		switch {
		case p.Size == 0: // local memory: its size is the launch's choice
			a.Kind, a.Local = device.ArgLocal, 256
		case p.Align == 0: // a pointer
			a.Buffer = buffer()
		case p.Size <= 1<<16:
			a.Kind, a.Value = device.ArgValue, make([]byte, p.Size)
		}
		d.Args = append(d.Args, a)
	}
	for _, r := range l.Resources {
		d.Args = append(d.Args, device.Arg{Slot: device.SlotBinding, Set: r.Set, Bind: r.Binding, Buffer: buffer(), Name: r.Name})
	}
	if l.PushSize > 0 && l.PushSize <= 1<<16 {
		d.Args = append(d.Args, device.Arg{Slot: device.SlotPush, Kind: device.ArgValue, Value: make([]byte, l.PushSize)})
	}
	start := time.Now()
	if _, err := prog.Launch(ctx, d); err != nil {
		typed(t, err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("%s took %v with a time limit of 2 s", e.Name, took)
	}
}

// typed fails the test unless the error is one for users.
func typed(t *testing.T, err error) {
	t.Helper()
	var e *device.Error
	if !errors.As(err, &e) || e.Class == device.Internal {
		t.Errorf("not an error for users: %v", err)
	}
}
