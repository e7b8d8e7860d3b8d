package gen

import (
	"cmp"
	"fmt"
	"slices"
)

// bitonic sorts keys, and values with them if there are any, in a topic of its own.
func addSort(a *All) {
	t := a.topic("sort", "bitonic sorts: of sub-groups by shuffle-XOR, and of up to 2^16 keys, alone or with values, in several launches")
	a.sortSubGroups(t)
	for _, values := range []bool{false, true} {
		kind, buffers := "keys", []string{"keys"}
		if values {
			kind, buffers = "pairs", []string{"keys", "values"}
		}
		shader := []string{"0.0", "0.1"}[:len(buffers)]
		glsl := a.glsl("sort/glsl-"+kind, append(slices.Clone(shader), "push"), func(_ *Rules, l *Launch) {
			push := l.Args["push"]
			k, j := int(number(push, u32, 0)), int(number(push, u32, 1))
			switch l.Spec[1] {
			case 0:
				l.sortBlocks(shader)
			case 1:
				l.exchangeFar(shader, k, j)
			case 2:
				l.merge(shader, k)
			}
		})
		block := a.opencl("sort/opencl", "block_"+kind, buffers, func(_ *Rules, l *Launch) { l.sortBlocks(buffers) })
		near := a.opencl("sort/opencl", "near_"+kind, append(slices.Clone(buffers), "k"), func(_ *Rules, l *Launch) {
			l.merge(buffers, int(l.scalar("k", u32)))
		})
		far := a.opencl("sort/opencl", "far_"+kind, append(slices.Clone(buffers), "k", "j"), func(_ *Rules, l *Launch) {
			l.exchangeFar(buffers, int(l.scalar("k", u32)), int(l.scalar("j", u32)))
		})
		for _, c := range []struct {
			n int
			shape
		}{{16, shape{4, 4}}, {64, shape{16, 16}}, {1024, shape{64, 8}}, {4096, shape{512, 1}}, {65536, shape{256, 32}}} {
			args := []any{"keys", "values"}[:len(buffers)]
			with := func(more ...any) []any { return append(slices.Clone(args), more...) }
			shaderSteps := []*Step{glsl.step(c.n, c.shape, nil, with([]int{0, 0})...)}
			steps := []*Step{block.step(c.n, c.shape, nil, args...)}
			for k := 2 * c.local; k <= c.n; k *= 2 {
				for j := k / 2; j >= c.local; j /= 2 {
					half := c.shape
					half.local = min(half.local, c.n/2)
					shaderSteps = append(shaderSteps, glsl.step(c.n/2, half, []Spec{number32(1, 1)}, with([]int{k, j})...))
					steps = append(steps, far.step(c.n/2, half, nil, with(k, j)...))
				}
				shaderSteps = append(shaderSteps, glsl.step(c.n, c.shape, []Spec{number32(1, 2)}, with([]int{k, 0})...))
				steps = append(steps, near.step(c.n, c.shape, nil, with(k)...))
			}
			name := fmt.Sprintf("%s/n%d-sg%d", kind, c.n, c.subGroup)
			add := func(name, module string, steps []*Step) {
				// Keys that come but once where values go with them: which of two equal keys comes first is left open.
				keys := weyl(c.n)
				bs := []*Buffer{in("keys", keys)}
				if values {
					bs = append(bs, in("values", iota(u32.of(1), c.n)))
				}
				t.Cases = append(t.Cases, &Case{Name: name, Module: module, From: hostFrom, Buffers: bs, Steps: steps, Check: sortsAll(keys, values)})
			}
			add("glsl-"+name, glsl.Module, shaderSteps)
			add("opencl-"+name, block.Module, steps)
		}
	}
}

// weyl is a sequence of different numbers that look random: multiples of an odd number.
func weyl(n int) *Array {
	a := newArray(u32.of(1), n)
	for i := range n {
		a.set(i, 12345+uint64(i)*2654435761&0xffffffff)
	}
	a.fill = "iota(12345,2654435761)"
	return a
}

