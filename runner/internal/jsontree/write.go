package jsontree

import (
	"bytes"
	"encoding/json"
)

// Set adds a key to an object, after those there are.
func (n *Node) Set(key string, v *Node) {
	n.Kind = Object
	n.Keys, n.Items = append(n.Keys, key), append(n.Items, v)
}

// Add adds an item to an array.
func (n *Node) Add(v *Node) {
	n.Kind = Array
	n.Items = append(n.Items, v)
}

// Format prints the document for people: objects with a key a line, arrays of plain values on one line.
func (n *Node) Format() []byte {
	var b bytes.Buffer
	n.format(&b, "\n")
	b.WriteByte('\n')
	return b.Bytes()
}

func (n *Node) plain() bool { return n.Kind != Object && n.Kind != Array }

func (n *Node) format(b *bytes.Buffer, newline string) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool, Number:
		b.WriteString(n.Text)
	case String:
		writeString(b, n.Text)
	case Array:
		flat := true
		for _, v := range n.Items {
			flat = flat && (v.plain() || v.Kind == Array && allPlain(v))
		}
		b.WriteByte('[')
		for i, v := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			if !flat {
				b.WriteString(newline + "  ")
			} else if i > 0 {
				b.WriteByte(' ')
			}
			v.format(b, newline+"  ")
		}
		if !flat {
			b.WriteString(newline)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, v := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(newline + "  ")
			writeString(b, n.Keys[i])
			b.WriteString(": ")
			v.format(b, newline+"  ")
		}
		if len(n.Items) > 0 {
			b.WriteString(newline)
		}
		b.WriteByte('}')
	}
}

func allPlain(n *Node) bool {
	for _, v := range n.Items {
		if !v.plain() {
			return false
		}
	}
	return true
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	enc.Encode(s)           // a string always encodes
	b.Truncate(b.Len() - 1) // the newline Encode adds
}
