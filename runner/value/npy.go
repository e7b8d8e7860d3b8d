package value

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The .npy format, versions 1.0 to 3.0 (numpy.lib.format). It is read here and not by a library because files are input
// that must never panic or allocate by a header's word alone, and because bf16, 8-bit floats and packed 4-bit numbers
// travel as unsigned integers.

var npyMagic = []byte("\x93NUMPY")

// maxNpyHeader bounds the text that describes a .npy file, in bytes. numpy itself refuses more than 10000 by default.
const maxNpyHeader = 1 << 16

type npyHeader struct {
	descr   string // as in the file: "<f4"
	fortran bool
	shape   []int
	scalar  Scalar // NoScalar for raw bytes of size bytes
	size    int    // bytes of one number
	big     bool   // big-endian
	count   uint64 // numbers
}

// parseNpyHeader reads the header and returns it with what follows.
func parseNpyHeader(data []byte) (*npyHeader, []byte, error) {
	if !bytes.HasPrefix(data, npyMagic) || len(data) < 10 {
		return nil, nil, fmt.Errorf("this is no .npy file: it does not start with \\x93NUMPY")
	}
	n, at := uint64(binary.LittleEndian.Uint16(data[8:])), uint64(10)
	if data[6] >= 2 {
		if len(data) < 12 {
			return nil, nil, fmt.Errorf("the header of the .npy file is cut")
		}
		n, at = uint64(binary.LittleEndian.Uint32(data[8:])), 12
	}
	if data[6] < 1 || data[6] > 3 {
		return nil, nil, fmt.Errorf(".npy version %d.%d is not known", data[6], data[7])
	}
	if n > maxNpyHeader || at+n > uint64(len(data)) {
		return nil, nil, fmt.Errorf("the header of the .npy file is cut or too long (%d bytes)", n)
	}
	h := &npyHeader{}
	if err := h.parseDict(string(data[at : at+n])); err != nil {
		return nil, nil, fmt.Errorf("the header of the .npy file is damaged: %w", err)
	}
	if err := h.parseDescr(); err != nil {
		return nil, nil, err
	}
	h.count = 1
	for _, d := range h.shape {
		if d != 0 && h.count > 1<<62/uint64(d) {
			return nil, nil, fmt.Errorf("the shape %v of the .npy file is larger than any memory", h.shape)
		}
		h.count *= uint64(d)
	}
	rest := data[at+n:]
	if have := uint64(len(rest)) / uint64(h.size); have < h.count {
		return nil, nil, fmt.Errorf("the .npy file is cut: its shape %v needs %d numbers of %d bytes, %d bytes follow", h.shape, h.count, h.size, len(rest))
	}
	return h, rest[:h.count*uint64(h.size)], nil
}

// parseDict reads the Python dictionary literal {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
func (h *npyHeader) parseDict(s string) error {
	s = strings.TrimSpace(s)
	s, ok := strings.CutPrefix(s, "{")
	if !ok {
		return fmt.Errorf("it is no dictionary")
	}
	seen := map[string]bool{}
	for {
		s = strings.TrimLeft(s, " ,\t\n")
		if strings.HasPrefix(s, "}") {
			break
		}
		key, rest, ok := pyString(s)
		if !ok {
			return fmt.Errorf("a key is missing")
		}
		s = strings.TrimLeft(rest, " :")
		seen[key] = true
		switch key {
		case "descr":
			if h.descr, s, ok = pyString(s); !ok {
				return fmt.Errorf("structured types are not supported")
			}
		case "fortran_order":
			if s, ok = strings.CutPrefix(s, "True"); ok {
				h.fortran = true
			} else if s, ok = strings.CutPrefix(s, "False"); !ok {
				return fmt.Errorf("fortran_order is neither True nor False")
			}
		case "shape":
			end := strings.IndexByte(s, ')')
			if !strings.HasPrefix(s, "(") || end < 0 {
				return fmt.Errorf("shape is no tuple")
			}
			for d := range strings.SplitSeq(s[1:end], ",") {
				if d = strings.TrimSpace(d); d == "" {
					continue
				}
				n, err := strconv.ParseUint(strings.TrimSuffix(d, "L"), 10, 62)
				if err != nil || len(h.shape) >= 32 {
					return fmt.Errorf("shape %s is no tuple of at most 32 lengths", quote(s[:end+1]))
				}
				h.shape = append(h.shape, int(n))
			}
			s = s[end+1:]
		default:
			return fmt.Errorf("unknown key %s", quote(key))
		}
	}
	if !seen["descr"] || !seen["fortran_order"] || !seen["shape"] {
		return fmt.Errorf("descr, fortran_order or shape is missing")
	}
	return nil
}

func pyString(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '\'' && s[0] != '"' {
		return "", s, false
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return "", s, false
	}
	return s[1 : 1+end], s[end+2:], true
}

var npyScalars = map[string]Scalar{"b1": Bool, "i1": I8, "u1": U8, "i2": I16, "u2": U16, "f2": F16, "i4": I32, "u4": U32, "f4": F32, "i8": I64, "u8": U64, "f8": F64}

func (h *npyHeader) parseDescr() error {
	code := strings.TrimLeft(h.descr, "<>|=")
	h.big = strings.HasPrefix(h.descr, ">")
	if s, ok := npyScalars[code]; ok {
		h.scalar, h.size = s, s.Bits()/8
		return nil
	}
	if code == "V1" || code == "V2" { // how numpy saves the types of package ml_dtypes: bfloat16, float8_…
		h.size = int(code[1] - '0')
		return nil
	}
	return fmt.Errorf("the .npy file holds %s, which is not supported; there are bool, integers and floats of 8 to 64 bits", quote(h.descr))
}

