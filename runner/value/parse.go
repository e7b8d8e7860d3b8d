package value

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxNest is how deep structures may nest in a text.
const maxNest = 32

// Parser reads VALUE texts. The zero Parser reads files by their path and bounds each value by DefaultBudget.
type Parser struct {
	// Open opens the files that @NAME names; nil means os.Open.
	Open func(name string) (fs.File, error)
	// Budget bounds the memory of all values parsed.
	Budget *Budget
}

// OSFiles returns an opener of files that takes relative names from the folder.
func OSFiles(folder string) func(string) (fs.File, error) {
	return func(name string) (fs.File, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		return os.Open(name)
	}
}

// Parse reads one value:
//
//	1024  -1  0x1p-3  inf  nan  0x3f800000      a number, of the type of what it is given to
//	1,2,3,4  [1,2,3,4]                          numbers, for a vector
//	TYPE[COUNT]                                 an array of zeros; in a vector file an output
//	TYPE[COUNT]:FILL  TYPE:FILL                 an array; without COUNT its length is that of the list, file or hex string
//	@FILE  hex:00ff                             an array as the .npy file says, of u8 for other files and hex
//	local[BYTES]                                work-group memory
//	{FIELD=VALUE,...}                           a structure; lists inside stand in [ ]
//	&NAME  &NAME+BYTES                          another argument's buffer or a named buffer
//	null                                        a pointer to nothing
//
// FILL is a list of numbers (vectors may stand in < >), one number or <vector> that is repeated, zeros, ones, iota (0, 1,
// 2, …), iota(START,STEP), rand(SEED), bits(SEED), hex:… or @FILE. See Array.Fill for what each of them gives.
//
// The error is an *Error with a place in the text.
func (p *Parser) Parse(text string) (*Value, error) {
	c := &cursor{parser: p, text: text}
	v, err := c.value(0, len(text), 0)
	if err == nil {
		v.Text = text
	}
	return v, err
}

// ParseArray reads a value that must be an array with its type.
func (p *Parser) ParseArray(text string) (*Value, error) {
	v, err := p.Parse(text)
	if err != nil {
		return nil, err
	}
	if v.Kind != Typed {
		return nil, &Error{Text: text, Message: "a buffer is needed, and this is " + v.Describe(), Try: "TYPE[COUNT]:FILL such as u32[64]:iota, @FILE or hex:…"}
	}
	return v, nil
}

// cursor parses one text; its methods take the part of the text between two offsets.
type cursor struct {
	parser *Parser
	text   string
}

func (c *cursor) fail(at int, try, format string, args ...any) error {
	return &Error{Text: c.text, Offset: at, Message: fmt.Sprintf(format, args...), Try: try}
}

// wrap gives an error without a place one.
func (c *cursor) wrap(at int, err error) error {
	switch e := err.(type) {
	case *ItemError:
		return c.fail(max(at, e.Item.At), e.Try, "%s", e.Message)
	case *Error:
		if e.Text == "" {
			e.Text, e.Offset = c.text, at
		}
		return e
	}
	return c.fail(at, "", "%v", err)
}

const valueForms = "a number, TYPE[COUNT]:FILL such as f32[1024]:iota, @FILE, hex:…, local[BYTES], {field=value,...}, &NAME or null"

// trim moves both ends inwards over white space.
func (c *cursor) trim(from, to int) (int, int) {
	s := c.text[from:to]
	from += len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	return from, max(from, from+len(strings.TrimSpace(s)))
}

