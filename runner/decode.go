package runner

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/internal/jsontree"
	"github.com/sgrun/sgrun/runner/value"
)

// Fields of the JSON objects; docs/vectors.schema.json lists the same, and a test holds the two together.
var (
	launchFields  = []string{"module", "buffers", "steps"}
	stepFields    = []string{"kernel", "global", "groups", "local", "global_offset", "sub_group_size", "spec", "args", "build_options", "timeout"}
	bufferFields  = []string{"type", "count", "data", "fill", "file"}
	compareFields = []string{"mode", "max", "nan"}
)

// DecodeLaunch reads a launch from JSON. name is the file's, for messages. p reads the values in it and the files they
// name. Unknown and duplicate fields are errors. The error is a *device.Error.
func DecodeLaunch(name string, data []byte, p *value.Parser) (*Launch, error) {
	n, err := jsontree.Parse(name, data)
	if err != nil {
		return nil, documentError(err)
	}
	if err := n.Fields(launchFields, "steps"); err != nil {
		return nil, documentError(err)
	}
	d := &decoder{p}
	l, err := d.launch(n)
	if err != nil {
		return nil, documentError(err)
	}
	return l, nil
}

// LoadLaunch reads a launch file. Files it names are taken from its folder, and so is a module named by a relative path.
func LoadLaunch(name string, budget *value.Budget) (*Launch, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, jsontree.MaxBytes+1))
	if err != nil {
		return nil, readError(name, err)
	}
	dir := filepath.Dir(name)
	l, err := DecodeLaunch(name, data, &value.Parser{Open: value.OSFiles(dir), Budget: budget})
	if err != nil {
		return nil, err
	}
	if isModuleFile(l.Module) && !filepath.IsAbs(l.Module) {
		l.Module = filepath.Join(dir, l.Module)
	}
	return l, nil
}

func readError(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	e := usage("cannot-read", "cannot read %s", name)
	e.Err = err
	return e
}

// documentError makes an error of wrong usage of one in a document.
func documentError(err error) error {
	var de *device.Error
	if errors.As(err, &de) {
		return err
	}
	var je *jsontree.Error
	if !errors.As(err, &je) {
		return &device.Error{Class: device.Usage, Kind: "bad-document", Message: err.Error(), Err: nil}
	}
	bare := *je
	bare.Try = ""
	return &device.Error{Class: device.Usage, Kind: "bad-document", Message: bare.Error(), Try: je.Try}
}

type decoder struct{ parser *value.Parser }

// launch reads the fields buffers and steps of a launch or a case, and its module.
func (d *decoder) launch(n *jsontree.Node) (*Launch, error) {
	l := &Launch{}
	if m := n.Get("module"); m != nil {
		s, err := text(m)
		if err != nil {
			return nil, err
		}
		l.Module = s
	}
	if b := n.Get("buffers"); b != nil {
		if err := b.Expect(jsontree.Object); err != nil {
			return nil, err
		}
		for i, name := range b.Keys {
			if name == "" {
				return nil, b.Errorf("a buffer without a name")
			}
			v, err := d.buffer(b.Items[i])
			if err != nil {
				return nil, err
			}
			l.Buffers = append(l.Buffers, Buffer{name, v})
		}
	}
	steps := n.Get("steps")
	if err := steps.Expect(jsontree.Array); err != nil {
		return nil, err
	}
	if len(steps.Items) == 0 {
		return nil, steps.Errorf("at least one step is needed")
	}
	for i := range steps.Items {
		s, err := d.step(steps.At(i))
		if err != nil {
			return nil, err
		}
		l.Steps = append(l.Steps, *s)
	}
	return l, nil
}

func text(n *jsontree.Node) (string, error) {
	if err := n.Expect(jsontree.String); err != nil {
		return "", err
	}
	if n.Text == "" {
		return "", n.Errorf("this must not be empty")
	}
	return n.Text, nil
}

