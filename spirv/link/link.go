// Package link joins SPIR-V modules into one and resolves what they import from each other by name (SPIR-V 1.6, decoration
// LinkageAttributes and section 2.13, Linkage).
package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Module is one of the modules to be joined.
type Module struct {
	Name  string // for messages, such as a file's name
	Model *module.Module
}

// Error says why modules cannot be joined.
type Error struct {
	// Kind is "unresolved", "twice", "type", "entry-point", "memory-model", "layout" or "invalid".
	Kind    string
	Symbol  string   // the linkage name or the entry point concerned; may be empty
	Modules []string // the names of the modules concerned
	Message string   // a sentence without the full stop
}

func (e *Error) Error() string {
	if len(e.Modules) == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (%s)", e.Message, strings.Join(e.Modules, ", "))
}

// Link joins the modules: an import takes the place of the export of the same name in any of them. Types, constants and
// built-in variables that are equal become one. Among definitions of a name with the linkage type LinkOnceODR the first
// counts. Ids are numbered anew, in the order of the modules; with one module whose imports are all its own this changes
// nothing else.
//
// Imports that name nothing are an *Error of kind "unresolved", except variables with the decoration BuiltIn, which the
// device provides. Other errors: two exports of a name, an import of another type than the export, two entry points of a
// name, different memory models. Errors are joined where there are several.
func Link(modules ...Module) (*module.Module, error) {
	l := &linker{to: map[spirv.ID]spirv.ID{}, keys: map[string]spirv.ID{}, exports: map[string]*symbol{}, annotations: map[spirv.ID][]string{}}
	bound := uint32(1)
	for _, m := range modules {
		p, err := l.renumber(m, bound-1)
		if err != nil {
			return nil, err
		}
		l.parts = append(l.parts, p)
		if bound += m.Model.Binary.Bound - 1; bound > module.MaxBound {
			return nil, &Error{Kind: "layout", Message: fmt.Sprintf("together the modules have more than %d ids", module.MaxBound)}
		}
	}
	l.mergeSets()
	l.annotate()
	l.mergeGlobals()
	l.resolve()
	l.checkEntries()
	if l.errs != nil {
		return nil, errors.Join(l.errs...)
	}
	m, err := l.model(l.binary(bound))
	if err != nil {
		return nil, err
	}
	return l.completeInterfaces(m)
}

// model makes the model of the result as though it had been read from a file, so that instructions know their offsets.
func (l *linker) model(b *spirv.Binary) (m *module.Module, err error) {
	data, err := b.Encode()
	if err == nil {
		b, err = spirv.Decode(data)
	}
	if err == nil {
		m, err = module.New(b)
	}
	if err != nil {
		return nil, &Error{Kind: "invalid", Message: "the modules do not make a valid one together: " + err.Error()}
	}
	return m, nil
}

type linker struct {
	parts       []*part
	to          map[spirv.ID]spirv.ID // ids that have become others
	keys        map[string]spirv.ID   // definitions by what they say
	exports     map[string]*symbol
	annotations map[spirv.ID][]string // names and decorations of an id, sorted
	errs        []error
}

// part is a module with its new numbers. Instructions are copies.
type part struct {
	Module
	base spirv.ID // what was added to its ids
	list []inst
	// functions are the instructions from the first OpFunction on; declared those of functions without a body.
	functions []inst
	declared  map[spirv.ID][]inst
}

// inst is an instruction with the places of ids among its words.
type inst struct {
	spirv.Instruction
	ids    []int
	result int // index of the result id; -1: none
}

// symbol is an export.
type symbol struct {
	id   spirv.ID
	part *part
	once bool // LinkOnceODR
}