func (c *cursor) value(from, to, nest int) (*Value, error) {
	from, to = c.trim(from, to)
	s := c.text[from:to]
	if nest > maxNest {
		return nil, c.fail(from, "", "structures nest deeper than %d", maxNest)
	}
	switch {
	case s == "":
		return nil, c.fail(from, valueForms, "a value is missing")
	case s == "null":
		return &Value{Kind: Null, Text: s}, nil
	case s[0] == '&':
		return c.ref(from+1, to)
	case s[0] == '{':
		return c.structure(from, to, nest)
	case s[0] == '[':
		if s[len(s)-1] != ']' {
			return nil, c.fail(from, "", "[ without ]")
		}
		return c.numbers(from+1, to-1)
	case s[0] == '@', strings.HasPrefix(s, "hex:"):
		a, err := c.bytes(from, to, Type{}, -1)
		if err != nil {
			return nil, err
		}
		return &Value{Kind: Typed, Text: s, Array: a, Filled: true, Fill: s}, nil
	case strings.HasPrefix(s, "image"), strings.HasPrefix(s, "sampler"):
		return nil, c.fail(from, "pass the pixels in a buffer", "not supported yet: images and samplers")
	case strings.HasPrefix(s, "local["):
		return c.local(from, to)
	case numberLike(strings.TrimSpace(s[:indexOrEnd(s, ',')])) || s[0] == '<':
		return c.numbers(from, to)
	}
	return c.typed(from, to)
}

func indexOrEnd(s string, b byte) int {
	if i := strings.IndexByte(s, b); i >= 0 {
		return i
	}
	return len(s)
}

func (c *cursor) numbers(from, to int) (*Value, error) {
	s := c.text[from:to]
	if at, message := checkList(s); message != "" {
		return nil, c.fail(from+at, "", "%s", message)
	}
	return &Value{Kind: Numbers, Text: s, items: textItems(s, from)}, nil
}

func (c *cursor) ref(from, to int) (*Value, error) {
	s := c.text[from:to]
	v := &Value{Kind: Ref, Text: "&" + s, Ref: s}
	if i := strings.LastIndexByte(s, '+'); i >= 0 {
		off, err := strconv.ParseUint(strings.TrimSpace(s[i+1:]), 0, 63)
		if err != nil {
			return nil, c.fail(from+i+1, "&NAME+BYTES", "%s is no offset in bytes", quote(s[i+1:]))
		}
		v.Ref, v.Offset = s[:i], off
	}
	v.Ref = strings.TrimSpace(v.Ref)
	if v.Ref == "" {
		return nil, c.fail(from, "&NAME, where NAME is another argument or a named buffer", "a name is missing after &")
	}
	return v, nil
}

func (c *cursor) local(from, to int) (*Value, error) {
	s := c.text[from:to]
	n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimPrefix(s, "local["), "]"), 0, 63)
	if err != nil || s[len(s)-1] != ']' {
		return nil, c.fail(from+len("local["), "local[256]", "%s is no size of local memory in bytes", quote(s))
	}
	return &Value{Kind: Local, Text: s, Bytes: n}, nil
}

func (c *cursor) structure(from, to, nest int) (*Value, error) {
	if c.text[to-1] != '}' || to-from < 2 {
		return nil, c.fail(from, "", "{ without }")
	}
	v := &Value{Kind: Struct, Text: c.text[from:to]}
	from, to = c.trim(from+1, to-1)
	seen := map[string]bool{}
	for at := from; at < to; {
		end, err := c.fieldEnd(at, to)
		if err != nil {
			return nil, err
		}
		eq := strings.IndexByte(c.text[at:end], '=')
		if eq < 0 {
			return nil, c.fail(at, "{field=value,...}; a list of numbers inside stands in [ ]", "a field is field=value, and %s has no =", quote(c.text[at:end]))
		}
		name := strings.TrimSpace(c.text[at : at+eq])
		switch {
		case name == "":
			return nil, c.fail(at, "", "a field's name is missing")
		case seen[name]:
			return nil, c.fail(at, "", "the field %s is given twice", quote(name))
		}
		seen[name] = true
		f, err := c.value(at+eq+1, end, nest+1)
		if err != nil {
			return nil, err
		}
		v.Fields = append(v.Fields, Field{name, f})
		at = end + 1
		if end == to-1 {
			return nil, c.fail(end, "", "a field is missing after the last comma")
		}
	}
	return v, nil
}

