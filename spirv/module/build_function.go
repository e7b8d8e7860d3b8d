package module

import (
	"slices"
	"strings"

	"github.com/sgrun/sgrun/spirv"
)

func (b *builder) beginFunction(in *spirv.Instruction) error {
	w := in.Words
	f := &Function{ID: spirv.ID(w[1]), Control: spirv.FunctionControl(w[2]), Type: b.Types[spirv.ID(w[3])], Inst: in, BlockByID: map[spirv.ID]*Block{}}
	b.fn = f
	if f.Type == nil || f.Type.Kind != FunctionType {
		return b.fail(in, "%v is not a function type", spirv.ID(w[3]))
	}
	b.Functions = append(b.Functions, f)
	b.FunctionByID[f.ID] = f
	return nil
}

// local reads one instruction inside a function.
func (b *builder) local(in *spirv.Instruction) error {
	switch in.Op {
	case spirv.OpLine, spirv.OpNoLine:
		if b.block != nil && b.block.Merge != nil {
			return b.fail(b.block.Merge, "a merge instruction must stand directly before the termination instruction, %v follows", in.Op)
		}
		return nil
	case spirv.OpFunction:
		return b.fail(in, "a function begins inside another, OpFunctionEnd is missing")
	case spirv.OpFunctionEnd:
		if b.block != nil {
			return b.fail(in, "the last block of the function has no termination instruction")
		}
		b.link()
		b.fn = nil
		return nil
	case spirv.OpFunctionParameter:
		if len(b.fn.Blocks) > 0 {
			return b.fail(in, "OpFunctionParameter stands after the first block")
		}
		b.fn.Params = append(b.fn.Params, Param{spirv.ID(in.Words[1]), b.Types[spirv.ID(in.Words[0])], in})
		return nil
	case spirv.OpLabel:
		if b.block != nil {
			return b.fail(in, "the block before this label has no termination instruction")
		}
		b.block = &Block{ID: spirv.ID(in.Words[0]), Index: len(b.fn.Blocks), Label: in}
		b.fn.Blocks = append(b.fn.Blocks, b.block)
		b.fn.BlockByID[b.block.ID] = b.block
		return nil
	}
	if isType(in.Op) || isConstant(in.Op) && in.Op != spirv.OpUndef && in.Op != spirv.OpPoisonKHR {
		return b.fail(in, "%v stands inside a function, it belongs before the first", in.Op)
	}
	if b.block == nil {
		if len(b.fn.Blocks) == 0 {
			return b.fail(in, "%v stands before the first block of the function", in.Op)
		}
		return b.fail(in, "%v stands after the termination instruction of the block", in.Op)
	}
	return b.inBlock(in)
}

func (b *builder) inBlock(in *spirv.Instruction) error {
	k := b.block
	if IsTerminator(in.Op) {
		k.Term = in
		b.block = nil
		return nil
	}
	if k.Merge != nil {
		return b.fail(k.Merge, "a merge instruction must stand directly before the termination instruction, %v follows", in.Op)
	}
	switch in.Op {
	case spirv.OpSelectionMerge, spirv.OpLoopMerge:
		k.Merge = in
		return nil
	case spirv.OpVariable:
		v, err := b.variable(in)
		if err != nil {
			return err
		}
		b.fn.Variables = append(b.fn.Variables, v)
	case spirv.OpFunctionCall:
		b.fn.Calls = append(b.fn.Calls, in)
	}
	k.Insts = append(k.Insts, in)
	return nil
}

// link fills in the successors and predecessors. Targets that are no blocks of the function are found by finish, when
// all names are known; here they are left out.
func (b *builder) link() {
	seen := map[*Block]*Block{} // successor to the last block that listed it
	for _, k := range b.fn.Blocks {
		for _, id := range b.Targets(k.Term) {
			s := b.fn.BlockByID[id]
			if s == nil || seen[s] == k {
				continue
			}
			seen[s] = k
			k.Succs = append(k.Succs, s)
			s.Preds = append(s.Preds, k)
		}
	}
}

// Targets returns the labels a termination instruction names, in order, repetitions included.
func (m *Module) Targets(term *spirv.Instruction) []spirv.ID {
	if term == nil {
		return nil
	}
	w := term.Words
	switch term.Op {
	case spirv.OpBranch:
		return []spirv.ID{spirv.ID(w[0])}
	case spirv.OpBranchConditional:
		return []spirv.ID{spirv.ID(w[1]), spirv.ID(w[2])}
	case spirv.OpSwitch:
		out := []spirv.ID{spirv.ID(w[1])}
		for _, c := range m.SwitchCases(term) {
			out = append(out, c.Target)
		}
		return out
	}
	return nil
}

