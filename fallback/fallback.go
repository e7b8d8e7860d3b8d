// Package fallback is the emulator: it runs SPIR-V kernels and compute shaders in pure Go, on any host, and reports
// what the specification leaves undefined.
//
// A module goes through package lower, which makes a lane program of one entry point, and package exec, which runs it
// for many lanes at a time. docs/emulator.md says for users what runs and which values undefined cases give;
// docs/design.md says for maintainers why it is built this way.
package fallback

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/check"
	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// DefaultMemory is the memory budget where Options leave it open, in bytes.
const DefaultMemory = 8 << 30

// DefaultMaxInstructions is how many instructions one gang of lanes may execute where a launch leaves it open. It ends
// endless loops that no time limit ends, after several minutes.
const DefaultMaxInstructions = 20_000_000_000

// Options configure the emulator.
type Options struct {
	// Memory is the budget for buffers, private and local memory together, in bytes; 0: DefaultMemory.
	Memory uint64

	// patience is how long lanes run before they give way, see exec.Env; 0: as long as serves most programs best.
	// Nobody but tests has a reason to set it.
	patience int
	// narrow makes a gang of each sub-group, so that small work-groups consist of several; for tests too.
	narrow bool
}

// New returns the emulator's backend, with one device for each profile.
func New(opt Options) device.Backend {
	if opt.Memory == 0 {
		opt.Memory = DefaultMemory
	}
	return backend{opt}
}

type backend struct{ opt Options }

func (backend) Name() string { return "emu" }

