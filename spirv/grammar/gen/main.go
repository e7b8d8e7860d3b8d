// Command gen turns the machine-readable SPIR-V grammar into the Go tables of packages spirv and spirv/grammar.
//
// Usage:
//
//	gen -spirv DIR -grammar DIR -core FILE[,FILE...] -ext NAME=FILE[,NAME=FILE...]
//
// The first -core file is Khronos' spirv.core.grammar.json; the files after it are supplements in the same form, whose
// instructions and enumerants are added. A number or a name that is already there is an error, so a supplement cannot
// silently outlive its purpose.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type file struct {
	Instructions []inst `json:"instructions"`
	OperandKinds []kind `json:"operand_kinds"`
}

type inst struct {
	Opname       string    `json:"opname"`
	Class        string    `json:"class"`
	Opcode       uint32    `json:"opcode"`
	Aliases      []string  `json:"aliases"`
	Operands     []operand `json:"operands"`
	Capabilities []string  `json:"capabilities"`
	Extensions   []string  `json:"extensions"`
	Version      string    `json:"version"`
	LastVersion  string    `json:"lastVersion"`
}

type operand struct {
	Kind       string `json:"kind"`
	Quantifier string `json:"quantifier"`
	Name       string `json:"name"`
}

type kind struct {
	Category   string      `json:"category"`
	Kind       string      `json:"kind"`
	Enumerants []enumerant `json:"enumerants"`
	Bases      []string    `json:"bases"`
}

type enumerant struct {
	Enumerant    string    `json:"enumerant"`
	Aliases      []string  `json:"aliases"`
	Value        number    `json:"value"`
	Parameters   []operand `json:"parameters"`
	Capabilities []string  `json:"capabilities"`
	Extensions   []string  `json:"extensions"`
	Version      string    `json:"version"`
	LastVersion  string    `json:"lastVersion"`
}

// number accepts both spellings of the grammar: 3 and "0x0004".
type number uint32

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(b), `"`), 0, 32)
	*n = number(v)
	return err
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	spirvDir := flag.String("spirv", ".", "folder of package spirv")
	grammarDir := flag.String("grammar", "grammar", "folder of package grammar")
	core := flag.String("core", "", "core grammar file, then supplements, separated by commas")
	ext := flag.String("ext", "", "extended instruction sets as NAME=FILE, separated by commas")
	flag.Parse()
	if err := run(*spirvDir, *grammarDir, strings.Split(*core, ","), strings.Split(*ext, ",")); err != nil {
		log.Fatal(err)
	}
}

func run(spirvDir, grammarDir string, core, ext []string) error {
	g, err := load(core)
	if err != nil {
		return err
	}
	var sets []extSet
	for _, e := range ext {
		name, path, ok := strings.Cut(e, "=")
		if !ok {
			return fmt.Errorf("-ext wants NAME=FILE, got %q", e)
		}
		f, err := read(path)
		if err != nil {
			return err
		}
		sets = append(sets, extSet{name, f.Instructions})
	}
	return errors.Join(
		write(filepath.Join(spirvDir, "zops.go"), genOps(g)),
		write(filepath.Join(spirvDir, "zenums.go"), genEnums(g)),
		write(filepath.Join(grammarDir, "zinstructions.go"), genInstructions(g)),
		write(filepath.Join(grammarDir, "zkinds.go"), genKinds(g)),
		write(filepath.Join(grammarDir, "zextinst.go"), genExt(sets)),
	)
}

