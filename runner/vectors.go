package runner

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/runner/internal/jsontree"
	"github.com/sgrun/sgrun/runner/internal/nearest"
	"github.com/sgrun/sgrun/runner/value"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// VectorFile is one file of test vectors: the cases of one topic. docs/vectors.md describes the format.
type VectorFile struct {
	Topic string
	About string
	Cases []Case
}

// Case is one launch with what must come of it.
type Case struct {
	Topic string
	Name  string // unique in its topic
	About string
	From  string // where the expected values come from
	// Requires lists capabilities, and extensions by their names that begin with SPV_, that the device must have.
	Requires []string
	Launch   Launch // with the catalogue name of its module
	Expect   []Expectation
	Compare  Comparison
	// poison holds what unfilled buffers with an expectation contain before the run.
	poison map[string][]byte
}

// ID is the case's name among all: "topic/name".
func (c *Case) ID() string { return c.Topic + "/" + c.Name }

var (
	fileFields   = []string{"topic", "about", "cases"}
	caseFields   = []string{"name", "about", "from", "requires", "module", "buffers", "steps", "expect", "compare"}
	namePattern  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+/-]*$`)
	topicPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]*$`)
)

// LoadVectors reads all vector files (*.json) at the top of a file system, in order of their names. Files they name are
// taken from it too. The error is a *device.Error.
func LoadVectors(fsys fs.FS) ([]*VectorFile, error) {
	names, err := fs.Glob(fsys, "*.json")
	if err != nil {
		return nil, readError("the vectors", err)
	}
	var files []*VectorFile
	topics := map[string]string{}
	for _, name := range names {
		f, err := fsys.Open(name)
		if err != nil {
			return nil, readError(name, err)
		}
		data, err := io.ReadAll(io.LimitReader(f, jsontree.MaxBytes+1))
		f.Close()
		if err != nil {
			return nil, readError(name, err)
		}
		v, err := DecodeVectors(name, data, &value.Parser{Open: fsys.Open, Budget: value.NewBudget(0)})
		if err != nil {
			return nil, err
		}
		if other, ok := topics[v.Topic]; ok {
			return nil, usage("bad-document", "%s has the topic %q, which %s has too", name, v.Topic, other)
		}
		topics[v.Topic] = name
		files = append(files, v)
	}
	if len(files) == 0 {
		return nil, usage("no-vectors", "there is no vector file (*.json)")
	}
	return files, nil
}

// DecodeVectors reads one vector file from JSON. Unknown and duplicate fields, cases without expectation and cases that
// cannot fail are errors. name is the file's, for messages. The error is a *device.Error.
func DecodeVectors(name string, data []byte, p *value.Parser) (*VectorFile, error) {
	n, err := jsontree.Parse(name, data)
	if err != nil {
		return nil, documentError(err)
	}
	v, err := (&decoder{p}).vectors(n)
	if err != nil {
		return nil, documentError(err)
	}
	return v, nil
}

func (d *decoder) vectors(n *jsontree.Node) (*VectorFile, error) {
	if err := n.Fields(fileFields, "topic", "about", "cases"); err != nil {
		return nil, err
	}
	v := &VectorFile{}
	var err error
	if v.Topic, err = named(n.Get("topic"), topicPattern); err != nil {
		return nil, err
	}
	if v.About, err = text(n.Get("about")); err != nil {
		return nil, err
	}
	cases := n.Get("cases")
	if err := cases.Expect(jsontree.Array); err != nil {
		return nil, err
	}
	if len(cases.Items) == 0 {
		return nil, cases.Errorf("at least one case is needed")
	}
	seen := map[string]bool{}
	for i := range cases.Items {
		c, err := d.oneCase(cases.At(i), v.Topic)
		if err != nil {
			return nil, err
		}
		if seen[c.Name] {
			return nil, cases.At(i).Errorf("the case %q is given twice", c.Name)
		}
		seen[c.Name] = true
		v.Cases = append(v.Cases, *c)
	}
	return v, nil
}

