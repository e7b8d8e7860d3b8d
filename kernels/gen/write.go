package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// inlineBytes is the size from which data go to a file of their own.
const inlineBytes = 3 << 10

// writer writes one vector file. The layout is fixed by hand, a line for each member of a case, so that changes read well.
type writer struct {
	topic *Topic
	files map[string][]byte
	out   bytes.Buffer
	// arrays are the topic's files by what is in them: cases in two languages expect the same.
	arrays map[string]string
}

func (w *writer) topicJSON() []byte {
	fmt.Fprintf(&w.out, "{\n \"topic\": %s,\n \"about\": %s,\n \"cases\": [", quote(w.topic.Name), quote(w.topic.About))
	for i, c := range w.topic.Cases {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.caseJSON(c)
	}
	w.out.WriteString("\n ]\n}\n")
	return w.out.Bytes()
}

func (w *writer) caseJSON(c *Case) {
	var members []string
	add := func(key, value string) { members = append(members, quote(key)+": "+value) }
	add("name", quote(c.Name))
	if c.About != "" {
		add("about", quote(c.About))
	}
	add("from", quote(c.From))
	add("requires", strings.ReplaceAll(marshal(c.Requires), ",", ", "))
	add("module", quote(c.Module))

	var buffers []string
	for _, b := range c.Buffers {
		text := b.printed
		if b.Output {
			text = b.Array.shape()
		} else if text == "" {
			text = w.array(c, b.Name+".in", b.Array)
		}
		buffers = append(buffers, quote(b.Name)+": "+quote(text))
	}
	add("buffers", object(buffers))

	var steps []string
	for _, s := range c.Steps {
		steps = append(steps, s.json())
	}
	add("steps", "["+strings.Join(steps, ",\n    ")+"]")

	var expect []string
	for _, e := range c.Expect {
		text := e.printed
		if text == "" {
			text = w.array(c, e.Buffer, w.sameInput(c, e.Array))
		}
		expect = append(expect, quote(e.Buffer)+": "+quote(text))
	}
	add("expect", object(expect))
	compare := c.Compare
	if compare == "" {
		compare = `{"mode": "bits"}`
	}
	add("compare", compare)
	fmt.Fprintf(&w.out, "\n  {\n   %s\n  }", strings.Join(members, ",\n   "))
}

// sameInput returns an input with the same contents, if there is one that is said in fewer words: what a kernel must give
// back unchanged.
func (w *writer) sameInput(c *Case, a *Array) *Array {
	for _, b := range c.Buffers {
		if !b.Output && b.Array.fill != "" && b.Array.typ == a.typ && bytes.Equal(b.Array.Data, a.Data) {
			return b.Array
		}
	}
	return a
}

// array returns the text of an array and puts its data into a file where they are long.
func (w *writer) array(c *Case, name string, a *Array) string {
	if a.fill != "" || len(a.Data) < inlineBytes {
		return a.text()
	}
	data := a.npy()
	file, had := w.arrays[string(data)]
	if !had {
		file = path.Join(w.topic.Name, strings.ReplaceAll(c.Name, "/", ".")+"."+name+".npy")
		w.files[path.Join(Vectors, file)] = data
		w.arrays[string(data)] = file
	}
	return a.shape() + ":@" + file
}

func (s *Step) json() string {
	members := []string{`"kernel": ` + quote(s.Kernel.Entry)}
	add := func(key string, value any) {
		members = append(members, quote(key)+": "+strings.ReplaceAll(marshal(value), ",", ", "))
	}
	if s.Groups {
		add("groups", s.Global)
	} else {
		add("global", s.Global)
		add("local", s.Local)
	}
	if s.Offset != nil {
		add("global_offset", s.Offset)
	}
	if s.SubGroup != 0 {
		add("sub_group_size", s.SubGroup)
	}
	if len(s.Spec) > 0 {
		var list []string
		for _, c := range s.Spec {
			list = append(list, fmt.Sprintf("\"%d\": %s", c.ID, quote(c.Text)))
		}
		members = append(members, `"spec": {`+strings.Join(list, ", ")+"}")
	}
	if s.BuildOptions != "" {
		add("build_options", s.BuildOptions)
	}
	var args []string
	for _, p := range s.Kernel.Params {
		args = append(args, quote(p)+": "+quote(s.Args[p]))
	}
	members = append(members, `"args": {`+strings.Join(args, ", ")+"}")
	return "{" + strings.Join(members, ", ") + "}"
}

func object(members []string) string {
	return "{\n    " + strings.Join(members, ",\n    ") + "\n   }"
}

func quote(s string) string { return marshal(s) }

func marshal(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // vectors are printed in < >
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// npy is the array as a NumPy file, format version 1.0: one row of numbers.
func (a *Array) npy() []byte {
	kind := map[byte]string{'u': "u", 'i': "i", 'f': "f"}[a.typ.kind]
	order := "<"
	if a.typ.bits == 8 {
		order = "|"
	}
	header := fmt.Sprintf("{'descr': '%s%s%d', 'fortran_order': False, 'shape': (%d,), }",
		order, kind, a.typ.bits/8, a.numbers())
	// Magic, version, length and header together are a multiple of 64 bytes, padded with spaces, ended by a line feed.
	const before = 10
	pad := 63 - (before+len(header))%64
	header += strings.Repeat(" ", pad) + "\n"
	file := []byte("\x93NUMPY\x01\x00")
	file = append(file, byte(len(header)), byte(len(header)>>8))
	file = append(file, header...)
	return append(file, a.Data...)
}
