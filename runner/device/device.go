// Package device is the leaf every backend imports: what the runner asks of a thing that runs kernels, as interfaces and
// plain data. It knows no backend and holds no logic.
package device

import (
	"context"
	"time"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Backend makes devices of one kind: the emulator, OpenCL, Level Zero.
type Backend interface {
	// Name is the word before the colon of --device: "emu", "opencl", "level-zero".
	Name() string
	// Devices lists what the backend can use now. A backend that is absent (no loader, no driver) returns an *Error of
	// class Absent that says why.
	Devices(ctx context.Context) ([]Device, error)
}

// Device is one thing that runs kernels. Several goroutines may use a device at a time, each with programs and buffers of
// its own, but for Close.
type Device interface {
	// Facts describes the device. It does not change while the device is open.
	Facts() *Facts
	// Build compiles a module. A device that cannot take it returns an *Error of class Unsupported that names the
	// capability, extension, type or instruction it lacks, or of class Module where the module is invalid.
	Build(ctx context.Context, m *module.Module, opt BuildOptions) (Program, error)
	// NewBuffer allocates device memory of size bytes; its contents are undefined. Size 0 is allowed.
	NewBuffer(size uint64) (Buffer, error)
	// Close releases the device. Programs and buffers made by it must be closed before.
	Close() error
}

// BuildOptions are the choices made before a module is compiled.
type BuildOptions struct {
	// Spec holds values for specialization constants, by SpecId.
	Spec []SpecValue
	// Options is passed to the device's compiler as it is.
	Options string
}

// SpecValue sets one specialization constant.
type SpecValue struct {
	ID   uint32 // the SpecId decoration
	Bits uint64 // the value's bits in the constant's width, zero-extended; a Boolean is 0 or 1
}

// Program is a compiled module.
type Program interface {
	// Launch runs one entry point to its end and returns what is known of the run. When ctx ends first, it stops the
	// kernel and returns an *Error of class Fault. Findings of --check are in the report, also when err is not nil.
	Launch(ctx context.Context, d *Dispatch) (*Report, error)
	// Log is what the device's compiler had to say.
	Log() string
	Close() error
}

// Buffer is device memory.
type Buffer interface {
	// Size is the size in bytes.
	Size() uint64
	// Read copies len(p) bytes from offset off (bytes) into p.
	Read(p []byte, off uint64) error
	// Write copies p to offset off (bytes).
	Write(p []byte, off uint64) error
	// Address is the buffer's address as kernels see it, and false where the device does not tell.
	Address() (uint64, bool)
	Close() error
}

// Dispatch is one launch of one entry point, with everything resolved: no names, no text.
type Dispatch struct {
	EntryPoint string
	Global     [3]uint64 // work-items in each dimension, at least 1
	Local      [3]uint64 // work-group size; all zero: the device chooses
	Offset     [3]uint64 // global offset
	// SubGroupSize is the required sub-group size in lanes; 0: the module's own requirement, else the device chooses.
	SubGroupSize int
	Args         []Arg
	// Check lists the kinds of finding to report: "undefined". Devices that cannot check refuse by name.
	Check []string
	// Seed and Deterministic choose the order in which work-groups run, where the device can (the emulator).
	Seed          uint64
	Deterministic bool
	// ReleaseExited makes barriers count work-items that have left the kernel as arrived, as some hardware does; devices
	// that do not emulate barriers ignore it.
	ReleaseExited bool
	// MaxInstructions bounds the run, counted in instructions executed by a work-item; 0: the device's default.
	MaxInstructions uint64
}

// Arg binds one kernel parameter (by Index) or one shader resource (by Set and Binding, or the push-constant block).
type Arg struct {
	Kind  ArgKind
	Slot  Slot
	Index int    // parameter index, where Slot is SlotParam
	Set   uint32 // descriptor set, where Slot is SlotBinding
	Bind  uint32 // binding, where Slot is SlotBinding

	Buffer Buffer // ArgBuffer; nil is a null pointer
	Offset uint64 // ArgBuffer: bytes from the buffer's start
	Local  uint64 // ArgLocal: bytes of work-group memory
	Value  []byte // ArgValue: the value's bytes, little-endian, in the parameter's size
	// Pointers are places in Value that the device fills with a buffer's address.
	Pointers []Pointer
	// Name is what messages call the argument.
	Name string
}

// Pointer is a pointer inside a by-value argument.
type Pointer struct {
	At     uint64 // bytes from the start of the value
	Buffer Buffer
	Offset uint64 // bytes from the start of the buffer
}

// ArgKind says what is bound.
type ArgKind uint8

// Kinds of argument.
const (
	ArgBuffer ArgKind = iota
	ArgLocal
	ArgValue
)

// Slot says where it is bound.
type Slot uint8

// Places an argument can be bound to.
const (
	SlotParam   Slot = iota // kernel parameter
	SlotBinding             // shader resource
	SlotPush                // push-constant block
)

// Report is what is known of a finished launch.
type Report struct {
	SubGroupSize int       // lanes; the size that really ran
	Local        [3]uint64 // the work-group size that really ran
	Groups       [3]uint64
	// Device is the kernel's time by the device's own clock; 0 where it has none. Wall is the host's.
	Device, Wall time.Duration
	// Instructions counts executed instructions, where the device counts.
	Instructions uint64
	Findings     []Finding
	// MoreFindings counts those left out of Findings.
	MoreFindings uint64
	Notes        []string // things a user should know: lowered, launched but not executed, …
}

// Finding is one event reported by --check.
type Finding struct {
	Check       string // the word given to --check: "undefined"
	Kind        string // "partial-sub-group", "inactive-lane", "division-by-zero", …
	Message     string // one sentence
	Instruction string // the instruction's text
	Function    string
	WordOffset  int
	WorkGroup   [3]uint64
	SubGroup    int    // index of the sub-group in the work-group
	Lanes       []int  // lanes concerned, by sub-group local invocation id
	Count       uint64 // how often the same event was seen at this instruction
}

// Facts describe a device.
type Facts struct {
	Backend  string // "emu", "opencl", "level-zero"
	Name     string
	Profile  string // emulator only: "generic", "bmg", …
	Vendor   string
	Driver   string
	Version  string
	Executes bool // false: launches are accepted but nothing is computed

	SubGroupSizes       []int // lanes, ascending
	DefaultSubGroupSize int
	MaxWorkGroupSize    uint64    // work-items
	MaxWorkItems        [3]uint64 // work-items of a work-group in each dimension
	MaxBufferBytes      uint64
	GlobalMemBytes      uint64
	LocalMemBytes       uint64 // of a work-group
	ComputeUnits        int

	SPIRVVersions   []string // "1.0" … "1.6"
	SPIRVExtensions []string
	Capabilities    []spirv.Capability
	Extensions      []string // of the API
	Checks          []string // words --check accepts
	Notes           []string
}
