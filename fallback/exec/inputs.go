package exec

import (
	"encoding/binary"
	"fmt"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// rate says how often an input changes.
func (c *Code) rate(in *lane.Input) lane.Rate {
	switch in.From {
	case lane.FromVariable:
		switch c.prog.Variables[in.A].Storage {
		case spirv.StorageClassFunction, spirv.StorageClassPrivate:
			return lane.PerLane
		}
	case lane.FromBuiltIn:
		if b, ok := groupBuiltIns[spirv.BuiltIn(in.A)]; ok {
			return b.rate
		}
		return lane.PerLane
	}
	return lane.PerLaunch
}

// BuiltInComponents returns how many components a built-in variable has; 0: the engine does not have it.
func BuiltInComponents(b spirv.BuiltIn) int {
	_, group := groupBuiltIns[b]
	_, lane := laneBuiltIns[b]
	if !group && !lane {
		return 0
	}
	switch b {
	case spirv.BuiltInGlobalSize, spirv.BuiltInGlobalOffset, spirv.BuiltInNumWorkgroups, spirv.BuiltInEnqueuedWorkgroupSize,
		spirv.BuiltInWorkgroupSize, spirv.BuiltInWorkgroupId, spirv.BuiltInLocalInvocationId, spirv.BuiltInGlobalInvocationId:
		return 3
	case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
		return 4
	}
	return 1
}

// fillInputs fills in the inputs that change at the rate.
func (g *gang) fillInputs(rate lane.Rate) {
	for i := range g.code.prog.Inputs {
		in := &g.code.prog.Inputs[i]
		if g.code.rate(in) == rate {
			g.fillInput(in)
		}
	}
}

func (g *gang) fillInput(in *lane.Input) {
	l, prog := g.w.run, g.code.prog
	switch in.From {
	case lane.FromParam:
		if prog.Params[in.A].Kind == lane.ParamLocal {
			g.fill(in.Value, l.address(g.w.shared.Base+g.w.locals[in.A]))
			return
		}
		var buf [8]byte
		n := prog.Values[in.Value].Bytes()
		copy(buf[:n], l.env.Args[in.A].Value[in.B:])
		g.fill(in.Value, binary.LittleEndian.Uint64(buf[:]))
	case lane.FromResource:
		g.fill(in.Value, l.env.Resources[in.A].Addr)
	case lane.FromResourceLen:
		g.fill(in.Value, l.env.Resources[in.A].Size)
	case lane.FromPush:
		g.fill(in.Value, l.address(l.env.Push))
	case lane.FromVariable:
		g.fillAddress(in)
	case lane.FromBuiltIn:
		if b, ok := groupBuiltIns[spirv.BuiltIn(in.A)]; ok {
			g.fill(in.Value, b.get(g, in.B))
			return
		}
		get := laneBuiltIns[spirv.BuiltIn(in.A)]
		for i := range g.code.width {
			g.set(in.Value, i, get(g, i, in.B))
		}
	default:
		panic(fmt.Sprintf("exec: input from %d", in.From))
	}
}

func (g *gang) fillAddress(in *lane.Input) {
	l := g.w.run
	if off, ok := g.code.shared.offsets[in.A]; ok {
		g.fill(in.Value, l.address(g.w.shared.Base+off))
		return
	}
	off, ok := g.code.stack.offsets[in.A]
	if !ok {
		g.fill(in.Value, l.address(l.variables[in.A].Base))
		return
	}
	for i := range g.code.width {
		g.set(in.Value, i, l.address(g.w.stack.Base+uint64(g.first+i)*g.code.stack.stride+off))
	}
}

// set sets a value in one lane.
func (g *gang) set(v lane.Value, i int, bits uint64) {
	off := g.code.slots[v]
	switch k := g.code.prog.Values[v]; k {
	case lane.I64:
		rowOf[uint64](g, off)[i] = bits
	case lane.I32:
		rowOf[uint32](g, off)[i] = uint32(bits)
	case lane.Bool:
		w := &rowOf[uint64](g, off)[i>>6]
		*w = *w&^(1<<(i&63)) | bits&1<<(i&63)
	default:
		panic(fmt.Sprintf("exec: input of kind %v", k))
	}
}

type groupBuiltIn struct {
	rate lane.Rate
	get  func(g *gang, component int) uint64
}

// groupBuiltIns are the built-in variables that are the same for all lanes of a work-group.
var groupBuiltIns = map[spirv.BuiltIn]groupBuiltIn{
	spirv.BuiltInWorkDim: {lane.PerLaunch, func(g *gang, _ int) uint64 {
		for d := 3; d > 1; d-- {
			if g.w.run.env.Global[d-1] > 1 {
				return uint64(d)
			}
		}
		return 1
	}},
	spirv.BuiltInGlobalSize:            {lane.PerLaunch, func(g *gang, c int) uint64 { return g.w.run.env.Global[c] }},
	spirv.BuiltInGlobalOffset:          {lane.PerLaunch, func(g *gang, c int) uint64 { return g.w.run.env.Offset[c] }},
	spirv.BuiltInNumWorkgroups:         {lane.PerLaunch, func(g *gang, c int) uint64 { return g.w.run.dims[c] }},
	spirv.BuiltInEnqueuedWorkgroupSize: {lane.PerLaunch, func(g *gang, c int) uint64 { return g.w.run.env.Local[c] }},
	spirv.BuiltInWorkgroupSize:         {lane.PerGroup, func(g *gang, c int) uint64 { return g.w.size[c] }},
	spirv.BuiltInWorkgroupId:           {lane.PerGroup, func(g *gang, c int) uint64 { return g.w.group[c] }},
	spirv.BuiltInSubgroupMaxSize:       {lane.PerLaunch, func(g *gang, _ int) uint64 { return uint64(g.w.run.env.SubGroupSize) }},
	spirv.BuiltInNumSubgroups: {lane.PerGroup, func(g *gang, _ int) uint64 {
		return subGroups(g.w.size, g.w.run.env.SubGroupSize)
	}},
	spirv.BuiltInNumEnqueuedSubgroups: {lane.PerLaunch, func(g *gang, _ int) uint64 {
		return subGroups(g.w.run.env.Local, g.w.run.env.SubGroupSize)
	}},
	spirv.BuiltInDeviceIndex: {lane.PerLaunch, func(*gang, int) uint64 { return 0 }},
}

func subGroups(local [3]uint64, size int) uint64 {
	return (local[0]*local[1]*local[2]-1)/uint64(size) + 1
}

// laneBuiltIns are the built-in variables of one lane. Lanes that do not exist get values too, which nothing reads.
var laneBuiltIns = map[spirv.BuiltIn]func(g *gang, i, component int) uint64{
	spirv.BuiltInLocalInvocationId:    func(g *gang, i, c int) uint64 { return g.localID(i)[c] },
	spirv.BuiltInLocalInvocationIndex: func(g *gang, i, _ int) uint64 { return uint64(g.first + i) },
	spirv.BuiltInGlobalInvocationId:   func(g *gang, i, c int) uint64 { return g.globalID(i)[c] },
	spirv.BuiltInGlobalLinearId: func(g *gang, i, _ int) uint64 {
		id, env := g.globalID(i), g.w.run.env
		return ((id[2]-env.Offset[2])*env.Global[1]+id[1]-env.Offset[1])*env.Global[0] + id[0] - env.Offset[0]
	},
	spirv.BuiltInSubgroupId:                func(g *gang, i, _ int) uint64 { return uint64((g.first + i) / g.w.run.env.SubGroupSize) },
	spirv.BuiltInSubgroupLocalInvocationId: func(g *gang, i, _ int) uint64 { return uint64((g.first + i) % g.w.run.env.SubGroupSize) },
	// In kernels the size is that of the lane's own sub-group, which may be partial; in shaders it is always the
	// device's (SPIR-V 1.6, section 3.2.21, SubgroupSize; docs/design.md).
	spirv.BuiltInSubgroupSize: func(g *gang, i, _ int) uint64 {
		size := g.w.run.env.SubGroupSize
		if g.code.prog.Shader {
			return uint64(size)
		}
		return uint64(max(min(size, g.n-i/size*size), 0))
	},
	spirv.BuiltInSubgroupEqMask: subGroupMask(func(i, lane int) bool { return i == lane }),
	spirv.BuiltInSubgroupGeMask: subGroupMask(func(i, lane int) bool { return i >= lane }),
	spirv.BuiltInSubgroupGtMask: subGroupMask(func(i, lane int) bool { return i > lane }),
	spirv.BuiltInSubgroupLeMask: subGroupMask(func(i, lane int) bool { return i <= lane }),
	spirv.BuiltInSubgroupLtMask: subGroupMask(func(i, lane int) bool { return i < lane }),
}

// subGroupMask makes a mask built-in: a vector of four 32-bit words with a bit for each invocation of the sub-group
// that the predicate holds for.
func subGroupMask(in func(i, lane int) bool) func(*gang, int, int) uint64 {
	return func(g *gang, i, component int) (bits uint64) {
		size := g.w.run.env.SubGroupSize
		for b := range 32 {
			if j := 32*component + b; j < size && in(j, i%size) {
				bits |= 1 << b
			}
		}
		return bits
	}
}

// localID is the local invocation id of a lane.
func (g *gang) localID(i int) [3]uint64 {
	l, size := uint64(g.first+i), g.w.size
	return [3]uint64{l % size[0], l / size[0] % size[1], l / size[0] / size[1]}
}

// globalID is the global invocation id of a lane.
func (g *gang) globalID(i int) [3]uint64 {
	id, env := g.localID(i), g.w.run.env
	for d := range id {
		id[d] += g.w.group[d]*env.Local[d] + env.Offset[d]
	}
	return id
}