// renumber adds base to all ids of a module.
func (l *linker) renumber(m Module, base uint32) (*part, error) {
	p := &part{Module: m, base: spirv.ID(base), declared: map[spirv.ID][]inst{}}
	var ops []module.Operand
	for i := range m.Model.Binary.Insts {
		in := &m.Model.Binary.Insts[i]
		x := inst{Instruction: *in, result: -1}
		x.Words = slices.Clone(in.Words)
		var err error
		if ops, err = m.Model.AppendOperands(ops[:0], in); err != nil {
			return nil, &Error{Kind: "invalid", Modules: []string{m.Name}, Message: err.Error()}
		}
		for _, o := range ops {
			switch {
			case o.IsID():
				if o.Kind.String() == "IdResult" {
					x.result = o.Index
				}
				x.ids = append(x.ids, o.Index)
			case o.Raw && in.Op == spirv.OpExtInst && strings.HasPrefix(m.Model.ExtInstSets[spirv.ID(in.Words[2])], "NonSemantic."):
				for k := range o.Words { // all operands of such a set are ids
					x.ids = append(x.ids, o.Index+k)
				}
			case o.Raw:
				return nil, &Error{Kind: "layout", Modules: []string{m.Name}, Message: "which operands of " + m.Model.Text(in) + " are ids is not known"}
			}
		}
		if len(ops) == 0 && len(in.Words) > 0 {
			return nil, &Error{Kind: "layout", Modules: []string{m.Name}, Message: fmt.Sprintf("which operands of opcode %d are ids is not known", in.Op)}
		}
		for _, k := range x.ids {
			x.Words[k] += base
		}
		p.list = append(p.list, x)
	}
	first := slices.IndexFunc(p.list, func(x inst) bool { return x.Op == spirv.OpFunction })
	if first < 0 {
		first = len(p.list)
	}
	p.functions = p.list[first:]
	for at := 0; at < len(p.functions); {
		n := slices.IndexFunc(p.functions[at:], func(x inst) bool { return x.Op == spirv.OpFunctionEnd })
		if n < 0 {
			break // module.New refuses it
		}
		f := p.functions[at : at+n+1]
		if !slices.ContainsFunc(f, func(x inst) bool { return x.Op == spirv.OpLabel }) {
			p.declared[f[0].id()] = f
		}
		at += n + 1
	}
	return p, nil
}

// id is the result id; 0 where there is none.
func (x *inst) id() spirv.ID {
	if x.result < 0 {
		return 0
	}
	return spirv.ID(x.Words[x.result])
}

// now is what an id has become.
func (l *linker) now(id spirv.ID) spirv.ID {
	for {
		to, ok := l.to[id]
		if !ok {
			return id
		}
		id = to
	}
}

// mapped returns the instruction with the ids as they are now.
func (l *linker) mapped(x *inst) spirv.Instruction {
	in := x.Instruction
	in.Words = slices.Clone(in.Words)
	for _, k := range x.ids {
		in.Words[k] = uint32(l.now(spirv.ID(in.Words[k])))
	}
	return in
}

// mergeSets makes imports of the same extended instruction set one.
func (l *linker) mergeSets() {
	for _, p := range l.parts {
		for i := range p.list {
			if x := &p.list[i]; x.Op == spirv.OpExtInstImport {
				l.merge(x, "set")
			}
		}
	}
}

// merge makes an instruction one with an earlier one that says the same, extra included. It reports whether there is one.
func (l *linker) merge(x *inst, extra string) bool {
	in := l.mapped(x)
	in.Words[x.result] = 0
	key := fmt.Sprint(in.Op, in.Words, extra)
	if have, ok := l.keys[key]; ok {
		l.to[x.id()] = have
		return true
	}
	l.keys[key] = x.id()
	return false
}

// annotate collects the decorations and member names that tell types apart.
func (l *linker) annotate() {
	for _, p := range l.parts {
		for i := range p.list {
			x := &p.list[i]
			switch x.Op {
			case spirv.OpDecorate, spirv.OpDecorateId, spirv.OpMemberDecorate, spirv.OpDecorateString, spirv.OpMemberDecorateString:
				target := spirv.ID(x.Words[0])
				l.annotations[target] = append(l.annotations[target], fmt.Sprint(x.Op, x.Words[1:]))
			case spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate:
				for _, k := range x.ids[1:] { // what a group says is not compared
					target := spirv.ID(x.Words[k])
					l.annotations[target] = append(l.annotations[target], fmt.Sprint("group ", x.Words[0], target))
				}
			}
		}
	}
	for _, list := range l.annotations {
		slices.Sort(list)
	}
}

// mergeGlobals makes equal types, constants and built-in variables one, module by module.
func (l *linker) mergeGlobals() {
	forward := map[spirv.ID]bool{}
	for _, p := range l.parts {
		for i := range p.list[:len(p.list)-len(p.functions)] {
			x := &p.list[i]
			id := x.id()
			notes := strings.Join(l.annotations[id], ";")
			switch name := x.Op.String(); {
			case x.Op == spirv.OpTypeForwardPointer:
				forward[spirv.ID(x.Words[0])] = true
			case id == 0 || forward[id]:
			case strings.HasPrefix(name, "OpType"), strings.HasPrefix(name, "OpConstant"):
				l.merge(x, notes)
			case x.Op == spirv.OpVariable && p.isBuiltIn(id) && !l.exported(p, id):
				l.merge(x, notes)
			}
		}
	}
}

