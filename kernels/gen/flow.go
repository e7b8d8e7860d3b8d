package gen

import (
	"encoding/binary"
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// addShuffleFlow adds kernels in which lanes come to the bitcast shuffle by branches, loops and calls. The sub-group is
// full where they meet.
func addShuffleFlow(a *All) {
	t := a.topic("shuffle-flow", "OpSubgroupBitcastShuffleINTEL after branches that join, in loops, functions and branches of whole sub-groups")
	toHalves, toBytes := direction{u32.of(1), u16.of(2)}, direction{u32.of(1), u8.of(4)}

	divergence := a.kernel(&Kernel{KernelName: KernelName{"shuffle-flow/after-divergence", "main"}, Params: []string{"in", "out"},
		Effect: func(r *Rules, l *Launch) {
			l.subgroups(func(items []int) {
				operand := l.operands("in", u32.of(1), items)
				for _, x := range operand {
					if x[0]%2 == 0 {
						x[0] = oracle.IAdd(32, x[0], 1)
						continue
					}
					for turns := x[0] % 5; turns > 0; turns-- {
						x[0] = oracle.IMul(32, x[0], 3)
					}
				}
				for lane, y := range r.shuffle(operand, toHalves.src, toHalves.dst) {
					l.setElement("out", toHalves.dst, items[lane], y)
				}
			})
		}})
	loop := a.kernel(&Kernel{KernelName: KernelName{"shuffle-flow/loop", "main"}, Params: []string{"in", "out", "n"},
		Effect: func(r *Rules, l *Launch) {
			l.subgroups(func(items []int) {
				x := l.operands("in", u32.of(1), items)
				for range l.scalar("n", u32) {
					x = asWords(r.shuffle(x, toHalves.src, toHalves.dst), toHalves.dst)
					for _, lane := range x {
						lane[0] = oracle.IAdd(32, lane[0], 1)
					}
				}
				l.setWords("out", items, x)
			})
		}})
	function := a.kernel(&Kernel{KernelName: KernelName{"shuffle-flow/function", "main"}, Params: []string{"in", "out"},
		Effect: func(r *Rules, l *Launch) {
			l.subgroups(func(items []int) {
				x := asWords(r.shuffle(l.operands("in", u32.of(1), items), toBytes.src, toBytes.dst), toBytes.dst)
				for _, lane := range x {
					lane[0] = oracle.IAdd(32, lane[0], 1)
				}
				l.setWords("out", items, asWords(r.shuffle(x, toBytes.src, toBytes.dst), toBytes.dst))
			})
		}})
	pairs := direction{u32.of(2), u64.of(1)}
	branch := a.kernel(&Kernel{KernelName: KernelName{"shuffle-flow/uniform-branch", "main"}, Params: []string{"in", "out"},
		Effect: func(r *Rules, l *Launch) {
			l.subgroups(func(items []int) {
				operand := l.operands("in", pairs.src, items)
				var result [][]uint64
				if items[0]%l.Local[0]/l.SubGroup%2 == 1 {
					result = r.shuffle(operand, pairs.src, pairs.dst)
				} else {
					result = oracle.Bitcast(operand, pairs.src.shuffleType(), pairs.dst.shuffleType())
				}
				for lane, y := range result {
					l.setElement("out", pairs.dst, items[lane], y)
				}
			})
		}})

	for _, size := range []int{8, 16, 32} {
		local, global := 4*size, 8*size
		add := func(k *Kernel, src, dst vec, n int) {
			name := fmt.Sprintf("%s/sg%d", k.Module[len("shuffle-flow/"):], size)
			c := &Case{Name: name, Module: k.Module, From: shuffleFrom,
				Buffers: []*Buffer{in("in", randomBits(src, global, seedOf(name))), out("out", dst, global)},
				Steps:   oneStep(k, global, local, size, "in", "out")}
			if n > 0 {
				c.Steps[0].Args["n"] = fmt.Sprint(n)
				c.Steps[0].Values = map[string][]byte{"n": words(uint64(n)).Data}
			}
			t.Cases = append(t.Cases, c)
		}
		add(divergence, u32.of(1), u16.of(2), 0)
		add(loop, u32.of(1), u32.of(1), 3)
		add(function, u32.of(1), u32.of(1), 0)
		add(branch, u32.of(2), u64.of(1), 0)
	}
}

// operands reads the elements of a sub-group's work-items.
func (l *Launch) operands(name string, t vec, items []int) [][]uint64 {
	x := make([][]uint64, len(items))
	for lane, item := range items {
		x[lane] = l.element(name, t, item)
	}
	return x
}

// setWords stores a 32-bit number for each of the work-items.
func (l *Launch) setWords(name string, items []int, x [][]uint64) {
	for lane, item := range items {
		l.setElement(name, u32.of(1), item, x[lane])
	}
}

// asWords takes each lane's 32 bits as one number.
func asWords(x [][]uint64, t vec) [][]uint64 {
	y := make([][]uint64, len(x))
	for lane, components := range x {
		var b [4]byte
		for c, n := range components {
			putNumber(b[:], t.elem, c, n)
		}
		y[lane] = []uint64{uint64(binary.LittleEndian.Uint32(b[:]))}
	}
	return y
}