// fieldEnd finds the comma that ends the field at from, or to.
func (c *cursor) fieldEnd(from, to int) (int, error) {
	var open []byte
	for i := from; i < to; i++ {
		switch b := c.text[i]; b {
		case '{', '[', '(', '<':
			open = append(open, b)
		case '}', ']', ')', '>':
			if len(open) == 0 || open[len(open)-1] != map[byte]byte{'}': '{', ']': '[', ')': '(', '>': '<'}[b] {
				return 0, c.fail(i, "", "%c has no partner before it", b)
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				return i, nil
			}
		}
	}
	if len(open) > 0 {
		return 0, c.fail(from, "", "%c is not closed in %s", open[len(open)-1], quote(c.text[from:to]))
	}
	return to, nil
}

// typed parses TYPE[COUNT], TYPE[COUNT]:FILL and TYPE:FILL.
func (c *cursor) typed(from, to int) (*Value, error) {
	s := c.text[from:to]
	name := s[:len(s)-len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))]
	rest := s[len(name):]
	t, ok := lookupType(name)
	if !ok {
		if rest == "" || rest[0] != '[' && rest[0] != ':' {
			return nil, c.fail(from, valueForms, "%s is no value", quote(s))
		}
		_, err := ParseType(name)
		e := err.(*Error)
		e.Text, e.Offset = c.text, from
		return nil, e
	}
	count := -1
	if strings.HasPrefix(rest, "[") {
		end := strings.IndexByte(rest, ']')
		at := from + len(name) + 1
		if end < 0 {
			return nil, c.fail(at-1, "", "[ without ]")
		}
		n, err := strconv.ParseUint(strings.TrimSpace(rest[1:end]), 0, 63)
		if err != nil {
			return nil, c.fail(at, "TYPE[COUNT], where COUNT is a number of elements", "%s is no number of elements", quote(rest[1:end]))
		}
		count, rest = int(n), rest[end+1:]
	}
	if rest == "" && count >= 0 {
		a, err := New(t, uint64(count), c.parser.Budget)
		if err != nil {
			return nil, c.wrap(from, err)
		}
		return &Value{Kind: Typed, Text: s, Array: a}, nil
	}
	at := to - len(rest)
	if !strings.HasPrefix(rest, ":") {
		return nil, c.fail(at, "TYPE[COUNT]:FILL such as u32[64]:iota", "a count in [ ] or a colon is missing after %s", quote(s[:len(s)-len(rest)]))
	}
	from, to = c.trim(at+1, to)
	a, err := c.fill(from, to, t, count)
	if err != nil {
		return nil, err
	}
	return &Value{Kind: Typed, Text: s, Array: a, Filled: true, Fill: c.text[from:to]}, nil
}

// bytes reads @FILE or hex:… as elements of type t, or as the file says (hex: u8) where t is zero.
func (c *cursor) bytes(from, to int, t Type, count int) (*Array, error) {
	if c.text[from] == '@' {
		name := c.text[from+1 : to]
		a, err := c.parser.ReadFile(name, t, count)
		if err != nil {
			return nil, c.wrap(from+1, err)
		}
		return a, nil
	}
	from += len("hex:")
	digits := strings.Join(strings.Fields(strings.ReplaceAll(c.text[from:to], "_", "")), "")
	if t == (Type{}) {
		t = Of(U8)
	}
	if err := c.parser.Budget.Take(uint64(len(digits) / 2)); err != nil {
		return nil, c.wrap(from, err)
	}
	data, err := hex.DecodeString(digits)
	if err != nil {
		return nil, c.fail(from, "hex:00ff, two digits a byte, in the order of memory", "%s are no hexadecimal bytes", quote(c.text[from:to]))
	}
	a, err := fromBytes(data, t, count)
	if err != nil {
		return nil, c.wrap(from, err)
	}
	return a, nil
}