// isBuiltIn reports whether a variable is one that the device fills in.
func (p *part) isBuiltIn(id spirv.ID) bool {
	_, ok := p.Model.Decoration(id-p.base, spirv.DecorationBuiltIn)
	return ok
}

func (l *linker) exported(p *part, id spirv.ID) bool {
	for i := range p.list {
		if s, ok := linkage(&p.list[i]); ok && s.target == id && s.kind != spirv.LinkageTypeImport {
			return true
		}
	}
	return false
}

// attribute is a decoration LinkageAttributes.
type attribute struct {
	target spirv.ID
	name   string
	kind   spirv.LinkageType
}

func linkage(x *inst) (attribute, bool) {
	if x.Op != spirv.OpDecorate || len(x.Words) < 4 || spirv.Decoration(x.Words[1]) != spirv.DecorationLinkageAttributes {
		return attribute{}, false
	}
	name, n, ok := spirv.String(x.Words[2:])
	if !ok || 2+n >= len(x.Words) {
		return attribute{}, false
	}
	return attribute{spirv.ID(x.Words[0]), name, spirv.LinkageType(x.Words[2+n])}, true
}

func (l *linker) fail(kind, symbol, format string, args ...any) *Error {
	e := &Error{Kind: kind, Symbol: symbol, Message: fmt.Sprintf(format, args...)}
	l.errs = append(l.errs, e)
	return e
}

// resolve gives each import the export of its name.
func (l *linker) resolve() {
	each := func(f func(p *part, a attribute)) {
		for _, p := range l.parts {
			for i := range p.list {
				if a, ok := linkage(&p.list[i]); ok {
					f(p, a)
				}
			}
		}
	}
	each(func(p *part, a attribute) {
		if a.kind == spirv.LinkageTypeImport {
			return
		}
		once := a.kind == spirv.LinkageTypeLinkOnceODR
		switch have := l.exports[a.name]; {
		case have == nil || have.once && !once:
			l.exports[a.name] = &symbol{a.target, p, once}
		case !once && have.id != a.target:
			l.fail("twice", a.name, "%q is exported twice", a.name).Modules = []string{have.part.Name, p.Name}
		}
	})
	each(func(p *part, a attribute) {
		have := l.exports[a.name]
		switch {
		case a.kind == spirv.LinkageTypeLinkOnceODR && have.id != a.target && have.once:
			l.to[a.target] = have.id // which is the same, by the linkage type's rule
			return
		case a.kind != spirv.LinkageTypeImport:
			return
		case have == nil:
			if _, merged := l.to[a.target]; !merged && !p.isBuiltIn(a.target) {
				l.fail("unresolved", a.name, "%q is imported and no module exports it", a.name).Modules = []string{p.Name}
			}
			return
		}
		if want, got := l.typeOf(p, a.target), l.typeOf(have.part, have.id); want != got {
			l.fail("type", a.name, "%q is imported with another type than it is exported with", a.name).Modules = []string{p.Name, have.part.Name}
			return
		}
		l.to[a.target] = have.id
	})
}

// typeOf is the type of a function or variable, as it is now.
func (l *linker) typeOf(p *part, id spirv.ID) spirv.ID {
	for i := range p.list {
		switch x := &p.list[i]; {
		case x.id() != id || id == 0:
		case x.Op == spirv.OpFunction:
			return l.now(spirv.ID(x.Words[3]))
		case x.Op == spirv.OpVariable:
			return l.now(spirv.ID(x.Words[0]))
		}
	}
	return 0
}

// checkEntries refuses two entry points of a name.
func (l *linker) checkEntries() {
	seen := map[string]string{}
	first := l.parts[0].Model
	for _, p := range l.parts {
		if p.Model.Addressing != first.Addressing || p.Model.MemoryModel != first.MemoryModel {
			l.fail("memory-model", "", "the modules have different memory models: %v %v and %v %v", first.Addressing, first.MemoryModel,
				p.Model.Addressing, p.Model.MemoryModel).Modules = []string{l.parts[0].Name, p.Name}
		}
		for _, e := range p.Model.EntryPoints {
			key := fmt.Sprint(e.Model, e.Name)
			if other, ok := seen[key]; ok {
				l.fail("entry-point", e.Name, "two entry points have the name %q", e.Name).Modules = []string{other, p.Name}
			}
			seen[key] = cmp.Or(p.Name, "-")
		}
	}
}
