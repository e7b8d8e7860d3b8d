package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	idPattern       = regexp.MustCompile(`%[A-Za-z0-9_]+`)
	scalarPattern   = regexp.MustCompile(`^([usf])(8|16|32|64)$`)
	vectorPattern   = regexp.MustCompile(`^v(2|3|4|8|16)([us](?:8|16|32|64)|f16|f32|f64|bool)$`)
	matrixPattern   = regexp.MustCompile(`^m([234])x([234])(f16|f32|f64)$`)
	arrayPattern    = regexp.MustCompile(`^a(\d+)_(\w+)$`)
	pointerPattern  = regexp.MustCompile(`^p_([A-Z][A-Za-z]+)_(\w+)$`)
	constantPattern = regexp.MustCompile(`^([usf](?:8|16|32|64))_([a-z0-9]+)$`)
)

// declarer writes the types and constants that a module uses before what uses them.
type declarer struct {
	out  strings.Builder
	done map[string]bool
	user map[string]string // definitions by id
	open []string          // being declared, outermost first
}

// declare returns the module-scope instructions: those of globals and the ones that names in globals and functions stand
// for.
func declare(globals, functions string) string {
	d := &declarer{done: map[string]bool{}, user: map[string]string{}}
	var order []string
	for line := range strings.Lines(globals) {
		line, _, _ = strings.Cut(line, ";")
		if id := idPattern.FindString(line); id != "" {
			d.user[id[1:]] = strings.TrimSpace(line)
			order = append(order, id[1:])
		}
	}
	for _, id := range order {
		d.id(id)
	}
	for _, id := range idPattern.FindAllString(functions, -1) {
		d.id(id[1:])
	}
	return d.out.String()
}

// id declares an id, unless it is one a function defines.
func (d *declarer) id(name string) {
	if d.done[name] || slices.Contains(d.open, name) {
		return
	}
	d.open = append(d.open, name)
	line := d.user[name]
	if line == "" {
		line = d.implied(name)
	}
	for _, used := range idPattern.FindAllString(line, -1) {
		if used[1:] != name {
			d.id(used[1:])
		}
	}
	d.open = d.open[:len(d.open)-1]
	d.done[name] = true
	if line != "" {
		d.out.WriteString(line + "\n")
	}
}

// implied returns the declaration a name stands for; empty where it stands for none.
func (d *declarer) implied(name string) string {
	switch name {
	case "void":
		return "%void = OpTypeVoid"
	case "bool":
		return "%bool = OpTypeBool"
	case "true":
		return "%true = OpConstantTrue %bool"
	case "false":
		return "%false = OpConstantFalse %bool"
	}
	if t, ok := strings.CutPrefix(name, "null_"); ok {
		return fmt.Sprintf("%%%s = OpConstantNull %%%s", name, t)
	}
	if m := scalarPattern.FindStringSubmatch(name); m != nil {
		switch m[1] {
		case "u":
			return fmt.Sprintf("%%%s = OpTypeInt %s 0", name, m[2])
		case "s":
			return fmt.Sprintf("%%%s = OpTypeInt %s 1", name, m[2])
		}
		return fmt.Sprintf("%%%s = OpTypeFloat %s", name, m[2])
	}
	if m := vectorPattern.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("%%%s = OpTypeVector %%%s %s", name, m[2], m[1])
	}
	if m := matrixPattern.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("%%%s = OpTypeMatrix %%v%s%s %s", name, m[2], m[3], m[1])
	}
	if m := arrayPattern.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("%%%s = OpTypeArray %%%s %%u32_%s", name, m[2], m[1])
	}
	if m := pointerPattern.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("%%%s = OpTypePointer %s %%%s", name, m[1], m[2])
	}
	if m := constantPattern.FindStringSubmatch(name); m != nil {
		return fmt.Sprintf("%%%s = OpConstant %%%s %s", name, m[1], literal(m[1][0] == 'f', m[2]))
	}
	return ""
}

// literal writes the number a constant's name ends with: m for minus, p for the point of a float, x for hexadecimal digits.
func literal(float bool, text string) string {
	sign := ""
	if strings.HasPrefix(text, "m") {
		sign, text = "-", text[1:]
	}
	switch {
	case strings.HasPrefix(text, "x"):
		return sign + "0" + text
	case float:
		return sign + strings.Replace(text, "p", ".", 1)
	}
	return sign + text
}
