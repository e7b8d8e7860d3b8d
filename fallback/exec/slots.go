package exec

import (
	"fmt"

	"github.com/sgrun/sgrun/fallback/lane"
)

// maxFile is the largest file, in bytes.
const maxFile = 1 << 30

// The file begins with two rows that belong to no value: one that unused operands point at, and one that breaks cycles
// of copies. Each is wide enough for any kind.
const (
	unusedSlot = 0
	spareSlot  = 8 * MaxLanes
	firstSlot  = 16 * MaxLanes
)

// rowBytes is the room a row of the kind takes, in bytes, a multiple of 64.
func (c *Code) rowBytes(k lane.Kind) uint32 {
	n := c.width * k.Bytes()
	if k == lane.Bool {
		n = (c.width + 7) / 8
	}
	return uint32(n+63) &^ 63
}

// assignSlots gives every value a row. Values used in one block only share rows once they are dead; all others,
// constants, inputs, parameters, results, phis and variables' registers among them, have a row of their own. That a
// row is reused by time in a block is safe under divergence: a lane reads only what it wrote itself on its own path, or
// what lanes that stand at the same instruction wrote.
func assignSlots(c *Code) error {
	p := c.prog
	c.slots = make([]uint32, len(p.Values))
	next := uint64(firstSlot)
	alloc := func(k lane.Kind) uint32 {
		off := next
		next += uint64(c.rowBytes(k))
		return uint32(off) // cut only where the file is refused below
	}
	own := make([]bool, len(p.Values)) // has a row of its own
	c.own = own
	pin := func(list []lane.Value) {
		for _, v := range list {
			if !own[v] {
				own[v] = true
				c.slots[v] = alloc(p.Values[v])
			}
		}
	}
	for _, k := range p.Consts {
		pin([]lane.Value{k.Value})
	}
	for _, in := range p.Inputs {
		pin([]lane.Value{in.Value})
	}
	// home is the only block that mentions a value: block number + 1, or -1 where there are several.
	home := make([]int32, len(p.Values))
	id := int32(0)
	mention := func(list ...lane.Value) {
		for _, v := range list {
			switch home[v] {
			case 0:
				home[v] = id
			case id:
			default:
				home[v] = -1
			}
		}
	}
	defs := make([]uint8, len(p.Values)) // definitions seen, at most 2
	for _, f := range p.Funcs {
		pin(f.Params)
		pin(f.Results)
		for i := range f.Blocks {
			b := &f.Blocks[i]
			id++
			for j := range b.Insts {
				mention(b.Insts[j].Src...)
				for _, v := range b.Insts[j].Src {
					if defs[v] == 0 && !own[v] {
						home[v] = -1 // a variable's register that outlives the block, or a value of an earlier block
					}
				}
				mention(b.Insts[j].Dst...)
				for _, v := range b.Insts[j].Dst {
					defs[v] = min(defs[v]+1, 2)
				}
			}
			mention(b.Term.Src...)
			if b.Term.Kind == lane.Branch || b.Term.Kind == lane.Switch {
				mention(b.Term.Cond)
			}
			for _, e := range b.Term.Edges {
				mention(e.Src...)
				pin(e.Dst)
			}
			pin(b.Term.Dst)
		}
	}
	for v := range p.Values {
		if !own[v] && (home[v] == -1 || defs[v] == 2) {
			pin([]lane.Value{lane.Value(v)})
		}
	}

	last := make([]int32, len(p.Values)) // last instruction of the block that reads the value
	follow := make([]lane.Value, len(p.Values))
	pool := map[uint32][]uint32{} // free rows by size
	release := func(v lane.Value) {
		for ; v != lane.NoValue; v = follow[v] {
			n := c.rowBytes(p.Values[v])
			pool[n] = append(pool[n], c.slots[v])
		}
	}
	for _, f := range p.Funcs {
		for i := range f.Blocks {
			b := &f.Blocks[i]
			end := int32(len(b.Insts))
			for j := range b.Insts {
				for _, v := range b.Insts[j].Src {
					last[v] = int32(j)
				}
				for _, v := range b.Insts[j].Dst {
					last[v] = int32(j) // never read: free right after it was written
				}
			}
			for _, v := range b.Term.Src {
				last[v] = end
			}
			if b.Term.Kind == lane.Branch || b.Term.Kind == lane.Switch {
				last[b.Term.Cond] = end
			}
			for _, e := range b.Term.Edges {
				for _, v := range e.Src {
					last[v] = end
				}
			}
			// Results get their rows before operands give theirs back: shuffles and multi-part operations may write a
			// result before they have read all operands.
			expire := make([]lane.Value, end+1) // first value that dies at an instruction; the others follow in next
			for j := range expire {
				expire[j] = lane.NoValue
			}
			for j := range b.Insts {
				in := &b.Insts[j]
				for _, v := range in.Dst {
					if own[v] {
						continue
					}
					n := c.rowBytes(p.Values[v])
					if rows := pool[n]; len(rows) > 0 {
						c.slots[v] = rows[len(rows)-1]
						pool[n] = rows[:len(rows)-1]
					} else {
						c.slots[v] = alloc(p.Values[v])
					}
					follow[v], expire[last[v]] = expire[last[v]], v
				}
				release(expire[j])
			}
			release(expire[end])
		}
	}
	if next > maxFile {
		return fmt.Errorf("the entry point %s keeps too many values at once: %d bytes for %d lanes, the emulator takes %d", p.Entry, next, c.width, maxFile)
	}
	c.size = int(next)
	return nil
}

// usedValues finds the values something depends on, so that elementwise operations without use are dropped.
func usedValues(p *lane.Program) []bool {
	used := make([]bool, len(p.Values))
	var todo []lane.Value
	mark := func(list ...lane.Value) {
		for _, v := range list {
			if !used[v] {
				used[v] = true
				todo = append(todo, v)
			}
		}
	}
	type def struct {
		src  []lane.Value
		next int32
	}
	defs := make([]def, 1)                // by index, 0 unused
	first := make([]int32, len(p.Values)) // of the elementwise operations that define a value
	for _, f := range p.Funcs {
		for i := range f.Blocks {
			b := &f.Blocks[i]
			for j := range b.Insts {
				in := &b.Insts[j]
				if !in.Op.Elementwise() {
					mark(in.Src...)
					continue
				}
				defs = append(defs, def{in.Src, first[in.Dst[0]]})
				first[in.Dst[0]] = int32(len(defs) - 1)
			}
			mark(b.Term.Src...)
			if b.Term.Kind == lane.Branch || b.Term.Kind == lane.Switch {
				mark(b.Term.Cond)
			}
			for _, e := range b.Term.Edges {
				mark(e.Src...)
			}
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for d := first[v]; d != 0; d = defs[d].next {
			mark(defs[d].src...)
		}
	}
	return used
}
