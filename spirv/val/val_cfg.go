package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Control-flow instructions (SPIR-V 1.6, section 3.3.17). Where branches may lead, checkFlow says.
var flowRules = map[spirv.Op]rule{
	spirv.OpPhi: phi, spirv.OpLabel: nothing, spirv.OpBranch: nothing, spirv.OpBranchConditional: branchConditional, spirv.OpSwitch: switchRule,
	spirv.OpReturn: returnVoid, spirv.OpReturnValue: returnValue, spirv.OpUnreachable: nothing, spirv.OpSelectionMerge: nothing, spirv.OpLoopMerge: loopMerge,
	spirv.OpKill: onlyModel(spirv.ExecutionModelFragment), spirv.OpTerminateInvocation: onlyModel(spirv.ExecutionModelFragment),
	spirv.OpIgnoreIntersectionKHR: onlyModel(spirv.ExecutionModelAnyHitKHR), spirv.OpTerminateRayKHR: onlyModel(spirv.ExecutionModelAnyHitKHR),
	spirv.OpDemoteToHelperInvocation: onlyModel(spirv.ExecutionModelFragment), spirv.OpIsHelperInvocationEXT: onlyModel(spirv.ExecutionModelFragment),
}

func phi(c *checker, in *inst) {
	pairs := in.args()
	switch {
	case isVoid(in.rt):
		c.bad(in, "OpPhi cannot make void")
		return
	case isPointerLike(in.rt) && c.Addressing == spirv.AddressingModelLogical && !c.variablePointers():
		c.bad(in, "OpPhi of pointers needs a capability for variable pointers under logical addressing")
		return
	case isOther(in.rt, spirv.OpTypeSampledImage), c.HasCapability(spirv.CapabilityShader) && (isOther(in.rt, spirv.OpTypeImage) || isOther(in.rt, spirv.OpTypeSampler)):
		c.bad(in, "OpPhi cannot make %v", in.rt)
		return
	case len(pairs) != 2*len(in.block.Preds):
		c.bad(in, "OpPhi lists %d predecessors, its block has %d", len(pairs)/2, len(in.block.Preds))
		return
	}
	seen := map[spirv.ID]bool{}
	preds := map[spirv.ID]bool{}
	for _, p := range in.block.Preds {
		preds[p.ID] = true
	}
	for i := 0; i < len(pairs); i += 2 {
		if t := c.typeOf(in, i); t != in.rt {
			c.bad(in, "the values of OpPhi must have the result type %v, %s is %v", in.rt, c.name(in.arg(i)), t)
			return
		}
		switch p := in.arg(i + 1); {
		case !preds[p]:
			c.bad(in, "%s is no predecessor of the block of OpPhi", c.name(p))
			return
		case seen[p]:
			c.bad(in, "OpPhi lists the predecessor %s more than once", c.name(p))
			return
		default:
			seen[p] = true
		}
	}
}

func branchConditional(c *checker, in *inst) {
	switch t := c.typeOf(in, 0); {
	case !isBool(t):
		c.bad(in, "the condition of OpBranchConditional must be bool, %s", is(t))
	case len(in.args()) != 3 && len(in.args()) != 5:
		c.bad(in, "OpBranchConditional must have two branch weights or none")
	case len(in.args()) == 5 && in.args()[3].Words[0] == 0 && in.args()[4].Words[0] == 0:
		c.bad(in, "one of the branch weights must be above 0")
	case in.arg(1) == in.arg(2) && (c.Binary.Version >= v16 || c.maximal(in.fn)):
		c.bad(in, "the targets of OpBranchConditional must be two different blocks")
	}
}

// maximal reports whether an entry point with the execution mode MaximallyReconvergesKHR reaches the function.
func (c *checker) maximal(f *module.Function) bool {
	for _, e := range c.reaching(f) {
		if _, ok := e.Mode(spirv.ExecutionModeMaximallyReconvergesKHR); ok {
			return true
		}
	}
	return false
}

func switchRule(c *checker, in *inst) {
	if t := c.typeOf(in, 0); !isInt(t) {
		c.bad(in, "the selector of OpSwitch must be an integer, %s", is(t))
		return
	}
	if n := len(c.SwitchCases(in.Instruction)); n > 16383 {
		c.fail(in, core+"2.17", "OpSwitch must have no more than 16383 cases, it has %d", n)
		return
	}
	seen := map[uint64]bool{}
	for _, k := range c.SwitchCases(in.Instruction) {
		if seen[k.Literal] {
			c.bad(in, "the literal %d stands twice in OpSwitch", k.Literal)
			return
		}
		seen[k.Literal] = true
	}
}

func returnVoid(c *checker, in *inst) {
	if !isVoid(in.fn.Type.Elem) {
		c.bad(in, "OpReturn must not stand in a function that returns %v", in.fn.Type.Elem)
	}
}

func returnValue(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	switch {
	case isVoid(t) || t != in.fn.Type.Elem:
		c.bad(in, "the value of OpReturnValue must have the type the function returns, %v, %s", in.fn.Type.Elem, is(t))
	case isPointerLike(t) && c.Addressing == spirv.AddressingModelLogical && !c.variablePointers():
		c.fail(in, core+"2.16.1", "a function cannot return a pointer under logical addressing")
	}
}

