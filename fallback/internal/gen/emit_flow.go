package gen

import "fmt"

// incoming is a way into a merge block, with the values of its phis.
type incoming struct {
	from string
	outs []string
}

// join writes a merge block and its phis. It reports whether the block can be reached.
func (e *emitter) join(label string, in []incoming, res []Res) bool {
	e.begin(label)
	if len(in) == 0 {
		e.line("OpUnreachable")
		return false
	}
	for k, r := range res {
		text := ""
		for _, i := range in {
			v := "%null_" + r.Type
			if k < len(i.outs) {
				v = i.outs[k]
			}
			text += fmt.Sprintf(" %s %s", v, i.from)
		}
		e.line("%s = OpPhi %%%s%s", e.define(r), r.Type, text)
	}
	return true
}

func (e *emitter) args(list []Arg) (out []string) {
	for _, a := range list {
		out = append(out, e.arg(a))
	}
	return out
}

func (e *emitter) ifStmt(p *Program, s *Stmt) bool {
	end := e.fresh("end")
	labels := [2]string{e.fresh("then"), e.fresh("else")}
	e.line("OpSelectionMerge %s None", end)
	e.line("OpBranchConditional %s %s %s", e.arg(s.Args[0]), labels[0], labels[1])
	var in []incoming
	for i, body := range s.Bodies {
		e.begin(labels[i])
		e.body(p, body, func() {
			in = append(in, incoming{e.label, e.args(s.Outs[i])})
			e.line("OpBranch %s", end)
		})
	}
	return e.join(end, in, s.Res)
}

func (e *emitter) switchStmt(p *Program, s *Stmt) bool {
	end := e.fresh("end")
	var labels []string
	for range s.Bodies {
		labels = append(labels, e.fresh("case"))
	}
	last := len(labels) - 1
	text := ""
	for i, list := range s.Labels {
		for _, v := range list {
			text += fmt.Sprintf(" %d %s", v, labels[i])
		}
	}
	e.line("OpSelectionMerge %s None", end)
	e.line("OpSwitch %s %s%s", e.arg(s.Args[0]), labels[last], text)
	e.targets = append(e.targets, target{merge: end})
	at := len(e.targets) - 1
	var in []incoming
	for i, body := range s.Bodies {
		e.begin(labels[i])
		e.body(p, body, func() {
			if i < last && s.Fall[i] && i+1 < last {
				e.line("OpBranch %s", labels[i+1])
				return
			}
			in = append(in, incoming{e.label, e.args(s.Outs[i])})
			e.line("OpBranch %s", end)
		})
	}
	for _, b := range e.targets[at].breaks {
		in = append(in, incoming{from: b})
	}
	e.targets = e.targets[:at]
	return e.join(end, in, s.Res)
}

// loop counts from 0 to the count modulo 5, or does at least one round where the test is at the end.
func (e *emitter) loop(p *Program, s *Stmt) {
	head, body, next, end := e.fresh("head"), e.fresh("body"), e.fresh("next"), e.fresh("end")
	limit, one, test := e.fresh("limit"), e.fresh("i"), e.fresh("test")
	e.line("%s = OpUMod %%u32 %s %%u32_5", limit, e.arg(s.Args[0]))
	init := e.args(s.Init)
	before := e.label
	e.line("OpBranch %s", head)
	e.begin(head)
	// The values that go round are known by name before they are defined.
	var carried []string
	for range s.Carry {
		carried = append(carried, e.fresh("carry"))
	}
	i := e.define(s.Res[0])
	e.line("%s = OpPhi %%u32 %%u32_0 %s %s %s", i, before, one, next)
	for k, r := range s.Carry {
		e.line("%s = OpPhi %%%s %s %s %s %s", e.define(r), r.Type, init[k], before, carried[k], next)
	}
	if s.Test {
		e.line("OpLoopMerge %s %s None", end, next)
		e.line("OpBranch %s", body)
	} else {
		e.line("%s = OpULessThan %%bool %s %s", test, i, limit)
		e.line("OpLoopMerge %s %s None", end, next)
		e.line("OpBranchConditional %s %s %s", test, body, end)
	}
	e.begin(body)
	e.targets = append(e.targets, target{merge: end, loop: true, next: next})
	at := len(e.targets) - 1
	var in []incoming
	e.body(p, s.Bodies[0], func() {
		in = append(in, incoming{e.label, e.args(s.Outs[0])})
		e.line("OpBranch %s", next)
	})
	for _, from := range e.targets[at].again {
		var same []string
		for _, r := range s.Carry {
			same = append(same, e.value(r.ID))
		}
		in = append(in, incoming{from, same})
	}
	e.targets = e.targets[:at]
	e.begin(next)
	for k, r := range s.Carry {
		if len(in) == 0 {
			e.line("%s = OpCopyObject %%%s %%null_%s", carried[k], r.Type, r.Type)
			continue
		}
		text := ""
		for _, x := range in {
			text += fmt.Sprintf(" %s %s", x.outs[k], x.from)
		}
		e.line("%s = OpPhi %%%s%s", carried[k], r.Type, text)
	}
	e.line("%s = OpIAdd %%u32 %s %%u32_1", one, i)
	if s.Test {
		e.line("%s = OpULessThan %%bool %s %s", test, one, limit)
		e.line("OpBranchConditional %s %s %s", test, head, end)
	} else {
		e.line("OpBranch %s", head)
	}
	e.begin(end)
}
