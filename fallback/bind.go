package fallback

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
)

// binder gives a launch its arguments.
type binder struct {
	p    *program
	l    *lane.Program
	env  *exec.Env
	push *mem.Alloc
}

func (b *binder) close() {
	if b.push != nil {
		b.env.Space.Free(b.push)
	}
}

func argError(kind, format string, args ...any) error {
	return &device.Error{Class: device.Usage, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// bind resolves all arguments and makes sure none is missing.
func (b *binder) bind(args []device.Arg) error {
	if b.l.AddrKind == lane.I32 {
		window, ok := b.env.Space.Window()
		if !ok {
			return &device.Error{Class: device.Unsupported, Kind: "32-bit-addresses", Message: "this host does not let the emulator reserve the 4 GiB that 32-bit addresses name"}
		}
		b.env.Window = window
	}
	b.env.Args = make([]exec.Arg, len(b.l.Params))
	b.env.Resources = make([]exec.Binding, len(b.l.Resources))
	bound := make([]bool, len(b.l.Params))
	resources := make([]bool, len(b.l.Resources))
	local := uint64(0)
	for i := range args {
		a := &args[i]
		switch a.Slot {
		case device.SlotParam:
			if a.Index < 0 || a.Index >= len(b.l.Params) {
				return argError("argument-count", "argument %s is number %d, but the kernel %s has %d parameters", a.Name, a.Index, b.l.Entry, len(b.l.Params))
			}
			if bound[a.Index] {
				return argError("argument-count", "parameter %s is given twice", b.l.Params[a.Index].Name)
			}
			if err := b.param(a.Index, a); err != nil {
				return err
			}
			bound[a.Index] = true
			local += a.Local
		case device.SlotBinding:
			found := false
			for j, r := range b.l.Resources {
				if r.Set == a.Set && r.Binding == a.Bind {
					if resources[j] {
						return argError("argument-count", "the resource %s at set %d, binding %d is given twice", r.Name, r.Set, r.Binding)
					}
					if err := b.resource(j, a); err != nil {
						return err
					}
					found, resources[j] = true, true
				}
			}
			if !found {
				return argError("unknown-binding", "the shader uses nothing at set %d, binding %d", a.Set, a.Bind)
			}
		case device.SlotPush:
			if err := b.pushConstants(a); err != nil {
				return err
			}
		}
	}
	for i, ok := range bound {
		if !ok {
			return argError("missing-argument", "the kernel %s needs an argument for parameter %d, %s", b.l.Entry, i, b.l.Params[i].Name)
		}
	}
	for i, ok := range resources {
		if r := b.l.Resources[i]; !ok {
			return argError("missing-argument", "the shader %s needs a buffer for %s, set %d, binding %d", b.l.Entry, r.Name, r.Set, r.Binding)
		}
	}
	if b.l.PushSize > 0 && b.push == nil {
		return argError("missing-argument", "the shader %s needs %d bytes of push constants", b.l.Entry, b.l.PushSize)
	}
	return b.localMemory(local)
}

// localMemory checks the work-group's memory against the device's.
func (b *binder) localMemory(args uint64) error {
	need, limit := args, b.p.d.profile.LocalMemBytes
	for _, v := range b.l.Variables {
		if v.Storage == spirv.StorageClassWorkgroup {
			if v.Size > limit {
				return b.tooMuchLocal("the variable "+v.Name, v.Size)
			}
			need += v.Size
		}
	}
	if need > limit {
		return b.tooMuchLocal("the kernel "+b.l.Entry, need)
	}
	return nil
}

// tooMuchLocal refuses a launch for want of local memory: another device may have more.
func (b *binder) tooMuchLocal(what string, size uint64) error {
	p := &b.p.d.profile
	e := &device.Error{Class: device.Unsupported, Kind: "local-memory",
		Message: fmt.Sprintf("%s takes %d bytes of local memory, the emulator's profile %s has %d", what, size, p.Name, p.LocalMemBytes)}
	for _, other := range Profiles() {
		if other.LocalMemBytes >= size {
			e.Try = "--device emu:" + other.Name + ", which has " + fmt.Sprint(other.LocalMemBytes)
			break
		}
	}
	return e
}

func (b *binder) param(i int, a *device.Arg) error {
	p := &b.l.Params[i]
	switch p.Kind {
	case lane.ParamLocal:
		if a.Kind != device.ArgLocal {
			return argError("argument-kind", "parameter %s is a pointer to local memory and takes local[BYTES]", p.Name)
		}
		if a.Local > b.p.d.profile.LocalMemBytes {
			return b.tooMuchLocal("parameter "+p.Name, a.Local)
		}
		b.env.Args[i].Local = a.Local
	case lane.ParamPointer:
		if a.Kind != device.ArgBuffer {
			return argError("argument-kind", "parameter %s is a pointer and takes a buffer", p.Name)
		}
		addr, err := b.address(a.Buffer, a.Offset, p.Name)
		if err != nil {
			return err
		}
		b.env.Args[i].Value = addressBytes(addr, p.Size)
	case lane.ParamValue:
		if a.Kind != device.ArgValue {
			return argError("argument-kind", "parameter %s takes a value", p.Name)
		}
		if uint64(len(a.Value)) != p.Size {
			return argError("argument-size", "parameter %s takes %d bytes, got %d", p.Name, p.Size, len(a.Value))
		}
		value := append([]byte(nil), a.Value...)
		for _, q := range a.Pointers {
			addr, err := b.address(q.Buffer, q.Offset, p.Name)
			if err != nil {
				return err
			}
			n := uint64(b.l.AddrKind.Bytes())
			if q.At > p.Size || n > p.Size-q.At {
				return argError("argument-size", "a pointer at byte %d is outside parameter %s of %d bytes", q.At, p.Name, p.Size)
			}
			copy(value[q.At:], addressBytes(addr, n))
		}
		b.env.Args[i].Value = value
	}
	return nil
}

// address returns what the kernel sees as the address of a place in a buffer.
func (b *binder) address(buf device.Buffer, off uint64, name string) (uint64, error) {
	if buf == nil {
		return 0, nil
	}
	own, ok := buf.(*buffer)
	switch {
	case !ok || own.d != b.p.d:
		return 0, argError("foreign-buffer", "the buffer for %s was made by another device", name)
	case own.a == nil:
		return 0, argError("closed-buffer", "the buffer for %s is closed", name)
	case off > own.a.Size:
		return 0, argError("buffer-range", "the offset %d for %s is past the end of the buffer of %d bytes", off, name, own.a.Size)
	}
	if b.env.Names == nil {
		b.env.Names = map[*mem.Alloc]string{}
	}
	if before := b.env.Names[own.a]; before == "" {
		b.env.Names[own.a] = "buffer " + name
	} else if !strings.Contains(before+",", " "+name+",") {
		b.env.Names[own.a] = before + ", also bound as " + name
	}
	addr := own.a.Base + off
	if b.l.AddrKind == lane.I32 {
		if !b.env.Space.InWindow(own.a) {
			return 0, argError("32-bit-addresses", "the buffer for %s does not fit in the 4 GiB that 32-bit addresses name", name)
		}
		addr -= b.env.Window
	}
	return addr, nil
}

func (b *binder) resource(i int, a *device.Arg) error {
	r := &b.l.Resources[i]
	if a.Kind != device.ArgBuffer || a.Buffer == nil {
		return argError("argument-kind", "the resource %s at set %d, binding %d takes a buffer", r.Name, r.Set, r.Binding)
	}
	addr, err := b.address(a.Buffer, a.Offset, r.Name)
	if err != nil {
		return err
	}
	if a.Offset > a.Buffer.Size() || a.Buffer.Size()-a.Offset < r.MinSize {
		return argError("argument-size", "the resource %s at set %d, binding %d needs at least %d bytes, the buffer has %d", r.Name, r.Set, r.Binding, r.MinSize, a.Buffer.Size())
	}
	b.env.Resources[i] = exec.Binding{Addr: addr, Size: a.Buffer.Size() - a.Offset}
	return nil
}

func (b *binder) pushConstants(a *device.Arg) error {
	switch {
	case b.l.PushSize == 0:
		return argError("unknown-binding", "the shader uses no push constants")
	case b.push != nil:
		return argError("argument-count", "the push constants are given twice")
	}
	if a.Kind != device.ArgValue || uint64(len(a.Value)) < b.l.PushSize {
		return argError("argument-size", "the push constants take %d bytes, got %d", b.l.PushSize, len(a.Value))
	}
	m, err := b.env.Space.Alloc(mem.Alloc{Size: uint64(len(a.Value)), Name: "push constants", Storage: spirv.StorageClassPushConstant})
	if err != nil {
		return outOfMemory(err)
	}
	copy(m.Bytes(), a.Value)
	b.push, b.env.Push = m, m.Base
	return nil
}