func named(n *jsontree.Node, pattern *regexp.Regexp) (string, error) {
	s, err := text(n)
	if err == nil && !pattern.MatchString(s) {
		return "", n.Errorf("%q is no name: letters, digits and _ . + - %s", s, map[bool]string{true: "/"}[pattern == namePattern])
	}
	return s, err
}

func (d *decoder) oneCase(n *jsontree.Node, topic string) (*Case, error) {
	if err := n.Fields(caseFields, "name", "from", "module", "buffers", "steps", "expect"); err != nil {
		return nil, err
	}
	c := &Case{Topic: topic}
	var err error
	if c.Name, err = named(n.Get("name"), namePattern); err != nil {
		return nil, err
	}
	if c.From, err = text(n.Get("from")); err != nil {
		return nil, err
	}
	if a := n.Get("about"); a != nil {
		if c.About, err = text(a); err != nil {
			return nil, err
		}
	}
	if r := n.Get("requires"); r != nil {
		if c.Requires, err = requirements(r); err != nil {
			return nil, err
		}
	}
	if r := n.Get("compare"); r != nil {
		if c.Compare, err = comparison(r); err != nil {
			return nil, err
		}
	}
	l, err := d.launch(n)
	if err != nil {
		return nil, err
	}
	c.Launch = *l
	e := n.Get("expect")
	if err := e.Expect(jsontree.Object); err != nil {
		return nil, err
	}
	if len(e.Items) == 0 {
		return nil, e.Errorf("at least one expectation is needed")
	}
	for i, name := range e.Keys {
		x, err := d.expectation(e.Items[i], name, l)
		if err != nil {
			return nil, err
		}
		c.Expect = append(c.Expect, x)
	}
	if err := c.prepare(); err != nil {
		return nil, e.Errorf("%v", err)
	}
	return c, nil
}

func (d *decoder) expectation(n *jsontree.Node, name string, l *Launch) (Expectation, error) {
	b := l.buffer(name)
	if b == nil {
		e := n.Errorf("there is no buffer %q", name)
		var names []string
		for _, b := range l.Buffers {
			names = append(names, b.Name)
		}
		e.Try = tryNames(name, names)
		return Expectation{}, e
	}
	var v *value.Value
	var err error
	if n.Kind == jsontree.String {
		if v, err = d.parser.Parse(n.Text); err != nil {
			return Expectation{}, n.Wrap(err)
		}
	} else if v, err = d.buffer(n); err != nil {
		return Expectation{}, err
	}
	x := Expectation{name, v}
	a, err := x.array(b.Value.Array)
	if err != nil {
		return Expectation{}, n.Wrap(err)
	}
	if len(a.Data) != len(b.Value.Array.Data) {
		return Expectation{}, n.Errorf("the expectation has %d bytes, and the buffer has %d", len(a.Data), len(b.Value.Array.Data))
	}
	x.Value = &value.Value{Kind: value.Typed, Array: a, Filled: true, Text: v.Text}
	return x, nil
}

func comparison(n *jsontree.Node) (Comparison, error) {
	c := Comparison{}
	if err := n.Fields(compareFields, "mode"); err != nil {
		return c, err
	}
	var err error
	if c.Mode, err = text(n.Get("mode")); err != nil {
		return c, err
	}
	if x := n.Get("nan"); x != nil {
		if c.NaN, err = text(x); err != nil {
			return c, err
		}
	}
	m := n.Get("max")
	if !slices.Contains(modes, c.Mode) {
		return c, n.Errorf("%v", unknownMode(c.Mode))
	}
	if (m == nil) != (c.Mode == ModeBits) {
		return c, n.Errorf("max is for all modes but bits, and needed there")
	}
	if m != nil {
		if err := m.Expect(jsontree.Number); err != nil {
			return c, err
		}
		if c.Max, err = strconv.ParseFloat(m.Text, 64); err != nil {
			return c, m.Errorf("%s is out of range", m.Text)
		}
	}
	if err := c.check(); err != nil {
		return c, n.Errorf("%v", err)
	}
	return c, nil
}

