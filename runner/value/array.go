package value

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Array is a number of elements of one type as they lie in memory: little-endian, without gaps but the fourth scalar of
// vectors of three, 4-bit elements two to a byte with the low nibble first.
type Array struct {
	Type  Type
	Count int    // elements
	Data  []byte // Type.Bytes(Count) bytes
	// Shape is the shape of the .npy file the array came from, or nil. It counts as numpy does: scalars, and bytes of
	// packed 4-bit elements.
	Shape []int
}

// New returns an array of zeros. It takes the memory from the budget; the error is a *BudgetError, or says that the count
// is larger than any memory.
func New(t Type, count uint64, budget *Budget) (*Array, error) {
	n, ok := t.Bytes(count)
	if !ok {
		return nil, fmt.Errorf("%v[%d] is larger than any memory", t, count)
	}
	if err := budget.Take(n); err != nil {
		return nil, err
	}
	return &Array{Type: t, Count: int(count), Data: make([]byte, n)}, nil
}

// Scalars returns how many numbers the array holds, the padding of vectors of three not counted.
func (a *Array) Scalars() int { return a.Count * a.Type.Comps }

// Bits returns the bits of component c of element i, zero-extended.
func (a *Array) Bits(i, c int) uint64 {
	at := i*a.Type.Room() + c
	switch a.Type.Scalar.Bits() {
	case 4:
		return uint64(a.Data[at/2]>>(4*(at%2))) & 15
	case 8:
		return uint64(a.Data[at])
	case 16:
		return uint64(binary.LittleEndian.Uint16(a.Data[2*at:]))
	case 32:
		return uint64(binary.LittleEndian.Uint32(a.Data[4*at:]))
	}
	return binary.LittleEndian.Uint64(a.Data[8*at:])
}

// SetBits sets component c of element i to the low bits of b.
func (a *Array) SetBits(i, c int, b uint64) {
	at := i*a.Type.Room() + c
	switch a.Type.Scalar.Bits() {
	case 4:
		shift := 4 * (at % 2)
		a.Data[at/2] = a.Data[at/2]&^(15<<shift) | byte(b&15)<<shift
	case 8:
		a.Data[at] = byte(b)
	case 16:
		binary.LittleEndian.PutUint16(a.Data[2*at:], uint16(b))
	case 32:
		binary.LittleEndian.PutUint32(a.Data[4*at:], uint32(b))
	default:
		binary.LittleEndian.PutUint64(a.Data[8*at:], b)
	}
}

// As returns the same bytes as an array of another type, sharing the memory. The bytes must be a whole number of elements.
func (a *Array) As(t Type) (*Array, error) {
	whole := len(a.Data)*8/t.Bits()*t.Bits() == len(a.Data)*8
	if !whole {
		return nil, fmt.Errorf("%d bytes are no whole number of %v, which take %d bits each", len(a.Data), t, t.Bits())
	}
	if t == a.Type { // keeps an odd count of 4-bit elements
		return a, nil
	}
	return &Array{Type: t, Count: len(a.Data) * 8 / t.Bits(), Data: a.Data}, nil
}

// Format says how numbers are printed.
type Format struct {
	Hex bool // bit patterns instead of values
	// Parts cuts integers into parts of that many bits, lowest first, joined by |; 0 prints them whole.
	Parts int
}

// Element prints element i: a number, or the components of a vector as <1,2>.
func (a *Array) Element(i int, f Format) string { return string(a.appendElement(nil, i, f)) }

func (a *Array) appendElement(dst []byte, i int, f Format) []byte {
	if a.Type.Comps > 1 {
		dst = append(dst, '<')
	}
	for c := range a.Type.Comps {
		if c > 0 {
			dst = append(dst, ',')
		}
		dst = f.append(dst, a.Bits(i, c), a.Type.Scalar)
	}
	if a.Type.Comps > 1 {
		dst = append(dst, '>')
	}
	return dst
}

func (f Format) append(dst []byte, b uint64, s Scalar) []byte {
	cls := s.info().class
	if f.Parts <= 0 || f.Parts >= s.Bits() || s.Bits()%f.Parts != 0 || cls != classInt && cls != classUint {
		return appendNumber(dst, b, s, f.Hex)
	}
	for at := 0; at < s.Bits(); at += f.Parts {
		if at > 0 {
			dst = append(dst, '|')
		}
		part := b >> at & (1<<f.Parts - 1)
		if f.Hex {
			dst = fmt.Appendf(dst, "0x%0*x", (f.Parts+3)/4, part)
		} else {
			dst = fmt.Append(dst, part)
		}
	}
	return dst
}

// List prints elements from to to-1, separated by commas, as the VALUE syntax reads them.
func (a *Array) List(from, to int, f Format) string {
	var dst []byte
	for i := from; i < to; i++ {
		if i > from {
			dst = append(dst, ',')
		}
		dst = a.appendElement(dst, i, f)
	}
	return string(dst)
}

// String prints the whole array in the VALUE syntax, such as "v2u16[2]:<0,8>,<1,9>".
func (a *Array) String() string {
	head := fmt.Sprintf("%v[%d]", a.Type, a.Count)
	if a.Count == 0 {
		return head
	}
	return head + ":" + a.List(0, a.Count, Format{})
}

// Head prints the first elements for people, at most n of them and at most width bytes, and says with … that there are
// more. The first is printed whatever its length.
func (a *Array) Head(n, width int, f Format) string {
	var s strings.Builder
	for i := range a.Count {
		e := a.Element(i, f)
		if i >= n || i > 0 && s.Len()+2+len(e) > width {
			s.WriteString(" …")
			break
		}
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString(e)
	}
	return s.String()
}
