package link

import (
	"slices"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// section is the place of an instruction before the types in a module's layout (SPIR-V 1.6, section 2.4); -1: it stands
// among types, constants and variables.
func section(op spirv.Op) int {
	switch op {
	case spirv.OpCapability:
		return 0
	case spirv.OpExtension, spirv.OpConditionalExtensionINTEL:
		return 1
	case spirv.OpExtInstImport:
		return 2
	case spirv.OpMemoryModel:
		return 3
	case spirv.OpEntryPoint:
		return 4
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		return 5
	case spirv.OpString, spirv.OpSourceExtension, spirv.OpSource, spirv.OpSourceContinued:
		return 6
	case spirv.OpName, spirv.OpMemberName:
		return 7
	case spirv.OpModuleProcessed:
		return 8
	case spirv.OpDecorate, spirv.OpMemberDecorate, spirv.OpDecorationGroup, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate,
		spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorateString:
		return 9
	}
	return -1
}

const sections = 10

// binary writes the modules as one. Of what has become something else nothing is left.
func (l *linker) binary(bound uint32) *spirv.Binary {
	b := &spirv.Binary{Version: l.parts[0].Model.Binary.Version, Bound: bound}
	var head [sections][]spirv.Instruction
	var globals, declarations, definitions []spirv.Instruction
	once := map[string]bool{} // capabilities and extensions
	for _, p := range l.parts {
		b.Version = max(b.Version, p.Model.Binary.Version)
		gone := l.goneFrom(p)
		for i := range p.list[:len(p.list)-len(p.functions)] {
			x := &p.list[i]
			in := l.mapped(x)
			switch s := section(x.Op); {
			case s < 0:
				if !gone[x.id()] || x.id() == 0 {
					globals = append(globals, in)
				}
			case s == 3 && len(head[s]) > 0:
			case s <= 1:
				if key := string(rune(s)) + x.Op.String() + wordsKey(x.Words); !once[key] {
					once[key] = true
					head[s] = append(head[s], in)
				}
			case s == 2:
				if !gone[x.id()] {
					head[s] = append(head[s], in)
				}
			case s == 7 || s == 9 && x.Op != spirv.OpDecorationGroup && x.Op != spirv.OpGroupDecorate && x.Op != spirv.OpGroupMemberDecorate:
				if !gone[spirv.ID(x.Words[0])] {
					head[s] = append(head[s], in)
				}
			default:
				head[s] = append(head[s], in)
			}
		}
		for at := 0; at < len(p.functions); {
			n := 1
			for p.functions[at+n-1].Op != spirv.OpFunctionEnd {
				n++
			}
			f := p.functions[at : at+n]
			at += n
			id := f[0].id()
			to := &definitions
			if p.declared[id] != nil {
				to = &declarations
			}
			if gone[id] {
				continue
			}
			for i := range f {
				*to = append(*to, l.mapped(&f[i]))
			}
		}
	}
	for _, list := range head {
		b.Insts = append(b.Insts, list...)
	}
	b.Insts = append(append(append(b.Insts, globals...), declarations...), definitions...)
	return b
}

// goneFrom lists the ids of a module that the result has not: what became something else, and parameters of functions that
// were only declared.
func (l *linker) goneFrom(p *part) map[spirv.ID]bool {
	gone := map[spirv.ID]bool{}
	for i := range p.list {
		if id := p.list[i].id(); id != 0 && l.now(id) != id {
			gone[id] = true
		}
	}
	for at := 0; at < len(p.functions); at++ {
		if p.functions[at].Op != spirv.OpFunction || !gone[p.functions[at].id()] {
			continue
		}
		for ; p.functions[at].Op != spirv.OpFunctionEnd; at++ {
			if id := p.functions[at].id(); id != 0 {
				gone[id] = true
			}
		}
	}
	return gone
}

func wordsKey(words []uint32) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteByte(byte(w))
		b.WriteByte(byte(w >> 8))
		b.WriteByte(byte(w >> 16))
		b.WriteByte(byte(w >> 24))
	}
	return b.String()
}

// completeInterfaces adds to each entry point the variables that functions of other modules brought along (SPIR-V 1.6,
// OpEntryPoint: from version 1.4 on all module-scope variables, before that those of the storage classes Input and Output).
func (l *linker) completeInterfaces(m *module.Module) (*module.Module, error) {
	all := m.Binary.Version >= 0x00010400
	changed := false
	entry := 0
	insts := slices.Clone(m.Binary.Insts)
	for i := range insts {
		in := &insts[i]
		if in.Op != spirv.OpEntryPoint {
			continue
		}
		e := m.EntryPoints[entry]
		entry++
		_, n, _ := spirv.String(in.Words[2:])
		have := in.Words[2+n:]
		words := slices.Clip(in.Words)
		for _, v := range m.Uses(e) {
			outside := v.Storage == spirv.StorageClassInput || v.Storage == spirv.StorageClassOutput
			if (all || outside) && !slices.Contains(have, uint32(v.ID)) {
				words = append(words, uint32(v.ID))
				changed = true
			}
		}
		// What was listed twice, by two names of one built-in variable, is listed once.
		for k := 2 + n; k < len(words); k++ {
			if slices.Contains(words[2+n:k], words[k]) {
				words = slices.Delete(slices.Clone(words), k, k+1)
				changed = true
				k--
			}
		}
		in.Words = words
	}
	if !changed {
		return m, nil
	}
	b := *m.Binary
	b.Insts = insts
	return l.model(&b)
}