// sortsAll checks the steps' result against the host's own sort.
func sortsAll(keys *Array, values bool) func(map[string][]byte) error {
	return func(buffers map[string][]byte) error {
		order := make([]int, keys.count)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(keys.at(i), keys.at(j)) })
		for i, from := range order {
			if got := number(buffers["keys"], u32, i); got != keys.at(from) {
				return fmt.Errorf("key %d is %d, sorted it is %d", i, got, keys.at(from))
			}
			if values && number(buffers["values"], u32, i) != uint64(from) {
				return fmt.Errorf("value %d does not follow its key", i)
			}
		}
		return nil
	}
}

// sortSubGroups: each sub-group sorts its keys, among which are equal ones.
func (a *All) sortSubGroups(t *Topic) {
	k := a.opencl("sort/opencl", "sub_group_keys", []string{"keys"}, func(_ *Rules, l *Launch) {
		l.subgroups(func(items []int) {
			keys := make([]uint64, len(items))
			for lane, i := range items {
				keys[lane] = number(l.Args["keys"], u32, i)
			}
			slices.Sort(keys)
			for lane, i := range items {
				putNumber(l.Args["keys"], u32, i, keys[lane])
			}
		})
	})
	for size := 2; size <= 128; size *= 2 {
		keys := randomBits(u32.of(1), 4*size, 51)
		if size >= 16 { // with equal keys
			keys.fill = ""
			for i := range keys.count {
				keys.set(i, keys.at(i)%uint64(size))
			}
		}
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("sub-group/sg%d", size), Module: k.Module, From: hostFrom, Buffers: []*Buffer{in("keys", keys)},
			Steps: []*Step{k.step(4*size, shape{2 * size, size}, nil, "keys")}})
	}
}

// sortRange sorts elements first to first+n-1, down instead of up where down is set. The first buffer holds the keys.
func (l *Launch) sortRange(buffers []string, first, n int, down bool) {
	rows := make([][]uint64, n)
	for i := range rows {
		for _, b := range buffers {
			rows[i] = append(rows[i], number(l.Args[b], u32, first+i))
		}
	}
	slices.SortStableFunc(rows, func(x, y []uint64) int { return cmp.Compare(x[0], y[0]) })
	if down {
		slices.Reverse(rows)
	}
	for i, row := range rows {
		for c, b := range buffers {
			putNumber(l.Args[b], u32, first+i, row[c])
		}
	}
}

// sortBlocks sorts each work-group's block, up and down in turn.
func (l *Launch) sortBlocks(buffers []string) {
	n := l.Local[0]
	for first := 0; first < l.Items(); first += n {
		l.sortRange(buffers, first, n, first/n%2 == 1)
	}
}

// merge sorts each block again, which by then is a bitonic sequence. It goes up in every other sequence of k elements.
func (l *Launch) merge(buffers []string, k int) {
	n := l.Local[0]
	for first := 0; first < l.Items(); first += n {
		l.sortRange(buffers, first, n, first/k%2 == 1)
	}
}

// exchangeFar brings elements j apart in order, up in every other sequence of k elements.
func (l *Launch) exchangeFar(buffers []string, k, j int) {
	for i := range 2 * l.Items() {
		if i/j%2 == 1 {
			continue
		}
		x, y := number(l.Args[buffers[0]], u32, i), number(l.Args[buffers[0]], u32, i+j)
		if order := cmp.Compare(x, y); order == 0 || (order > 0) == (i/k%2 == 1) {
			continue
		}
		for _, b := range buffers {
			x, y := number(l.Args[b], u32, i), number(l.Args[b], u32, i+j)
			putNumber(l.Args[b], u32, i, y)
			putNumber(l.Args[b], u32, i+j, x)
		}
	}
}