func (b backend) Devices(context.Context) ([]device.Device, error) {
	var list []device.Device
	for _, p := range Profiles() {
		d, err := NewDevice(p.Name, b.opt)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// NewDevice returns an emulated device of the profile; the empty name is generic. The error is an *device.Error of
// class Absent where there is no such profile or the host cannot run the emulator.
func NewDevice(profile string, opt Options) (device.Device, error) {
	if opt.Memory == 0 {
		opt.Memory = DefaultMemory
	}
	if !littleEndian() {
		return nil, &device.Error{Class: device.Absent, Kind: "big-endian-host", Message: "the emulator keeps values in the host's memory as devices do, little-endian; this host is big-endian"}
	}
	p, err := profileNamed(profile)
	if err != nil {
		return nil, &device.Error{Class: device.Absent, Kind: "unknown-profile", Message: err.Error()}
	}
	return &emulated{profile: p, opt: opt}, nil
}

func littleEndian() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}

// emulated is one device. Its address space is made when it is first needed: devices are listed more often than used.
type emulated struct {
	profile Profile
	opt     Options
	mu      sync.Mutex
	space   *mem.Space
}

func (d *emulated) memory() *mem.Space {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.space == nil {
		d.space = mem.NewSpace(d.opt.Memory)
	}
	return d.space
}

func (d *emulated) Facts() *device.Facts {
	p := &d.profile
	f := &device.Facts{
		Backend: "emu", Name: "sgrun emulator, " + p.Device, Profile: p.Name, Vendor: "sgrun", Driver: "interpreter",
		Version: runtime.GOOS + "/" + runtime.GOARCH, Executes: true,
		SubGroupSizes: p.SubGroupSizes, DefaultSubGroupSize: p.SubGroupSize,
		MaxWorkGroupSize: p.MaxWorkGroupSize, MaxWorkItems: [3]uint64{p.MaxWorkGroupSize, p.MaxWorkGroupSize, p.MaxWorkGroupSize},
		MaxBufferBytes: d.opt.Memory, GlobalMemBytes: d.opt.Memory, LocalMemBytes: p.LocalMemBytes, ComputeUnits: p.ComputeUnits,
		SPIRVVersions:   []string{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"},
		SPIRVExtensions: extensions(), Capabilities: d.capabilities(), Checks: check.Names(),
	}
	return f
}

// extensions are the SPIR-V extensions the emulator implements, or that ask nothing of it.
func extensions() []string {
	return []string{
		"SPV_INTEL_subgroup_bitcast_shuffle", "SPV_KHR_16bit_storage", "SPV_KHR_8bit_storage", "SPV_KHR_expect_assume",
		"SPV_KHR_float_controls", "SPV_KHR_maximal_reconvergence", "SPV_KHR_no_integer_wrap_decoration", "SPV_KHR_non_semantic_info",
		"SPV_KHR_storage_buffer_storage_class", "SPV_KHR_bit_instructions",
		"SPV_KHR_shader_ballot", "SPV_KHR_subgroup_vote", "SPV_KHR_subgroup_rotate", "SPV_KHR_quad_control",
		"SPV_KHR_uniform_group_instructions", "SPV_INTEL_subgroups", "SPV_EXT_shader_atomic_float_add",
		"SPV_EXT_shader_atomic_float16_add", "SPV_EXT_shader_atomic_float_min_max", "SPV_NV_shader_subgroup_partitioned",
	}
}

func (d *emulated) capabilities() []spirv.Capability {
	list := []spirv.Capability{
		spirv.CapabilityMatrix, spirv.CapabilityShader, spirv.CapabilityAddresses, spirv.CapabilityGenericPointer, spirv.CapabilityKernel, spirv.CapabilityVector16,
		spirv.CapabilityFloat16Buffer, spirv.CapabilityFloat16, spirv.CapabilityInt64, spirv.CapabilityInt16, spirv.CapabilityInt8,
		spirv.CapabilityGroupNonUniform, spirv.CapabilitySubgroupDispatch, spirv.CapabilityStorageBuffer16BitAccess,
		spirv.CapabilityUniformAndStorageBuffer16BitAccess, spirv.CapabilityStoragePushConstant16,
		spirv.CapabilityStorageBuffer8BitAccess, spirv.CapabilityUniformAndStorageBuffer8BitAccess, spirv.CapabilityStoragePushConstant8,
		spirv.CapabilityDenormPreserve, spirv.CapabilitySignedZeroInfNanPreserve, spirv.CapabilityRoundingModeRTE,
		spirv.CapabilityExpectAssumeKHR, spirv.CapabilityBitInstructions, spirv.CapabilitySubgroupBitcastShuffleINTEL, spirv.CapabilityLinkage,
	}
	list = append(list,
		spirv.CapabilityGroups, spirv.CapabilityGroupNonUniformVote, spirv.CapabilityGroupNonUniformArithmetic,
		spirv.CapabilityGroupNonUniformBallot, spirv.CapabilityGroupNonUniformShuffle, spirv.CapabilityGroupNonUniformShuffleRelative,
		spirv.CapabilityGroupNonUniformClustered, spirv.CapabilityGroupNonUniformQuad, spirv.CapabilityGroupNonUniformRotateKHR,
		spirv.CapabilityGroupNonUniformPartitionedEXT, spirv.CapabilityGroupUniformArithmeticKHR, spirv.CapabilityQuadControlKHR,
		spirv.CapabilitySubgroupBallotKHR, spirv.CapabilitySubgroupVoteKHR, spirv.CapabilitySubgroupShuffleINTEL,
		spirv.CapabilitySubgroupBufferBlockIOINTEL, spirv.CapabilityInt64Atomics, spirv.CapabilityAtomicFloat16AddEXT,
		spirv.CapabilityAtomicFloat32AddEXT, spirv.CapabilityAtomicFloat16MinMaxEXT, spirv.CapabilityAtomicFloat32MinMaxEXT)
	if d.profile.Float64 {
		list = append(list, spirv.CapabilityFloat64, spirv.CapabilityAtomicFloat64AddEXT, spirv.CapabilityAtomicFloat64MinMaxEXT)
	}
	return list
}

func (d *emulated) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.space == nil {
		return nil
	}
	return d.space.Close()
}

// NewBuffer allocates a buffer. The error is an *device.Error of class Usage where it exceeds the memory budget.
func (d *emulated) NewBuffer(size uint64) (device.Buffer, error) {
	a, err := d.memory().Alloc(mem.Alloc{Size: size, Name: "buffer", Storage: spirv.StorageClassCrossWorkgroup, Writable: true})
	if err != nil {
		return nil, outOfMemory(err)
	}
	return &buffer{d: d, a: a, size: a.Size, addr: a.Base}, nil
}

func outOfMemory(err error) error {
	return &device.Error{Class: device.Usage, Kind: "out-of-memory", Message: "not enough memory", Err: err, Try: "smaller buffers, a smaller work-group, or a larger --memory-limit"}
}

// Build accepts modules as they are; kernels are lowered when they are launched.
func (d *emulated) Build(_ context.Context, m *module.Module, opt device.BuildOptions) (device.Program, error) {
	for _, o := range strings.Fields(opt.Options) {
		if !slices.Contains(harmlessOptions(), o) {
			return nil, &device.Error{Class: device.Usage, Kind: "build-options", Message: fmt.Sprintf("the emulator does not know the build option %q", o),
				Try: "one of " + strings.Join(harmlessOptions(), ", ")}
		}
	}
	if !d.profile.Float64 && m.HasCapability(spirv.CapabilityFloat64) {
		return nil, &device.Error{Class: device.Unsupported, Kind: "missing-capability",
			Message: fmt.Sprintf("the profile %s lacks the capability Float64", d.profile.Name), Try: "--device emu, which has it"}
	}
	p := &program{d: d, m: m, spec: map[uint32]uint64{}, lowered: map[string]*lane.Program{}, codes: map[codeKey]*exec.Code{}}
	for _, s := range opt.Spec {
		p.spec[s.ID] = s.Bits
	}
	return p, nil
}

// harmlessOptions are the OpenCL build options that ask for what the emulator does in any case, or that permit what it
// makes no use of (OpenCL API specification, section 5.8.4, Compiler Options).
func harmlessOptions() []string {
	return []string{
		"-cl-fp32-correctly-rounded-divide-sqrt", "-cl-opt-disable", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-denorms-are-zero",
		"-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-single-precision-constant",
		"-cl-uniform-work-group-size", "-cl-no-subgroup-ifp", "-w", "-Werror",
	}
}

// buffer is device memory.
type buffer struct {
	d          *emulated
	a          *mem.Alloc // nil after Close
	size, addr uint64
}

func (b *buffer) Size() uint64            { return b.size }
func (b *buffer) Address() (uint64, bool) { return b.addr, true }

func (b *buffer) Read(p []byte, off uint64) error {
	if err := b.inside(len(p), off); err != nil {
		return err
	}
	copy(p, b.a.Bytes()[off:])
	return nil
}

func (b *buffer) Write(p []byte, off uint64) error {
	if err := b.inside(len(p), off); err != nil {
		return err
	}
	copy(b.a.Bytes()[off:], p)
	return nil
}

func (b *buffer) inside(n int, off uint64) error {
	if b.a == nil {
		return &device.Error{Class: device.Usage, Kind: "closed-buffer", Message: "the buffer is closed"}
	}
	if off > b.a.Size || uint64(n) > b.a.Size-off {
		return &device.Error{Class: device.Usage, Kind: "buffer-range", Message: fmt.Sprintf("bytes %d to %d are outside a buffer of %d bytes", off, off+uint64(n), b.a.Size)}
	}
	return nil
}

func (b *buffer) Close() error {
	if b.a != nil {
		b.d.space.Free(b.a)
		b.a = nil
	}
	return nil
}

func addressBytes(addr uint64, size uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, addr)[:size]
}