// finish ties together what could not be while reading: what was declared before its target.
func (b *builder) finish() error {
	for _, f := range b.Functions {
		b.fn = f
		for _, k := range f.Blocks {
			for _, id := range b.Targets(k.Term) {
				if f.BlockByID[id] == nil {
					return b.fail(k.Term, "%v is not a block of this function", id)
				}
			}
		}
		for _, in := range f.Calls {
			if b.FunctionByID[spirv.ID(in.Words[2])] == nil {
				return b.fail(in, "%v is not a function", spirv.ID(in.Words[2]))
			}
		}
	}
	b.fn = nil
	b.nameLengths()
	if err := b.expandGroups(); err != nil {
		return err
	}
	for _, in := range b.entries {
		if err := b.entryPoint(in); err != nil {
			return err
		}
	}
	byFunction := map[spirv.ID][]*EntryPoint{}
	for _, e := range b.EntryPoints {
		byFunction[e.Function.ID] = append(byFunction[e.Function.ID], e)
	}
	for _, in := range b.modes {
		for _, e := range byFunction[spirv.ID(in.Words[0])] {
			e.Modes = append(e.Modes, ExecutionMode{spirv.ExecutionMode(in.Words[1]), in.Words[2:], in})
		}
	}
	return b.callGraph()
}

func (b *builder) entryPoint(in *spirv.Instruction) error {
	e := &EntryPoint{Model: spirv.ExecutionModel(in.Words[0]), Inst: in}
	id := spirv.ID(in.Words[1])
	name, n, _ := spirv.String(in.Words[2:])
	e.Name = name
	if e.Function = b.FunctionByID[id]; e.Function == nil {
		return b.fail(in, "entry point %q names %v, which is not a function of this module", name, id)
	}
	for _, w := range in.Words[2+n:] {
		e.Interface = append(e.Interface, spirv.ID(w))
	}
	b.EntryPoints = append(b.EntryPoints, e)
	return nil
}

// expandGroups applies decoration groups to their targets.
func (b *builder) expandGroups() error {
	total := 0
	for _, in := range b.groups {
		group := b.Decorations[spirv.ID(in.Words[0])]
		step := 1
		if in.Op == spirv.OpGroupMemberDecorate {
			step = 2
		}
		for w := in.Words[1:]; len(w) >= step; w = w[step:] {
			if total += len(group); total > maxExpanded {
				return b.fail(in, "decoration groups stand for more than %d decorations", maxExpanded)
			}
			var err error
			if step == 1 {
				err = b.decorate(in, spirv.ID(w[0]), group...)
			} else {
				err = b.decorateMember(in, spirv.ID(w[0]), int(w[1]), group...)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, c := range b.ConstantOrder { // a group may hold a SpecId
		if d, ok := b.Decoration(c.ID, spirv.DecorationBuiltIn); ok && b.groupSize == nil && len(d.Operands) > 0 && spirv.BuiltIn(d.Operands[0]) == spirv.BuiltInWorkgroupSize {
			b.groupSize = c
		}
		if d, ok := b.Decoration(c.ID, spirv.DecorationSpecId); ok && !c.HasSpecID && len(d.Operands) > 0 {
			c.HasSpecID, c.SpecID = true, d.Operands[0]
		}
	}
	return nil
}

// callGraph refuses call graphs with a cycle below an entry point (SPIR-V 1.6, section 2.16.1).
func (b *builder) callGraph() error {
	const (
		open = 1
		done = 2
	)
	type frame struct {
		f     *Function
		calls []*spirv.Instruction
	}
	state := map[*Function]int{}
	for _, e := range b.EntryPoints {
		if state[e.Function] != 0 {
			continue
		}
		stack := []frame{{e.Function, e.Function.Calls}}
		state[e.Function] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.calls) == 0 {
				state[top.f] = done
				stack = stack[:len(stack)-1]
				continue
			}
			in := top.calls[0]
			top.calls = top.calls[1:]
			callee := b.FunctionByID[spirv.ID(in.Words[2])]
			switch state[callee] {
			case open:
				i := slices.IndexFunc(stack, func(f frame) bool { return f.f == callee })
				var names []string
				for _, f := range stack[i:] {
					names = append(names, b.Name(f.f.ID))
				}
				if len(names) > 16 {
					names = append(names[:15], "…", names[len(names)-1])
				}
				b.fn = top.f
				return b.fail(in, "functions call themselves: %s → %s", strings.Join(names, " → "), b.Name(callee.ID))
			case 0:
				state[callee] = open
				stack = append(stack, frame{callee, callee.Calls})
			}
		}
	}
	return nil
}
