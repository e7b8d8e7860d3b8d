// Package lanecheck says whether a lane program is well formed: what package lane promises to engines, which they do not
// look at again.
package lanecheck

import (
	"fmt"

	"github.com/sgrun/sgrun/fallback/lane"
)

// Check returns the first thing that is wrong with a lane program.
func Check(p *lane.Program) error {
	c := checker{p: p, defined: make([]bool, len(p.Values))}
	for _, k := range c.p.Consts {
		c.define(k.Value)
		if b := c.kind(k.Value).Bits(); b < 64 && k.Bits>>b != 0 {
			c.fail("constant %d has bits above its kind", k.Value)
		}
	}
	for _, in := range p.Inputs {
		c.define(in.Value)
		c.input(&in)
	}
	for _, f := range p.Funcs {
		for _, v := range f.Params {
			c.define(v)
		}
		for _, b := range f.Blocks {
			for _, in := range b.Insts {
				c.define(in.Dst...)
			}
			c.define(b.Term.Dst...)
			for _, e := range b.Term.Edges {
				c.define(e.Dst...)
			}
		}
	}
	for i, f := range p.Funcs {
		c.where = fmt.Sprintf("function %d", i)
		c.function(f)
	}
	return c.err
}

type checker struct {
	p       *lane.Program
	defined []bool
	where   string
	err     error
}

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: "+format, append([]any{c.where}, args...)...)
	}
}

func (c *checker) kind(v lane.Value) lane.Kind {
	if v < 0 || int(v) >= len(c.p.Values) {
		c.fail("there is no value %d", v)
		return lane.I32
	}
	return c.p.Values[v]
}

func (c *checker) define(list ...lane.Value) {
	for _, v := range list {
		c.kind(v)
		if c.err == nil {
			c.defined[v] = true
		}
	}
}

// use checks that values have a definition somewhere.
func (c *checker) use(list ...lane.Value) {
	for _, v := range list {
		c.kind(v)
		if c.err == nil && !c.defined[v] {
			c.fail("value %d is used and never defined", v)
		}
	}
}

func (c *checker) input(in *lane.Input) {
	n := 0
	switch in.From {
	case lane.FromParam:
		n = len(c.p.Params)
	case lane.FromResource, lane.FromResourceLen:
		n = len(c.p.Resources)
	case lane.FromVariable:
		n = len(c.p.Variables)
	default:
		return
	}
	if in.A < 0 || in.A >= n {
		c.fail("input %d is from number %d of %d", in.Value, in.A, n)
		return
	}
	if q := &c.p.Params; in.From == lane.FromParam && (*q)[in.A].Kind == lane.ParamValue {
		if in.B < 0 || uint64(in.B)+uint64(c.kind(in.Value).Bytes()) > (*q)[in.A].Size {
			c.fail("input %d reads past the end of its parameter", in.Value)
		}
	}
}

func (c *checker) function(f *lane.Func) {
	if len(f.Blocks) == 0 {
		c.fail("no blocks")
		return
	}
	for i, l := range f.Loops {
		if l.Head < 0 || l.Last < l.Head || l.Last >= len(f.Blocks) || l.Parent < -1 || l.Parent >= i {
			c.fail("loop %d: %+v", i, l)
			return
		}
		if l.Parent >= 0 {
			if o := f.Loops[l.Parent]; l.Head <= o.Head || l.Last > o.Last {
				c.fail("loop %d is not inside its parent", i)
			}
		}
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		c.where = fmt.Sprintf("block %d", i)
		if b.Loop < -1 || b.Loop >= len(f.Loops) || b.Loop >= 0 && (i < f.Loops[b.Loop].Head || i > f.Loops[b.Loop].Last) {
			c.fail("it is not in its loop %d", b.Loop)
		}
		for j := range b.Insts {
			c.where = fmt.Sprintf("block %d, instruction %d, %v", i, j, b.Insts[j].Op)
			c.inst(&b.Insts[j])
		}
		c.where = fmt.Sprintf("end of block %d", i)
		c.term(f, &b.Term)
		for _, m := range []int{b.Merge, b.Continue} {
			if m < -1 || m >= len(f.Blocks) {
				c.fail("merge block %d", m)
			}
		}
	}
}

