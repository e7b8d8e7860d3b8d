package asm

import (
	"math"

	"github.com/sgrun/sgrun/spirv"
)

// symbol numbers the ids of a text in the order they appear.
type symbol int32

const noSymbol symbol = -1

type symInfo struct {
	name string // as first written, without "%"
	id   uint32
	line int // of the definition; 0 before it
}

// ids gives numbers to the ids of a text.
type ids struct {
	byName map[string]symbol
	syms   []symInfo
	next   uint32
	// numeric holds the numbers the text gives itself, with the symbol of those met already; nil where numbers are names.
	numeric map[uint32]symbol
}

func newIDs() *ids { return &ids{byName: map[string]symbol{}, next: 1} }

// preserve makes numeric names stand for themselves. It needs the whole text first, so that no other id takes their numbers.
func (d *ids) preserve(text string) error {
	d.numeric = map[uint32]symbol{}
	scan := newScanner(text)
	for {
		t, err := scan.next()
		if err != nil {
			return err
		}
		if t.end() {
			return nil
		}
		if t.text[0] == '%' {
			if v, ok := numericName(t.text[1:]); ok {
				d.numeric[v] = noSymbol
			}
		}
	}
}

func numericName(name string) (uint32, bool) {
	v, _, ok := parseUint(name)
	return uint32(v), ok && v <= math.MaxUint32
}

// intern returns the symbol of an id token, which begins with "%".
func (d *ids) intern(t token) (symbol, error) {
	name := t.text[1:]
	if sym, ok := d.byName[name]; ok {
		return sym, nil
	}
	if name == "" {
		return 0, t.errorf("expected a name or number after \"%%\"")
	}
	for i := range len(name) {
		if c := name[i]; c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return 0, t.errorf("an id consists of letters, digits and \"_\", found %s", t.shown())
		}
	}
	sym := symbol(len(d.syms))
	if d.numeric != nil {
		if v, ok := numericName(name); ok {
			// %8, %0x8 and %010 are the same id.
			if known := d.numeric[v]; known != noSymbol {
				d.byName[name] = known
				return known, nil
			}
			d.numeric[v] = sym
			d.add(name, v)
			return sym, nil
		}
	}
	for {
		if _, taken := d.numeric[d.next]; !taken {
			break
		}
		d.next++
	}
	d.add(name, d.next)
	d.next++
	return sym, nil
}

func (d *ids) add(name string, id uint32) {
	d.byName[name] = symbol(len(d.syms))
	d.syms = append(d.syms, symInfo{name: name, id: id})
}

// bound returns the smallest number above all ids, at least 1; the largest number of all where an id leaves no room.
func (d *ids) bound() uint32 {
	bound := uint32(1)
	for _, s := range d.syms {
		if s.id == math.MaxUint32 {
			return math.MaxUint32
		}
		bound = max(bound, s.id+1)
	}
	return bound
}

func (d *ids) names() map[spirv.ID]string {
	m := make(map[spirv.ID]string, len(d.syms))
	for _, s := range d.syms {
		m[spirv.ID(s.id)] = s.name
	}
	return m
}