// decodeNpy makes an array of a .npy file's bytes. A zero t takes the type from the file; otherwise the file's must be t's
// scalar, or one that carries its bits.
func decodeNpy(data []byte, t Type, count int) (*Array, error) {
	h, body, err := parseNpyHeader(data)
	if err != nil {
		return nil, err
	}
	if t == (Type{}) {
		if h.scalar == NoScalar {
			return nil, fmt.Errorf("the .npy file holds %s, whose type is not known; give it, as in bf16:@file.npy", quote(h.descr))
		}
		t = Of(h.scalar)
	}
	if !carries(h, t.Scalar) {
		return nil, fmt.Errorf("the .npy file holds %s, which carries no %v", quote(h.descr), t.Scalar)
	}
	body = slices.Clone(body)
	if h.big {
		for i := 0; i < len(body); i += h.size {
			slices.Reverse(body[i : i+h.size])
		}
	}
	if h.fortran && len(h.shape) > 1 {
		body = toRowMajor(body, h.shape, h.size)
	}
	if t.Comps == 3 {
		if body, err = widen3(body, t.Scalar); err != nil {
			return nil, err
		}
	}
	a, err := fromBytes(body, t, count)
	if err != nil {
		return nil, err
	}
	a.Shape = h.shape
	return a, nil
}

// carries reports whether numbers of the file can be taken as the bits of s: the same scalar, an integer of the same width
// for any scalar, packed bytes for 4-bit numbers.
func carries(h *npyHeader, s Scalar) bool {
	if s.Bits() == 4 {
		return h.size == 1 && (h.scalar == U8 || h.scalar == I8 || h.scalar == NoScalar)
	}
	return h.scalar == s || h.size*8 == s.Bits() && !h.scalar.Float() && h.scalar != Bool
}

// toRowMajor copies numbers stored with the first index fastest into the order with the last index fastest.
func toRowMajor(body []byte, shape []int, size int) []byte {
	out := make([]byte, len(body))
	index := make([]int, len(shape))
	for at := 0; at < len(out); at += size {
		from, step := 0, 1
		for d, i := range index {
			from += i * step
			step *= shape[d]
		}
		copy(out[at:at+size], body[from*size:])
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}

// widen3 gives vectors of three, which a .npy file holds without padding, the room of four.
func widen3(body []byte, s Scalar) ([]byte, error) {
	if s.Bits() == 4 {
		return body, nil // packed in the file as in memory
	}
	in, out := 3*s.Bits()/8, 4*s.Bits()/8
	if len(body)%in != 0 {
		return nil, fmt.Errorf("the .npy file's %d numbers are no whole number of v3%v", len(body)*8/s.Bits(), s)
	}
	wide := make([]byte, len(body)/in*out)
	for i := range len(body) / in {
		copy(wide[i*out:], body[i*in:(i+1)*in])
	}
	return wide, nil
}

// fromBytes takes bytes as count elements of t. A negative count is as many as there are.
func fromBytes(data []byte, t Type, count int) (*Array, error) {
	if count < 0 {
		a, err := (&Array{Type: Of(U8), Count: len(data), Data: data}).As(t)
		if err != nil {
			return nil, err
		}
		return a, nil
	}
	if n, ok := t.Bytes(uint64(count)); !ok || n != uint64(len(data)) {
		return nil, fmt.Errorf("%v[%d] takes %d bytes, %d are given", t, count, n, len(data))
	}
	return &Array{Type: t, Count: count, Data: data}, nil
}

// WriteNpy writes the array as a .npy file of version 1.0: bf16 as uint16, e4m3 and e5m2 as uint8, 4-bit numbers as uint8
// holding two each. The shape is a.Shape where the array came from a file and still has that size, else (Count,) or
// (Count, components). The padding of vectors of three is left out.
func (a *Array) WriteNpy(w io.Writer) error {
	s := a.Type.Scalar
	descr, ok := map[Scalar]string{BF16: "<u2", E4M3: "|u1", E5M2: "|u1", I4: "|u1", U4: "|u1", Bool: "|b1", I8: "|i1", U8: "|u1"}[s]
	for code, sc := range npyScalars {
		if !ok && sc == s {
			descr = "<" + code
		}
	}
	shape := []int{a.Count}
	if a.Type.Comps > 1 {
		shape = append(shape, a.Type.Comps)
	}
	stored := a.Scalars()
	if s.Bits() == 4 {
		shape, stored = []int{len(a.Data)}, len(a.Data)
	}
	if n := product(a.Shape); a.Shape != nil && n == stored {
		shape = a.Shape
	}
	var dims strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&dims, "%d, ", d)
	}
	tuple := strings.TrimSuffix(dims.String(), " ")
	if len(shape) != 1 {
		tuple = strings.TrimSuffix(tuple, ",")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	dict += strings.Repeat(" ", 63-(10+len(dict))%64) + "\n" // the data starts at a multiple of 64 bytes
	head := append(slices.Clone(npyMagic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(dict)))
	if _, err := w.Write(append(head, dict...)); err != nil {
		return err
	}
	if a.Type.Comps != 3 || s.Bits() == 4 {
		_, err := w.Write(a.Data)
		return err
	}
	size := s.Bits() / 8
	packed := make([]byte, 0, a.Count*3*size)
	for i := range a.Count {
		packed = append(packed, a.Data[i*4*size:(i*4+3)*size]...)
	}
	_, err := w.Write(packed)
	return err
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