func (c *checker) inst(in *lane.Inst) {
	c.use(in.Src...)
	if in.At < 0 || int(in.At) >= len(c.p.Source) {
		c.fail("it stands for instruction %d", in.At)
	}
	if c.err != nil {
		return
	}
	kinds := func(want lane.Kind, list ...lane.Value) {
		for _, v := range list {
			if c.kind(v) != want && !(want.Bits() == c.kind(v).Bits() && want != lane.Bool && c.kind(v) != lane.Bool) {
				c.fail("value %d is %v, not %v", v, c.kind(v), want)
			}
		}
	}
	if info := in.Op.Info(); in.Op.Elementwise() {
		if len(in.Src) != info.Arity || len(in.Dst) != 1 || !info.On.Has(in.Kind) || info.Shape == lane.Convert && !info.To.Has(in.To) {
			c.fail("%d operands, %d results, kinds %v to %v", len(in.Src), len(in.Dst), in.Kind, in.To)
			return
		}
		src := in.Src
		result := in.Kind
		switch info.Shape {
		case lane.Pick:
			kinds(lane.Bool, src[0])
			src = src[1:]
		case lane.Test:
			result = lane.Bool
		case lane.Convert:
			result = in.To
		}
		kinds(in.Kind, src...)
		kinds(result, in.Dst...)
		return
	}
	address := func(v lane.Value) { kinds(c.p.AddrKind, v) }
	switch in.Op {
	case lane.Lea:
		if len(in.Src) < 1 || len(in.Src) > 2 || len(in.Dst) != 1 {
			c.fail("%d operands, %d results", len(in.Src), len(in.Dst))
			return
		}
		address(in.Src[0])
		address(in.Dst[0])
		kinds(in.Kind, in.Src[1:]...)
	case lane.Load, lane.Store:
		list := in.Dst
		if in.Op == lane.Store && len(in.Src) > 0 {
			list = in.Src[1:]
		}
		if len(in.Src) == 0 || in.Mem == nil || len(list) != len(in.Mem.Comps) || len(list) == 0 {
			c.fail("%d values", len(list))
			return
		}
		address(in.Src[0])
		for i, m := range in.Mem.Comps {
			kinds(m.Kind, list[i])
			if n := uint64(m.Kind.Bytes()); m.Off > in.Mem.Size || n > in.Mem.Size-m.Off {
				c.fail("component %d is past the end of the access", i)
			}
		}
	case lane.CopyMemory:
		address(in.Src[0])
		address(in.Src[1])
	case lane.Repack, lane.BitcastShuffle:
		kinds(in.Kind, in.Src...)
		kinds(in.To, in.Dst...)
		if len(in.Src)*in.Kind.Bits() != len(in.Dst)*in.To.Bits() || len(in.Src) == 0 || len(in.Src) > 16 || len(in.Dst) > 16 {
			c.fail("%d of %v to %d of %v", len(in.Src), in.Kind, len(in.Dst), in.To)
		}
	case lane.GenericCast, lane.Atomic, lane.BlockRead, lane.BlockWrite, lane.AsyncCopy:
		address(in.Src[0])
	default: // of other operations only that their operands are there
		if in.Op == lane.Invalid || in.Op.Info().Name == "" {
			c.fail("unknown operation")
		}
	}
}

func (c *checker) term(f *lane.Func, t *lane.Term) {
	c.use(t.Src...)
	edges := map[lane.TermKind]int{lane.Jump: 1, lane.Branch: 2, lane.Switch: len(t.Cases) + 1, lane.Call: 1, lane.Barrier: 1}[t.Kind]
	if len(t.Edges) != edges {
		c.fail("%d edges", len(t.Edges))
	}
	for _, e := range t.Edges {
		if e.To < 0 || e.To >= len(f.Blocks) {
			c.fail("an edge to block %d", e.To)
		}
		c.use(e.Src...)
		c.match("an edge", e.Dst, e.Src)
	}
	switch t.Kind {
	case lane.Branch, lane.Switch:
		c.use(t.Cond)
		if (c.kind(t.Cond) == lane.Bool) != (t.Kind == lane.Branch) || c.kind(t.Cond).Float() {
			c.fail("the condition is %v", c.kind(t.Cond))
		}
	case lane.Call:
		if t.Callee <= 0 || t.Callee >= len(c.p.Funcs) {
			c.fail("a call of function %d", t.Callee)
			return
		}
		c.match("arguments", c.p.Funcs[t.Callee].Params, t.Src)
		c.match("results", t.Dst, c.p.Funcs[t.Callee].Results)
	case lane.Return:
		c.match("results", f.Results, t.Src)
	}
}

func (c *checker) match(what string, dst, src []lane.Value) {
	if len(dst) != len(src) {
		c.fail("%s: %d values into %d", what, len(src), len(dst))
		return
	}
	for i := range dst {
		if c.kind(dst[i]).Bits() != c.kind(src[i]).Bits() {
			c.fail("%s: %v into %v", what, c.kind(src[i]), c.kind(dst[i]))
		}
	}
}
