package gen

import "fmt"

// item is what a work-item is told about itself (SPIR-V 1.6, section 3.2.21, with OpenCL's rules for work-groups that the
// global size is no multiple of: those at the upper end are smaller).
type item struct {
	global, local, group  [3]int // GlobalInvocationId with the offset, LocalInvocationId, WorkgroupId
	groups                [3]int // NumWorkgroups
	localSize             [3]int // of this work-group
	linear, localLinear   int    // GlobalLinearId without the offset, LocalInvocationIndex
	subGroup, lane        int
	subGroupSize          int // work-items in this sub-group
	subGroups, enqueuedSG int // sub-groups in this work-group, and in a full one
}

// items lists the work-items of a launch. Sub-groups are runs of consecutive local indexes.
func (l *Launch) items() []item {
	var all []item
	for z := range l.Global[2] {
		for y := range l.Global[1] {
			for x := range l.Global[0] {
				at := [3]int{x, y, z}
				var w item
				full := 1
				for d := range at {
					w.global[d] = at[d] + l.Offset[d]
					w.group[d], w.local[d] = at[d]/l.Local[d], at[d]%l.Local[d]
					w.groups[d] = (l.Global[d] + l.Local[d] - 1) / l.Local[d]
					w.localSize[d] = min(l.Local[d], l.Global[d]-w.group[d]*l.Local[d])
					full *= l.Local[d]
				}
				w.linear = (z*l.Global[1]+y)*l.Global[0] + x
				w.localLinear = (w.local[2]*w.localSize[1]+w.local[1])*w.localSize[0] + w.local[0]
				if l.SubGroup > 0 {
					size := w.localSize[0] * w.localSize[1] * w.localSize[2]
					w.subGroup, w.lane = w.localLinear/l.SubGroup, w.localLinear%l.SubGroup
					w.subGroups = (size + l.SubGroup - 1) / l.SubGroup
					w.enqueuedSG = (full + l.SubGroup - 1) / l.SubGroup
					w.subGroupSize = min(l.SubGroup, size-w.subGroup*l.SubGroup)
				}
				all = append(all, w)
			}
		}
	}
	return all
}

func addBuiltins(a *All) {
	t := a.topic("builtins", "what work-items are told about themselves: ids, sizes, sub-groups, in full and partial work-groups and sub-groups")
	const from = "oracle: SPIR-V 1.6, BuiltIn, with the linear order of sub-groups that the devices here have"
	ids := a.kernel(&Kernel{KernelName: KernelName{"builtins/ids", "main"}, Params: []string{"out"},
		Effect: func(_ *Rules, l *Launch) {
			dimensions := 3
			for dimensions > 1 && l.Global[dimensions-1] == 1 {
				dimensions--
			}
			for i, w := range l.items() {
				row := []int{}
				for _, three := range [][3]int{w.global, w.local, w.group, w.groups, l.Global, w.localSize, l.Local, l.Offset} {
					row = append(row, three[:]...)
				}
				row = append(row, w.linear, w.localLinear, dimensions)
				for c, x := range row {
					putNumber(l.Args["out"], u32, i*len(row)+c, uint64(x))
				}
			}
		}})
	for _, c := range []struct {
		name                  string
		global, local, offset []int
	}{
		{"1d", []int{24}, []int{8}, nil},
		{"2d", []int{6, 4}, []int{3, 2}, nil},
		{"3d", []int{6, 4, 2}, []int{2, 2, 2}, nil},
		{"offset", []int{6, 4}, []int{3, 2}, []int{100, 7}},
		{"partial", []int{10}, []int{4}, nil},
		{"partial-2d", []int{7, 5}, []int{4, 2}, []int{1, 2}},
	} {
		items := 1
		for _, n := range c.global {
			items *= n
		}
		t.Cases = append(t.Cases, &Case{Name: "ids/" + c.name, Module: ids.Module, From: from,
			Buffers: []*Buffer{out("out", u32.of(1), items*27)},
			Steps:   []*Step{{Kernel: ids, Global: c.global, Local: c.local, Offset: c.offset, Args: refs("out")}}})
	}

	sub := a.kernel(&Kernel{KernelName: KernelName{"builtins/sub-groups", "main"}, Params: []string{"out"},
		Effect: func(_ *Rules, l *Launch) {
			for i, w := range l.items() {
				for c, x := range []int{w.subGroupSize, l.SubGroup, w.subGroups, w.enqueuedSG, w.subGroup, w.lane} {
					putNumber(l.Args["out"], u32, i*6+c, uint64(x))
				}
			}
		}})
	for _, c := range []struct {
		name          string
		global, local []int
		size          int
	}{
		{"full", []int{96}, []int{48}, 16},
		{"partial-sub-group", []int{80}, []int{40}, 16},
		{"partial-work-group", []int{100}, []int{48}, 16},
		{"2d", []int{16, 4}, []int{16, 2}, 16},
		{"sg8", []int{64}, []int{64}, 8},
		{"sg32", []int{128}, []int{64}, 32},
	} {
		items := 1
		for _, n := range c.global {
			items *= n
		}
		t.Cases = append(t.Cases, &Case{Name: "sub-groups/" + c.name, Module: sub.Module, From: from,
			About:   fmt.Sprintf("Sub-groups of %d.", c.size),
			Buffers: []*Buffer{out("out", u32.of(1), items*6)},
			Steps:   []*Step{{Kernel: sub, Global: c.global, Local: c.local, SubGroup: c.size, Args: refs("out")}}})
	}
}