func requirements(n *jsontree.Node) ([]string, error) {
	if err := n.Expect(jsontree.Array); err != nil {
		return nil, err
	}
	var out []string
	for i := range n.Items {
		v := n.At(i)
		s, err := text(v)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(s, "SPV_") {
			if _, ok := capability(s); !ok {
				e := v.Errorf("%q is no capability, and no extension, which begin with SPV_", s)
				var names []string
				for _, c := range grammar.Capability.Info().Enumerants {
					names = append(names, c.Name)
				}
				if near := nearest.Names(s, names, 1); len(near) > 0 {
					e.Try = near[0]
				}
				return nil, e
			}
		}
		out = append(out, s)
	}
	return out, nil
}

func capability(name string) (spirv.Capability, bool) {
	e, ok := grammar.Capability.Info().EnumerantNamed(name)
	if !ok {
		return 0, false
	}
	return spirv.Capability(e.Value), true
}

// prepare chooses the poison of the outputs and makes sure that the case can fail: that the buffers as they are before the
// run do not meet the expectations. The error is a sentence without the full stop.
func (c *Case) prepare() error {
	c.poison = map[string][]byte{}
	canFail := false
	for _, e := range c.Expect {
		b, want := c.Launch.buffer(e.Name), e.Value.Array
		initial := b.Value.Array
		if !b.Value.Filled {
			p, err := poison(want, c.Compare)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Name, err)
			}
			c.poison[e.Name] = p
			initial = &value.Array{Type: want.Type, Count: want.Count, Data: p}
		}
		d, err := Compare(initial, want, c.Compare)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		canFail = canFail || d.Different > 0
	}
	if !canFail {
		return fmt.Errorf("the case cannot fail: the buffers meet the expectation before anything runs")
	}
	return nil
}

// poisonBytes are the patterns that outputs hold before a run. Of the first that a byte of the expectation rules out, the
// next is taken.
var poisonBytes = [...]byte{0xa5, 0x5a, 0x3c, 0xc3}

// poison returns contents for an output in which no byte, and no 4-bit number, is what is expected there, and no number
// passes the comparison. Whatever the kernel leaves unwritten therefore differs from the expectation, in one run: with
// exact comparison each byte left out is found, with a tolerance each number left out.
func poison(want *value.Array, c Comparison) ([]byte, error) {
	out := make([]byte, len(want.Data))
	for i, w := range want.Data {
		out[i] = poisonBytes[0]
		for _, p := range poisonBytes {
			if p>>4 != w>>4 && p&15 != w&15 || want.Type.Scalar.Bits() != 4 && p != w {
				out[i] = p
				break
			}
		}
	}
	// A tolerance may let a pattern pass for the number; then another pattern is taken for all its bytes.
	p := &value.Array{Type: want.Type, Count: want.Count, Data: out}
	s := want.Type.Scalar
	for i := range want.Count {
		for k := range want.Type.Comps {
			w, try := want.Bits(i, k), 0
			patterns := append(poisonBytes[:], 0x00, 0xff, 0x7f)
			for p.Bits(i, k) == w || c.same(s, p.Bits(i, k), w) {
				if try == len(patterns) {
					return nil, fmt.Errorf("the case cannot fail: the tolerance lets any value pass for element %d", i)
				}
				p.SetBits(i, k, uint64(patterns[try])*0x0101010101010101)
				try++
			}
		}
	}
	return out, nil
}

// initial is the contents of a case's unfilled buffer before the run.
func (c *Case) initial(name string) []byte {
	if p := c.poison[name]; p != nil {
		return slices.Clone(p)
	}
	if b := c.Launch.buffer(name); b != nil {
		return bytes.Repeat(poisonBytes[:1], len(b.Value.Array.Data))
	}
	return nil
}
