package mem

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

func space(t *testing.T, budget uint64) *Space {
	s := NewSpace(budget)
	t.Cleanup(func() { s.Close() })
	return s
}

func alloc(t *testing.T, s *Space, size uint64, name string) *Alloc {
	t.Helper()
	a, err := s.Alloc(Alloc{Size: size, Name: name, Writable: true})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAllocFind(t *testing.T) {
	s := space(t, 1<<30)
	for _, size := range []uint64{0, 1, 4, page - 1, page, page + 1, 3*page + 5} {
		a := alloc(t, s, size, fmt.Sprint(size))
		if a.Base%page != 0 {
			t.Errorf("size %d: address 0x%x is not aligned to %d", size, a.Base, page)
		}
		if uint64(len(a.Bytes())) != size || uint64(cap(a.Bytes())) != size {
			t.Errorf("size %d: %d bytes, capacity %d", size, len(a.Bytes()), cap(a.Bytes()))
		}
		for i, b := range a.Bytes() {
			if b != 0 {
				t.Fatalf("size %d: byte %d is %#x", size, i, b)
			}
			a.Bytes()[i] = 0xff // for the next to find, if memory is used again without being cleared
		}
		for _, c := range []struct {
			addr uint64
			want bool
		}{{a.Base - 1, false}, {a.Base, size > 0}, {a.Base + size - 1, size > 0}, {a.Base + size, false}} {
			if got := s.Find(c.addr); (got == a) != c.want || got != nil && got != a {
				t.Errorf("size %d: at offset %d: found %v", size, int64(c.addr-a.Base), got)
			}
		}
		if n := s.Nearest(a.End() + 8); n != a {
			t.Errorf("size %d: nearest to what lies behind is %v", size, n)
		}
		if size%2 == 0 {
			s.Free(a)
			if size > 0 && s.Find(a.Base) != nil {
				t.Errorf("size %d: found after it was freed", size)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	s := space(t, 1<<30)
	if s.Nearest(1234) != nil {
		t.Error("there is nothing to be near to")
	}
	a, b := alloc(t, s, 100, "a"), alloc(t, s, 100, "b")
	if a.Base > b.Base {
		a, b = b, a
	}
	for _, c := range []struct {
		addr uint64
		want *Alloc
	}{
		{0, a}, {a.Base - 1, a}, {a.Base + 50, a}, {a.End(), a}, {a.End() + 1, a},
		{b.Base - 1, b}, {b.Base, b}, {b.End() + 1, b}, {math.MaxUint64, b},
	} {
		if got := s.Nearest(c.addr); got != c.want {
			t.Errorf("0x%x: nearest is %s, want %s", c.addr, got.Name, c.want.Name)
		}
	}
}

func TestBudget(t *testing.T) {
	s := space(t, 1000)
	a := alloc(t, s, 600, "a")
	_, err := s.Alloc(Alloc{Size: 500, Name: "b"})
	var e *BudgetError
	if !errors.As(err, &e) || *e != (BudgetError{Name: "b", Size: 500, Used: 600, Budget: 1000}) {
		t.Fatalf("got %#v", err)
	}
	if text := e.Error(); !strings.Contains(text, "500 bytes for b") || !strings.Contains(text, "600 of 1000") {
		t.Error(text)
	}
	s.Free(a)
	s.Free(a) // nothing happens
	b := alloc(t, s, 1000, "b")
	if _, err := s.Alloc(Alloc{Size: 1, Name: "c"}); err == nil {
		t.Error("a byte more than the budget")
	}
	s.Free(b)
	for _, size := range []uint64{1001, 1 << 40, 1 << 63, math.MaxUint64} {
		if _, err := s.Alloc(Alloc{Size: size}); err == nil {
			t.Errorf("%d bytes", size)
		}
	}
	for range 3 { // what was refused has cost nothing
		s.Free(alloc(t, s, 1000, "d"))
	}
}

// TestNoBudget asks for more than any host has.
func TestNoBudget(t *testing.T) {
	s := space(t, math.MaxUint64)
	for _, size := range []uint64{1 << 62, 1 << 63, math.MaxUint64 - page, math.MaxUint64 - 1, math.MaxUint64} {
		a, err := s.Alloc(Alloc{Size: size, Name: "x"})
		var e *BudgetError
		if !errors.As(err, &e) || a != nil {
			t.Errorf("%d bytes: %v, %v", size, a, err)
		}
	}
	alloc(t, s, 100, "y")
}

func TestReserve(t *testing.T) {
	s := space(t, 1000)
	if err := s.Reserve(700, "values"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Alloc(Alloc{Size: 400, Name: "b"}); err == nil {
		t.Error("400 bytes when 300 are left")
	}
	if err := s.Reserve(400, "values"); err == nil || !strings.Contains(err.Error(), "400 bytes for values") {
		t.Error(err)
	}
	s.Unreserve(700)
	alloc(t, s, 1000, "c")
}

// TestWindow fills the window: what does not fit any more lies outside it, until something is freed.
func TestWindow(t *testing.T) {
	s := space(t, 1<<40)
	base, ok := s.Window()
	if !ok {
		t.Skip("NOT RUN: this host does not let the window be reserved")
	}
	var list []*Alloc
	for {
		a := alloc(t, s, 512<<20, "big")
		list = append(list, a)
		if !s.InWindow(a) {
			break
		}
		if a.Base < base+page || a.End() > base+windowSize-page {
			t.Fatalf("0x%x to 0x%x in the window at 0x%x: the first and the last page stay free", a.Base, a.End(), base)
		}
		if len(list) > 8 {
			t.Fatal("more than 8 pieces of 512 MiB in 4 GiB")
		}
	}
	if len(list) != 8 { // 7 fit with what is between them
		t.Errorf("%d pieces of 512 MiB fit, want 7", len(list)-1)
	}
	gap := list[3].Base
	s.Free(list[3])
	b := alloc(t, s, 512<<20, "again")
	if b.Base != gap || !s.InWindow(b) {
		t.Errorf("the gap at 0x%x was not used, got 0x%x", gap, b.Base)
	}
	for _, a := range append(list[:3:3], b) {
		if got := s.Find(a.End() - 1); got != a {
			t.Errorf("found %v", got)
		}
	}
}

func TestExtent(t *testing.T) {
	s := space(t, 1<<20)
	parts := []Part{{Off: 0, Size: 4, Name: "x", Writable: true}, {Off: 64, Size: 8, Name: "y"}}
	a, err := s.Alloc(Alloc{Size: 3 * 128, Stride: 128, Parts: parts, Writable: true, Storage: spirv.StorageClassFunction})
	if err != nil {
		t.Fatal(err)
	}
	for off := range a.Size {
		e, ok := a.Extent(a.Base + off)
		lane, at := off/128, off%128
		switch {
		case at < 4:
			if !ok || e.Part != &a.Parts[0] || e.Lo != a.Base+lane*128 || e.Size != 4 || e.Lane != int(lane) || !e.Writable {
				t.Fatalf("offset %d: %+v %v", off, e, ok)
			}
		case at >= 64 && at < 72:
			if !ok || e.Part != &a.Parts[1] || e.Lo != a.Base+lane*128+64 || e.Size != 8 || e.Lane != int(lane) || e.Writable {
				t.Fatalf("offset %d: %+v %v", off, e, ok)
			}
		case ok:
			t.Fatalf("offset %d is in no part: %+v", off, e)
		}
	}
	b := alloc(t, s, 10, "whole")
	if e, ok := b.Extent(b.Base + 9); !ok || e.Lo != b.Base || e.Size != 10 || !e.Writable {
		t.Errorf("%+v %v", e, ok)
	}
}

// TestConcurrent allocates, finds and frees from many goroutines; every byte keeps what its owner wrote.
func TestConcurrent(t *testing.T) {
	s := space(t, 1<<30)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for i := range 100 {
				a, err := s.Alloc(Alloc{Size: 1 + r.Uint64N(5*page), Name: fmt.Sprint(g), Writable: true})
				if err != nil {
					t.Error(err)
					return
				}
				mark := byte(g*16 + i%16)
				a.Bytes()[0], a.Bytes()[a.Size-1] = mark, mark
				if got := s.Find(a.Base + a.Size/2); got != a {
					t.Errorf("found %v", got)
				}
				s.Nearest(a.End())
				if p := (*byte)(At(a.Base)); *p != mark || a.Bytes()[a.Size-1] != mark {
					t.Errorf("another goroutine wrote here")
				}
				s.Free(a)
			}
		})
	}
	wg.Wait()
	if s.used != 0 {
		t.Errorf("%d bytes are left in use", s.used)
	}
}

func TestClose(t *testing.T) {
	s := NewSpace(1 << 20)
	a := alloc(t, s, 10, "a")
	addr := a.Base
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Find(addr) != nil {
		t.Error("found after Close")
	}
	if err := s.Close(); err != nil {
		t.Error("closed twice:", err)
	}
}
