package exec

import (
	"encoding/binary"
	"fmt"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

// rate says when an input changes.
func (c *Code) rate(in *lane.Input) lane.Rate {
	if in.From != lane.FromBuiltIn {
		return lane.PerLaunch
	}
	if b, ok := groupBuiltIns[spirv.BuiltIn(in.A)]; ok {
		return b.rate
	}
	switch spirv.BuiltIn(in.A) {
	case spirv.BuiltInGlobalInvocationId, spirv.BuiltInGlobalLinearId:
		return lane.PerGroup
	}
	return lane.PerSize
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

// sortInputs lists the inputs by rate.
func sortInputs(c *Code) {
	for i := range c.prog.Inputs {
		in := &c.prog.Inputs[i]
		r := c.rate(in)
		c.inputs[r] = append(c.inputs[r], in)
	}
}

// fillInputs fills in the inputs that change at the rate.
func (g *gang) fillInputs(rate lane.Rate) {
	for _, in := range g.code.inputs[rate] {
		g.fillInput(in)
	}
}

// countIDs counts the local ids of the gang's lanes.
func (g *gang) countIDs() {
	size := g.w.size
	first := uint64(g.first)
	x, y, z := first%size[0], first/size[0]%size[1], first/size[0]/size[1]
	for i := range g.code.width {
		g.ids[0][i], g.ids[1][i], g.ids[2][i] = uint32(x), uint32(y), uint32(z)
		if x++; x == size[0] {
			x = 0
			if y++; y == size[1] {
				y = 0
				z++
			}
		}
	}
}

// fillIDs sets a value to the local id in a dimension plus a number.
func (g *gang) fillIDs(v lane.Value, dimension int, base uint64) {
	ids := g.ids[dimension][:g.code.width]
	if g.code.prog.Values[v] == lane.I64 {
		row := rowOf[uint64](g, g.code.slots[v])[:len(ids)]
		for i, id := range ids {
			row[i] = base + uint64(id)
		}
		return
	}
	row := rowOf[uint32](g, g.code.slots[v])[:len(ids)]
	for i, id := range ids {
		row[i] = uint32(base) + id
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
		switch spirv.BuiltIn(in.A) {
		case spirv.BuiltInLocalInvocationId:
			g.fillIDs(in.Value, in.B, 0)
			return
		case spirv.BuiltInGlobalInvocationId:
			g.fillIDs(in.Value, in.B, g.w.group[in.B]*l.env.Local[in.B]+l.env.Offset[in.B])
			return
		}
		if spirv.BuiltIn(in.A) == spirv.BuiltInGlobalLinearId && g.w.size[1]*g.w.size[2] == 1 {
			g.fillIDs(in.Value, 0, globalLinearID(g, 0, 0)-uint64(g.ids[0][0])) // one row of work-items
			return
		}
		get := laneBuiltIns[spirv.BuiltIn(in.A)]
		g.fillLanes(in.Value, func(i int) uint64 { return get(g, i, in.B) })
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
	base, stride := l.address(g.w.stack.Base+uint64(g.first)*g.code.stack.stride+off), g.code.stack.stride
	g.fillLanes(in.Value, func(i int) uint64 { return base + uint64(i)*stride })
}

// fillLanes sets a value, an integer of 32 or 64 bits, lane by lane.
func (g *gang) fillLanes(v lane.Value, f func(i int) uint64) {
	off, n := g.code.slots[v], g.code.width
	switch k := g.code.prog.Values[v]; k {
	case lane.I64:
		row := rowOf[uint64](g, off)
		for i := range n {
			row[i] = f(i)
		}
	case lane.I32:
		row := rowOf[uint32](g, off)
		for i := range n {
			row[i] = uint32(f(i))
		}
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
	spirv.BuiltInWorkgroupSize:         {lane.PerSize, func(g *gang, c int) uint64 { return g.w.size[c] }},
	spirv.BuiltInWorkgroupId:           {lane.PerGroup, func(g *gang, c int) uint64 { return g.w.group[c] }},
	spirv.BuiltInSubgroupMaxSize:       {lane.PerLaunch, func(g *gang, _ int) uint64 { return uint64(g.w.run.env.SubGroupSize) }},
	spirv.BuiltInNumSubgroups: {lane.PerSize, func(g *gang, _ int) uint64 {
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
	spirv.BuiltInLocalInvocationId:         func(g *gang, i, c int) uint64 { return g.localID(i)[c] },
	spirv.BuiltInLocalInvocationIndex:      func(g *gang, i, _ int) uint64 { return uint64(g.first + i) },
	spirv.BuiltInGlobalInvocationId:        func(g *gang, i, c int) uint64 { return g.globalID(i)[c] },
	spirv.BuiltInGlobalLinearId:            globalLinearID,
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

func globalLinearID(g *gang, i, _ int) uint64 {
	env, group := g.w.run.env, &g.w.group
	x, y := group[0]*env.Local[0]+uint64(g.ids[0][i]), group[1]*env.Local[1]+uint64(g.ids[1][i])
	z := group[2]*env.Local[2] + uint64(g.ids[2][i])
	return (z*env.Global[1]+y)*env.Global[0] + x
}

// localID is the local invocation id of a lane.
func (g *gang) localID(i int) [3]uint64 {
	return [3]uint64{uint64(g.ids[0][i]), uint64(g.ids[1][i]), uint64(g.ids[2][i])}
}

// globalID is the global invocation id of a lane.
func (g *gang) globalID(i int) [3]uint64 {
	id, env := g.localID(i), g.w.run.env
	for d := range id {
		id[d] += g.w.group[d]*env.Local[d] + env.Offset[d]
	}
	return id
}