func (d *decoder) step(n *jsontree.Node) (*Step, error) {
	s := &Step{}
	if err := n.Fields(stepFields); err != nil {
		return nil, err
	}
	var err error
	for i, key := range n.Keys {
		v := n.Items[i]
		switch key {
		case "kernel":
			s.Kernel, err = text(v)
		case "build_options":
			if err = v.Expect(jsontree.String); err == nil {
				s.BuildOptions = v.Text
			}
		case "global":
			s.Global, err = sizes(v, 1)
		case "groups":
			s.Groups, err = sizes(v, 1)
		case "local":
			s.Local, err = sizes(v, 1)
		case "global_offset":
			s.GlobalOffset, err = sizes(v, 0)
		case "sub_group_size":
			var u uint64
			u, err = integer(v, 1, 1<<16)
			s.SubGroupSize = int(u)
		case "timeout":
			var t string
			if t, err = text(v); err == nil {
				s.Timeout, err = time.ParseDuration(t)
				if err != nil || s.Timeout <= 0 {
					err = v.Errorf("%q is no time limit, such as \"10s\"", t)
				}
			}
		case "spec":
			s.Spec, err = specs(v)
		case "args":
			s.Args, err = d.args(v)
		}
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sizes reads one to three sizes of at least min.
func sizes(n *jsontree.Node, min uint64) ([]uint64, error) {
	if err := n.Expect(jsontree.Array); err != nil {
		return nil, err
	}
	if len(n.Items) < 1 || len(n.Items) > 3 {
		return nil, n.Errorf("one to three sizes are needed, and there are %d", len(n.Items))
	}
	var out []uint64
	for i := range n.Items {
		u, err := integer(n.At(i), min, 1<<62)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

func integer(n *jsontree.Node, min, max uint64) (uint64, error) {
	if err := n.Expect(jsontree.Number); err != nil {
		return 0, err
	}
	u, err := strconv.ParseUint(n.Text, 10, 64)
	if err != nil || u < min || u > max {
		return 0, n.Errorf("%s is no whole number from %d to %d", n.Text, min, max)
	}
	return u, nil
}

func specs(n *jsontree.Node) ([]Spec, error) {
	if err := n.Expect(jsontree.Object); err != nil {
		return nil, err
	}
	var out []Spec
	for i, name := range n.Keys {
		v := n.Items[i]
		if v.Kind != jsontree.Number && v.Kind != jsontree.String && v.Kind != jsontree.Bool || v.Text == "" || name == "" {
			return nil, v.Errorf("the value of a specialization constant is a number, true, false or a string with a number")
		}
		out = append(out, Spec{name, v.Text})
	}
	return out, nil
}

func (d *decoder) args(n *jsontree.Node) ([]Argument, error) {
	if err := n.Expect(jsontree.Object); err != nil {
		return nil, err
	}
	var out []Argument
	for i, name := range n.Keys {
		v := n.Items[i]
		if name == "" {
			return nil, v.Errorf("an argument without a name")
		}
		var val *value.Value
		var err error
		switch v.Kind {
		case jsontree.Number, jsontree.Bool, jsontree.String:
			if val, err = d.parser.Parse(v.Text); err != nil {
				err = v.Wrap(err)
			}
		case jsontree.Object:
			val, err = d.buffer(v)
		default:
			err = v.Errorf("an argument is a number, a string or an object, and this is %v", v.Kind)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Argument{name, val})
	}
	return out, nil
}

// buffer reads a buffer: a string in the VALUE syntax, or an object with its type.
func (d *decoder) buffer(n *jsontree.Node) (*value.Value, error) {
	if n.Kind == jsontree.String {
		v, err := d.parser.ParseArray(n.Text)
		if err != nil {
			return nil, n.Wrap(err)
		}
		return v, nil
	}
	if n.Kind != jsontree.Object {
		return nil, n.Errorf("a buffer is a string such as \"u32[64]:iota\" or an object with its type, and this is %v", n.Kind)
	}
	if err := n.Fields(bufferFields, "type"); err != nil {
		return nil, err
	}
	name, err := text(n.Get("type"))
	if err != nil {
		return nil, err
	}
	t, err := value.ParseType(name)
	if err != nil {
		return nil, n.Get("type").Wrap(err)
	}
	count := -1
	if c := n.Get("count"); c != nil {
		u, err := integer(c, 0, 1<<62)
		if err != nil {
			return nil, err
		}
		count = int(u)
	}
	data, fill, file := n.Get("data"), n.Get("fill"), n.Get("file")
	switch {
	case data != nil && (fill != nil || file != nil), fill != nil && file != nil:
		return nil, n.Errorf("only one of data, fill and file can be given")
	case data != nil:
		if err := data.Expect(jsontree.Array); err != nil {
			return nil, err
		}
		a, err := value.FromItems(t, count, numbers(data), d.parser.Budget)
		var ie *value.ItemError
		if errors.As(err, &ie) {
			at := data
			if ie.Item.At >= 0 {
				at = data.At(ie.Item.At)
			}
			e := at.Errorf("%s", ie.Message)
			e.Try = ie.Try
			return nil, e
		}
		if err != nil {
			return nil, data.Wrap(err)
		}
		return &value.Value{Kind: value.Typed, Array: a, Filled: true}, nil
	case file == nil && count < 0:
		return nil, n.Errorf("the field \"count\" is missing, which says how many elements the buffer has")
	}
	spelled := t.String()
	if count >= 0 {
		spelled += fmt.Sprintf("[%d]", count)
	}
	at := n
	switch {
	case fill != nil:
		s, err := text(fill)
		if err != nil {
			return nil, err
		}
		spelled, at = spelled+":"+s, fill
	case file != nil:
		s, err := text(file)
		if err != nil {
			return nil, err
		}
		spelled, at = spelled+":@"+s, file
	}
	v, err := d.parser.ParseArray(spelled)
	if err != nil {
		return nil, at.Wrap(err)
	}
	return v, nil
}

// numbers walks over the numbers of a data array: numbers, strings with numbers, true and false, and for vectors arrays of
// these.
func numbers(data *jsontree.Node) iter.Seq[value.Item] {
	return func(yield func(value.Item) bool) {
		var one [1]string
		for i, n := range data.Items {
			it := value.Item{Numbers: one[:], At: i}
			one[0] = n.Text
			switch n.Kind {
			case jsontree.Array:
				it.Vector, it.Numbers = true, nil
				for _, c := range n.Items {
					s := c.Text
					if c.Kind == jsontree.Array || c.Kind == jsontree.Object || c.Kind == jsontree.Null {
						s = c.Kind.String() // no number, which the error will say
					}
					it.Numbers = append(it.Numbers, s)
				}
			case jsontree.Object, jsontree.Null:
				one[0] = n.Kind.String()
			}
			if !yield(it) {
				return
			}
		}
	}
}