func loopMerge(c *checker, in *inst) {
	control, _ := in.word(2)
	has := func(m spirv.LoopControl) bool { return control&uint32(m) != 0 }
	switch {
	case in.arg(0) == in.block.ID:
		c.bad(in, "a loop header cannot be its own merge block")
	case in.arg(0) == in.arg(1):
		c.bad(in, "merge block and continue target of a loop must be different blocks")
	case has(spirv.LoopControlDontUnroll) && (has(spirv.LoopControlUnroll) || has(spirv.LoopControlPeelCount) || has(spirv.LoopControlPartialCount)):
		c.bad(in, "DontUnroll cannot stand with Unroll, PeelCount or PartialCount")
	case has(spirv.LoopControlIterationMultiple):
		i := 3
		for bit := spirv.LoopControlDependencyLength; bit < spirv.LoopControlIterationMultiple; bit <<= 1 {
			if has(bit) {
				i++
			}
		}
		if w, ok := in.word(i); ok && w == 0 {
			c.bad(in, "IterationMultiple must be above 0")
		}
	}
}

// onlyModel: the instruction stands in functions only that entry points of that execution model reach.
func onlyModel(m spirv.ExecutionModel) rule {
	return func(c *checker, in *inst) { c.models(in, []spirv.ExecutionModel{m}) }
}

// models checks that only entry points of these execution models reach the instruction.
func (c *checker) models(in *inst, allowed []spirv.ExecutionModel) {
	for _, e := range c.reaching(in.fn) {
		ok := false
		for _, m := range allowed {
			ok = ok || e.Model == m
		}
		if !ok {
			c.bad(in, "%v cannot be used in the execution model %v, entry point %q reaches it", in.Op, e.Model, e.Name)
			return
		}
	}
}

// class is what rules about the entry points above a function ask of them.
type class struct {
	model                 spirv.ExecutionModel
	maximal, quad, linear bool
}

// reaching returns, of the entry points that reach the function by calls, one of each class: there may be very many.
func (c *checker) reaching(f *module.Function) []*module.EntryPoint {
	if c.entries != nil {
		return c.entries[f]
	}
	c.entries = map[*module.Function][]*module.EntryPoint{}
	byClass := map[class][]*module.EntryPoint{}
	var order []class
	for _, e := range c.EntryPoints {
		has := func(m spirv.ExecutionMode) bool {
			_, ok := e.Mode(m)
			return ok
		}
		k := class{e.Model, has(spirv.ExecutionModeMaximallyReconvergesKHR), has(spirv.ExecutionModeDerivativeGroupQuadsKHR), has(spirv.ExecutionModeDerivativeGroupLinearKHR)}
		if byClass[k] == nil {
			order = append(order, k)
		}
		byClass[k] = append(byClass[k], e)
	}
	for _, k := range order {
		seen := map[*module.Function]bool{}
		for _, e := range byClass[k] {
			for todo := []*module.Function{e.Function}; len(todo) > 0; {
				f := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				if seen[f] {
					continue
				}
				seen[f] = true
				c.entries[f] = append(c.entries[f], e)
				for _, call := range f.Calls {
					todo = append(todo, c.FunctionByID[spirv.ID(call.Words[2])])
				}
			}
		}
	}
	return c.entries[f]
}

// checkFlow checks the control-flow graphs (SPIR-V 1.6, sections 2.11 and 2.16.1).
func (c *checker) checkFlow() {
	for _, f := range c.Functions {
		if len(f.Blocks) == 0 || c.full() {
			continue
		}
		c.checkPlaces(f)
		c.checkGraph(f)
		c.checkMeetings(f)
		if c.HasCapability(spirv.CapabilityShader) && len(c.found) == 0 {
			c.structured(f)
		}
	}
}

func (c *checker) checkGraph(f *module.Function) {
	entry := f.Blocks[0]
	for _, p := range entry.Preds {
		c.fail(c.instOf(p.Term), core+"2.16.1", "the first block of a function cannot be the target of a branch")
		return
	}
	dom := c.dom(f)
	merges := map[spirv.ID]bool{}
	for _, b := range f.Blocks {
		if d := dom.IDom(b); d != nil && d.Index > b.Index {
			c.fail(c.byID[b.ID], core+"2.4", "block %s must stand after its dominator %s", c.name(b.ID), c.name(d.ID))
			return
		}
		if b.Merge == nil {
			continue
		}
		in := c.instOf(b.Merge)
		for _, id := range in.ops {
			if id.IsID() && f.BlockByID[id.ID()] == nil {
				c.fail(in, in.section(), "%s is not a block of this function", c.name(id.ID()))
				return
			}
		}
		merge := spirv.ID(b.Merge.Words[0])
		if merges[merge] {
			c.fail(in, core+"2.11", "%s is the merge block of another header already", c.name(merge))
			return
		}
		merges[merge] = true
		switch op := b.Term.Op; {
		case b.Merge.Op == spirv.OpSelectionMerge && op != spirv.OpBranchConditional && op != spirv.OpSwitch:
			c.bad(in, "OpSelectionMerge must stand before OpBranchConditional or OpSwitch, %v follows", op)
			return
		case b.Merge.Op == spirv.OpLoopMerge && op != spirv.OpBranch && op != spirv.OpBranchConditional:
			c.bad(in, "OpLoopMerge must stand before OpBranch or OpBranchConditional, %v follows", op)
			return
		}
	}
}

// instOf returns the checker's view of an instruction of the module.
func (c *checker) instOf(in *spirv.Instruction) *inst {
	if c.index == nil {
		c.index = make(map[*spirv.Instruction]*inst, len(c.insts))
		for i := range c.insts {
			c.index[c.insts[i].Instruction] = &c.insts[i]
		}
	}
	return c.index[in]
}
