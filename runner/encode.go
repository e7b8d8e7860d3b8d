package runner

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/sgrun/sgrun/runner/internal/jsontree"
	"github.com/sgrun/sgrun/runner/value"
)

// inlineNumbers is how many numbers of a buffer a launch file holds itself; longer ones go to a .npy file beside it.
const inlineNumbers = 256

// MarshalJSON writes the launch as a launch file holds it, with all data in it.
func (l *Launch) MarshalJSON() ([]byte, error) {
	n, err := l.node(func(string, *value.Array) (string, error) { return "", nil })
	if err != nil {
		return nil, err
	}
	return n.Format(), nil
}

// Save writes the launch to a file, and buffers of more than 256 numbers that no generator makes to .npy files beside it
// (NAME.BUFFER.npy). A relative path of the module is written as seen from the file's folder.
func (l *Launch) Save(name string) error {
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	dir := filepath.Dir(name)
	n, err := l.node(func(buffer string, a *value.Array) (string, error) {
		if a.Scalars() <= inlineNumbers {
			return "", nil
		}
		file := fmt.Sprintf("%s.%s.npy", base, fileSafe(buffer))
		return file, a.Save(filepath.Join(dir, file))
	})
	if err != nil {
		return saveError(name, err)
	}
	if m := n.Get("module"); m != nil && isModuleFile(m.Text) && !filepath.IsAbs(m.Text) {
		from, err1 := filepath.Abs(dir)
		to, err2 := filepath.Abs(m.Text)
		if rel, err := filepath.Rel(from, to); err == nil && err1 == nil && err2 == nil {
			m.Text = rel
		}
	}
	return saveError(name, value.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(n.Format())
		return err
	}))
}

func saveError(name string, err error) error {
	if err == nil {
		return nil
	}
	e := usage("cannot-write", "cannot save the launch to %s", name)
	e.Err = err
	return e
}

// fileSafe makes a name fit to be part of a file's name.
func fileSafe(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
}

// node makes the document. store puts a buffer's data into a file and returns its name, or returns "" to keep it in.
func (l *Launch) node(store func(buffer string, a *value.Array) (string, error)) (*jsontree.Node, error) {
	n := &jsontree.Node{Kind: jsontree.Object}
	if l.Module != "" {
		n.Set("module", str(l.Module))
	}
	if len(l.Buffers) > 0 {
		buffers := &jsontree.Node{Kind: jsontree.Object}
		for _, b := range l.Buffers {
			v, err := bufferNode(b.Name, b.Value, store)
			if err != nil {
				return nil, err
			}
			buffers.Set(b.Name, v)
		}
		n.Set("buffers", buffers)
	}
	steps := &jsontree.Node{Kind: jsontree.Array}
	for i := range l.Steps {
		s, err := l.Steps[i].node(store)
		if err != nil {
			return nil, err
		}
		steps.Add(s)
	}
	n.Set("steps", steps)
	return n, nil
}

func str(s string) *jsontree.Node { return &jsontree.Node{Kind: jsontree.String, Text: s} }

func number(v any) *jsontree.Node {
	return &jsontree.Node{Kind: jsontree.Number, Text: fmt.Sprint(v)}
}

func (s *Step) node(store func(string, *value.Array) (string, error)) (*jsontree.Node, error) {
	n := &jsontree.Node{Kind: jsontree.Object}
	if s.Kernel != "" {
		n.Set("kernel", str(s.Kernel))
	}
	for _, f := range []struct {
		name  string
		sizes []uint64
	}{{"global", s.Global}, {"groups", s.Groups}, {"local", s.Local}, {"global_offset", s.GlobalOffset}} {
		if f.sizes == nil {
			continue
		}
		list := &jsontree.Node{Kind: jsontree.Array}
		for _, v := range f.sizes {
			list.Add(number(v))
		}
		n.Set(f.name, list)
	}
	if s.SubGroupSize != 0 {
		n.Set("sub_group_size", number(s.SubGroupSize))
	}
	if len(s.Spec) > 0 {
		spec := &jsontree.Node{Kind: jsontree.Object}
		for _, c := range s.Spec {
			spec.Set(c.Name, str(c.Value))
		}
		n.Set("spec", spec)
	}
	if len(s.Args) > 0 {
		args := &jsontree.Node{Kind: jsontree.Object}
		for _, a := range s.Args {
			v := str(a.Value.Text)
			if a.Value.Kind == value.Typed && a.Value.Text == "" {
				var err error
				if v, err = bufferNode(a.Name, a.Value, store); err != nil {
					return nil, err
				}
			}
			args.Set(a.Name, v)
		}
		n.Set("args", args)
	}
	if s.BuildOptions != "" {
		n.Set("build_options", str(s.BuildOptions))
	}
	if s.Timeout > 0 {
		n.Set("timeout", str(s.Timeout.String()))
	}
	return n, nil
}

func bufferNode(name string, v *value.Value, store func(string, *value.Array) (string, error)) (*jsontree.Node, error) {
	a := v.Array
	n := &jsontree.Node{Kind: jsontree.Object}
	n.Set("type", str(a.Type.String()))
	n.Set("count", number(a.Count))
	if !v.Filled {
		return n, nil
	}
	if generated(v.Fill) {
		n.Set("fill", str(v.Fill))
		return n, nil
	}
	file, err := store(name, a)
	if err != nil {
		return nil, err
	}
	if file != "" {
		n.Set("file", str(file))
		return n, nil
	}
	data := &jsontree.Node{Kind: jsontree.Array}
	for i := range a.Count {
		e := numberNode(a, i, 0)
		if a.Type.Comps > 1 {
			e = &jsontree.Node{Kind: jsontree.Array}
			for c := range a.Type.Comps {
				e.Add(numberNode(a, i, c))
			}
		}
		data.Add(e)
	}
	n.Set("data", data)
	return n, nil
}

// generated reports whether the fill text stands for its numbers without a file.
func generated(fill string) bool {
	for _, g := range []string{"zeros", "ones", "iota", "rand(", "bits("} {
		if strings.HasPrefix(fill, g) {
			return true
		}
	}
	return false
}

// numberNode writes a number as a JSON number where every reader of JSON gets it right, else as a string.
func numberNode(a *value.Array, i, c int) *jsontree.Node {
	s := value.FormatNumber(a.Bits(i, c), a.Type.Scalar, false)
	if strings.Trim(s, "0123456789-.e+") != "" || len(s) > 15 && !strings.ContainsAny(s, ".e") {
		return str(s)
	}
	return &jsontree.Node{Kind: jsontree.Number, Text: strings.Replace(s, "e+", "e", 1)}
}