func read(path string) (*file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(file)
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// load reads the core grammar and merges the supplements into it, refusing duplicates.
func load(paths []string) (*file, error) {
	g, err := read(paths[0])
	if err != nil {
		return nil, err
	}
	for _, path := range paths[1:] {
		s, err := read(path)
		if err != nil {
			return nil, err
		}
		for _, in := range s.Instructions {
			if slices.ContainsFunc(g.Instructions, func(o inst) bool { return o.Opcode == in.Opcode || o.Opname == in.Opname }) {
				return nil, fmt.Errorf("%s: %s (%d) is already in the grammar", path, in.Opname, in.Opcode)
			}
			g.Instructions = append(g.Instructions, in)
		}
		for _, k := range s.OperandKinds {
			i := slices.IndexFunc(g.OperandKinds, func(o kind) bool { return o.Kind == k.Kind })
			if i < 0 {
				g.OperandKinds = append(g.OperandKinds, k)
				continue
			}
			for _, e := range k.Enumerants {
				if slices.ContainsFunc(g.OperandKinds[i].Enumerants, func(o enumerant) bool { return o.Value == e.Value || o.Enumerant == e.Enumerant }) {
					return nil, fmt.Errorf("%s: %s %s (%d) is already in the grammar", path, k.Kind, e.Enumerant, e.Value)
				}
				g.OperandKinds[i].Enumerants = append(g.OperandKinds[i].Enumerants, e)
			}
		}
	}
	slices.SortFunc(g.Instructions, func(a, b inst) int { return int(a.Opcode) - int(b.Opcode) })
	for i := range g.OperandKinds {
		slices.SortStableFunc(g.OperandKinds[i].Enumerants, func(a, b enumerant) int { return int(int64(a.Value) - int64(b.Value)) })
	}
	return g, nil
}

type extSet struct {
	name  string
	insts []inst
}

const header = "// Code generated by spirv/grammar/gen from the SPIR-V grammar; DO NOT EDIT.\n\n"

func genOps(g *file) string {
	var b strings.Builder
	b.WriteString(header + "package spirv\n\n// Opcodes, as numbered by the SPIR-V specification, section 3.3 (Instructions).\nconst (\n")
	for _, in := range g.Instructions {
		fmt.Fprintf(&b, "%s Op = %d\n", in.Opname, in.Opcode)
		for _, a := range in.Aliases {
			fmt.Fprintf(&b, "%s Op = %s\n", a, in.Opname)
		}
	}
	b.WriteString(")\n\nvar opNames = []enumName{\n")
	for _, in := range g.Instructions {
		fmt.Fprintf(&b, "{%d, %q},\n", in.Opcode, in.Opname)
	}
	b.WriteString("}\n")
	return b.String()
}

func isEnum(k kind) bool { return k.Category == "ValueEnum" || k.Category == "BitEnum" }

func genEnums(g *file) string {
	var b strings.Builder
	b.WriteString(header + "package spirv\n\n")
	for _, k := range g.OperandKinds {
		if !isEnum(k) {
			continue
		}
		fmt.Fprintf(&b, "// %s is the operand kind of that name in the SPIR-V specification, section 3.2.\ntype %s uint32\n\n", k.Kind, k.Kind)
		fmt.Fprintf(&b, "// Values of %s.\nconst (\n", k.Kind)
		seen := map[string]bool{}
		for _, e := range k.Enumerants {
			for _, name := range append([]string{e.Enumerant}, e.Aliases...) {
				if seen[name] {
					continue
				}
				seen[name] = true
				fmt.Fprintf(&b, "%s%s %s = %#x\n", k.Kind, name, k.Kind, uint32(e.Value))
			}
		}
		b.WriteString(")\n\n")
		if k.Category == "ValueEnum" {
			fmt.Fprintf(&b, "// String returns the name in the specification, or the number where it has none.\n")
			fmt.Fprintf(&b, "func (v %s) String() string { return nameOf(names%s, uint32(v)) }\n\n", k.Kind, k.Kind)
			fmt.Fprintf(&b, "var names%s = []enumName{\n", k.Kind)
			last := int64(-1)
			for _, e := range k.Enumerants {
				if int64(e.Value) != last {
					fmt.Fprintf(&b, "{%d, %q},\n", e.Value, e.Enumerant)
				}
				last = int64(e.Value)
			}
			b.WriteString("}\n\n")
		}
	}
	return b.String()
}

func genInstructions(g *file) string {
	var b strings.Builder
	b.WriteString(header + "package grammar\n\nimport \"github.com/sgrun/sgrun/spirv\"\n\nvar instructions = []Instruction{\n")
	for _, in := range g.Instructions {
		fmt.Fprintf(&b, "{Op: spirv.%s, Name: %q, Class: %q", in.Opname, in.Opname, in.Class)
		strs(&b, "Aliases", in.Aliases)
		operands(&b, "Operands", in.Operands)
		requirement(&b, in.Capabilities, in.Extensions, in.Version, in.LastVersion)
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func genKinds(g *file) string {
	var b strings.Builder
	b.WriteString(header + "package grammar\n\nimport \"github.com/sgrun/sgrun/spirv\"\n\n// Operand kinds, named as in the grammar.\nconst (\n")
	for i, k := range g.OperandKinds {
		if i == 0 {
			fmt.Fprintf(&b, "%s Kind = iota\n", k.Kind)
		} else {
			fmt.Fprintf(&b, "%s\n", k.Kind)
		}
	}
	b.WriteString(")\n\nvar kinds = []KindInfo{\n")
	for _, k := range g.OperandKinds {
		cat := map[string]string{"ValueEnum": "ValueEnum", "BitEnum": "BitEnum", "Literal": "Literal", "Id": "Id", "Composite": "Composite"}[k.Category]
		fmt.Fprintf(&b, "{Kind: %s, Name: %q, Category: %s", k.Kind, k.Kind, cat)
		if len(k.Bases) > 0 {
			fmt.Fprintf(&b, ", Bases: []Kind{%s}", strings.Join(k.Bases, ", "))
		}
		if len(k.Enumerants) > 0 {
			b.WriteString(", Enumerants: []Enumerant{\n")
			for _, e := range k.Enumerants {
				fmt.Fprintf(&b, "{Name: %q, Value: %#x", e.Enumerant, uint32(e.Value))
				strs(&b, "Aliases", e.Aliases)
				operands(&b, "Parameters", e.Parameters)
				requirement(&b, e.Capabilities, e.Extensions, e.Version, e.LastVersion)
				b.WriteString("},\n")
			}
			b.WriteString("}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func genExt(sets []extSet) string {
	var b strings.Builder
	b.WriteString(header + "package grammar\n\nvar extInstSets = []ExtInstSet{\n")
	for _, s := range sets {
		fmt.Fprintf(&b, "{Name: %q, Instructions: []ExtInst{\n", s.name)
		insts := slices.Clone(s.insts)
		slices.SortFunc(insts, func(a, b inst) int { return int(a.Opcode) - int(b.Opcode) })
		for _, in := range insts {
			fmt.Fprintf(&b, "{Name: %q, Number: %d", in.Opname, in.Opcode)
			operands(&b, "Operands", in.Operands)
			b.WriteString("},\n")
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func strs(b *strings.Builder, field string, list []string) {
	if len(list) > 0 {
		fmt.Fprintf(b, ", %s: %#v", field, list)
	}
}

func operands(b *strings.Builder, field string, list []operand) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, ", %s: []Operand{", field)
	for _, o := range list {
		fmt.Fprintf(b, "{Kind: %s", o.Kind)
		switch o.Quantifier {
		case "?":
			b.WriteString(", Quantifier: Optional")
		case "*":
			b.WriteString(", Quantifier: Variadic")
		}
		if o.Name != "" {
			fmt.Fprintf(b, ", Name: %q", strings.ReplaceAll(o.Name, "\n", " "))
		}
		b.WriteString("},")
	}
	b.WriteString("}")
}

func requirement(b *strings.Builder, caps, exts []string, version, last string) {
	if len(caps) > 0 {
		names := make([]string, len(caps))
		for i, c := range caps {
			names[i] = "spirv.Capability" + c
		}
		fmt.Fprintf(b, ", Capabilities: []spirv.Capability{%s}", strings.Join(names, ", "))
	}
	strs(b, "Extensions", exts)
	if v := versionWord(version); v != "" {
		fmt.Fprintf(b, ", Version: %s", v)
	}
	if v := versionWord(last); v != "" {
		fmt.Fprintf(b, ", LastVersion: %s", v)
	}
}

// versionWord renders "1.3" as the header word 0x00010300; "None" and absence as nothing.
func versionWord(s string) string {
	major, minor, ok := strings.Cut(s, ".")
	if !ok {
		return ""
	}
	ma, err1 := strconv.Atoi(major)
	mi, err2 := strconv.Atoi(minor)
	if err1 != nil || err2 != nil {
		return ""
	}
	return fmt.Sprintf("0x%08x", ma<<16|mi<<8)
}

func write(path, src string) error {
	out, err := format.Source([]byte(src))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, out) {
		return nil
	}
	return os.WriteFile(path, out, 0o644)
}
