// Package jsontree reads JSON strictly: it keeps the order of keys and the text of numbers, refuses duplicate and unknown
// keys and says at which line and under which path something is wrong.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sgrun/sgrun/runner/internal/nearest"
)

// MaxBytes bounds a document; a node takes several times the room of its text.
const MaxBytes = 16 << 20

// maxDepth bounds how deep arrays and objects nest.
const maxDepth = 64

// Kind is the kind of a node.
type Kind uint8

// Kinds of node.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "an array", "an object"}[k]
}

// Node is one JSON value.
type Node struct {
	Kind  Kind
	Text  string   // of String; of Number as written; of Bool "true" or "false"
	Keys  []string // of Object, in order
	Items []*Node  // of Array; of Object the values, beside Keys
	Path  string   // where it stands: "cases[3].buffers.out"; empty for the document
	doc   *document
	off   int // where it starts
}

type document struct {
	name string
	data []byte
}

// Error says what is wrong with a document and where.
type Error struct {
	File         string // may be empty
	Line, Column int    // from 1
	Path         string // may be empty
	Message      string // a sentence without the full stop
	Try          string // may be empty
	Err          error  // the cause, if any
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%d:%d: ", e.Line, e.Column)
	if e.File != "" {
		s = e.File + ":" + s
	}
	if e.Path != "" {
		s += e.Path + ": "
	}
	s += e.Message
	if e.Err != nil {
		if e.Message != "" {
			s += ": "
		}
		s += e.Err.Error()
	}
	if e.Try != "" {
		s += "\n  try: " + e.Try
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error at the node.
func (n *Node) Errorf(format string, args ...any) *Error {
	return n.doc.errorf(n.off, n.Path, format, args...)
}

// Wrap returns an error at the node with a cause.
func (n *Node) Wrap(err error) *Error {
	e := n.doc.errorf(n.off, n.Path, "")
	e.Err = err
	return e
}

func (d *document) errorf(off int, path, format string, args ...any) *Error {
	off = min(max(off, 0), len(d.data))
	line := 1 + bytes.Count(d.data[:off], []byte("\n"))
	column := off - bytes.LastIndexByte(d.data[:off], '\n')
	return &Error{File: d.name, Line: line, Column: column, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Parse reads one document. The name is the file's, for errors. The error is an *Error.
func Parse(name string, data []byte) (*Node, error) {
	d := &document{name, data}
	if len(data) > MaxBytes {
		e := d.errorf(0, "", "%d bytes are more than the %d accepted", len(data), MaxBytes)
		e.Try = "put large arrays into .npy files"
		return nil, e
	}
	p := &parser{doc: d, dec: json.NewDecoder(bytes.NewReader(data))}
	p.dec.UseNumber()
	n, err := p.value("", 0)
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); err != io.EOF {
		return nil, d.errorf(int(p.dec.InputOffset()), "", "something follows the document")
	}
	return n, nil
}

type parser struct {
	doc   *document
	dec   *json.Decoder
	start int // where the last token starts
}

func (p *parser) token(path string) (json.Token, error) {
	p.start = int(p.dec.InputOffset())
	p.start += len(p.doc.data[p.start:]) - len(bytes.TrimLeft(p.doc.data[p.start:], " \t\r\n,:"))
	t, err := p.dec.Token()
	if err == nil {
		return t, nil
	}
	off := int(p.dec.InputOffset())
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, p.doc.errorf(len(p.doc.data), path, "the JSON text ends too early")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		off = int(syntax.Offset)
	}
	e := p.doc.errorf(off, path, "not JSON")
	e.Err = err
	return nil, e
}

func (p *parser) value(path string, depth int) (*Node, error) {
	t, err := p.token(path)
	if err != nil {
		return nil, err
	}
	n := &Node{Path: path, doc: p.doc, off: p.start}
	if depth > maxDepth {
		return nil, n.Errorf("nested deeper than %d", maxDepth)
	}
	switch t := t.(type) {
	case nil:
	case bool:
		n.Kind, n.Text = Bool, fmt.Sprint(t)
	case json.Number:
		n.Kind, n.Text = Number, t.String()
	case string:
		n.Kind, n.Text = String, t
	case json.Delim:
		if t == '{' {
			n.Kind = Object
			err = p.object(n, depth)
		} else {
			n.Kind = Array
			err = p.array(n, depth)
		}
	}
	return n, err
}

func (p *parser) array(n *Node, depth int) error {
	for p.dec.More() {
		// The paths of plain numbers are worked out only when an error needs them (see At): arrays may be long.
		v, err := p.value("", depth+1)
		if err != nil {
			if e, ok := err.(*Error); ok {
				e.Path = join(n.Path, len(n.Items), e.Path)
			}
			return err
		}
		if v.Kind == Array || v.Kind == Object {
			v.rebase(join(n.Path, len(n.Items), ""))
		}
		n.Items = append(n.Items, v)
	}
	_, err := p.token(n.Path)
	return err
}

func join(path string, index int, rest string) string {
	s := fmt.Sprintf("%s[%d]", path, index)
	if rest != "" && rest[0] != '[' {
		s += "."
	}
	return s + rest
}

// rebase puts base before the path of n and of all below it.
func (n *Node) rebase(base string) {
	switch {
	case n.Path == "":
		n.Path = base
	case n.Path[0] == '[':
		n.Path = base + n.Path
	default:
		n.Path = base + "." + n.Path
	}
	for _, v := range n.Items {
		if v.Path != "" {
			v.rebase(base)
		}
	}
}

func (p *parser) object(n *Node, depth int) error {
	seen := map[string]bool{}
	for p.dec.More() {
		t, err := p.token(n.Path)
		if err != nil {
			return err
		}
		key, _ := t.(string)
		path := key
		if n.Path != "" {
			path = n.Path + "." + key
		}
		if seen[key] {
			return p.doc.errorf(p.start, n.Path, "the field %q is given twice", key)
		}
		seen[key] = true
		v, err := p.value(path, depth+1)
		if err != nil {
			return err
		}
		n.Keys, n.Items = append(n.Keys, key), append(n.Items, v)
	}
	_, err := p.token(n.Path)
	return err
}

// At returns item i of an array with its path filled in.
func (n *Node) At(i int) *Node {
	v := *n.Items[i]
	if v.Path == "" {
		v.Path = join(n.Path, i, "")
	}
	return &v
}

// Get returns the value of an object's key, or nil.
func (n *Node) Get(key string) *Node {
	for i, k := range n.Keys {
		if k == key {
			return n.Items[i]
		}
	}
	return nil
}

// Expect returns an error where the node is of another kind.
func (n *Node) Expect(k Kind) error {
	if n.Kind != k {
		return n.Errorf("this must be %v, and is %v", k, n.Kind)
	}
	return nil
}

// Fields returns an error where the node is no object, has a key that is not in known, or lacks one of required.
func (n *Node) Fields(known []string, required ...string) error {
	if err := n.Expect(Object); err != nil {
		return err
	}
	for i, k := range n.Keys {
		found := false
		for _, want := range known {
			found = found || k == want
		}
		if !found {
			e := n.Items[i].Errorf("unknown field %q", k)
			e.Path = n.Path
			e.Try = "one of " + strings.Join(known, ", ")
			if near := nearest.Names(k, known, 1); len(near) > 0 {
				e.Try = fmt.Sprintf("%q", near[0])
			}
			return e
		}
	}
	for _, k := range required {
		if n.Get(k) == nil {
			return n.Errorf("the field %q is missing", k)
		}
	}
	return nil
}
