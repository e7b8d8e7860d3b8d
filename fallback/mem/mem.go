// Package mem is the emulator's memory: allocations at real addresses outside the Go heap, found by address.
//
// A pointer a kernel computes with is a real address, so it can be stored, compared, cast to an integer and back, and
// shared with the application. Every access is checked against the allocation that holds it; [Space.Find] answers which
// that is. Modules with 32-bit addressing see addresses relative to the space's window, a reserved range of 4 GiB from
// which allocations are made as long as they fit.
package mem

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/sgrun/sgrun/spirv"
)

// page is the granularity of allocations. It is at least the host's page size on all hosts Go runs on.
const page = 64 << 10

// windowSize is the range a 32-bit address can name.
const windowSize = 1 << 32

// maxAlloc is the largest allocation that is tried, in bytes; a host's address space is smaller.
const maxAlloc = 1 << 56

// Space is an address space. Its methods may be called concurrently.
type Space struct {
	mu     sync.Mutex
	budget uint64 // bytes that may be allocated
	used   uint64
	window []byte // reserved, not committed; nil where the host refused
	base   uint64 // address of the window
	table  atomic.Pointer[[]*Alloc]
}

// NewSpace returns an empty space in which at most budget bytes can be allocated at a time.
func NewSpace(budget uint64) *Space {
	s := &Space{budget: budget}
	if w, err := reserve(windowSize); err == nil {
		s.window, s.base = w, addressOf(w)
	}
	s.table.Store(new([]*Alloc))
	return s
}

// Close releases all memory of the space. No allocation of it may be used after.
func (s *Space) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range *s.table.Load() {
		if !a.inWindow {
			release(a.bytes)
		}
	}
	s.table.Store(new([]*Alloc))
	if s.window != nil {
		release(s.window)
		s.window = nil
	}
	return nil
}

// Alloc is one allocation. All fields are read-only.
type Alloc struct {
	Base     uint64 // address of the first byte
	Size     uint64 // bytes
	Name     string // what messages call it
	Storage  spirv.StorageClass
	Writable bool
	// Stride and Parts describe an allocation that is divided: into equal pieces of Stride bytes, one for each lane
	// (0: into one piece), each holding the Parts at the same offsets. Bytes in no part may not be accessed.
	Stride uint64
	Parts  []Part

	bytes    []byte
	inWindow bool
}

// Part is a variable within a divided allocation.
type Part struct {
	Off, Size uint64 // bytes from the start of a piece
	Name      string
	Writable  bool
}

// Bytes returns the allocation's memory.
func (a *Alloc) Bytes() []byte { return a.bytes[:a.Size:a.Size] }

// End is the address after the last byte.
func (a *Alloc) End() uint64 { return a.Base + a.Size }

// Extent is a range of addresses in which an access may lie.
type Extent struct {
	Alloc    *Alloc
	Part     *Part // nil where the allocation is not divided
	Lo       uint64
	Size     uint64
	Lane     int // the piece, of an allocation divided by lanes
	Writable bool
}

// Extent returns the extent that holds the address; false where it lies between parts.
func (a *Alloc) Extent(addr uint64) (Extent, bool) {
	if a.Parts == nil {
		return Extent{Alloc: a, Lo: a.Base, Size: a.Size, Writable: a.Writable}, true
	}
	off, lane := addr-a.Base, uint64(0)
	if a.Stride != 0 {
		lane, off = off/a.Stride, off%a.Stride
	}
	i := sort.Search(len(a.Parts), func(i int) bool { return a.Parts[i].Off > off }) - 1
	if i < 0 || off-a.Parts[i].Off >= a.Parts[i].Size {
		return Extent{}, false
	}
	p := &a.Parts[i]
	return Extent{Alloc: a, Part: p, Lo: a.Base + lane*a.Stride + p.Off, Size: p.Size, Lane: int(lane), Writable: a.Writable && p.Writable}, true
}

// BudgetError says that an allocation would exceed the memory budget or the host's memory.
type BudgetError struct {
	Name               string
	Size, Used, Budget uint64
	Err                error // what the host said, if it refused
}

func (e *BudgetError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the host has no %d bytes for %s: %v", e.Size, e.Name, e.Err)
	}
	return fmt.Sprintf("%d bytes for %s exceed the memory budget: %d of %d bytes are in use", e.Size, e.Name, e.Used, e.Budget)
}

// Alloc allocates desc.Size bytes, zeroed, at an address aligned to 64 KiB, with the other public fields of desc
// copied. The error is a *BudgetError.
func (s *Space) Alloc(desc Alloc) (*Alloc, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.take(desc.Size, desc.Name); err != nil {
		return nil, err
	}
	a, err := s.place(desc)
	if err != nil {
		s.used -= desc.Size
		return nil, &BudgetError{desc.Name, desc.Size, s.used, s.budget, err}
	}
	old := *s.table.Load()
	i := sort.Search(len(old), func(i int) bool { return old[i].Base > a.Base })
	table := slices.Insert(slices.Clone(old), i, a)
	s.table.Store(&table)
	return a, nil
}

// Reserve counts size bytes that are kept elsewhere against the budget. The error is a *BudgetError.
func (s *Space) Reserve(size uint64, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(size, name)
}

// Unreserve undoes a Reserve.
func (s *Space) Unreserve(size uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= size
}

// take counts bytes against the budget. The lock is held.
func (s *Space) take(size uint64, name string) error {
	if size > s.budget || s.used > s.budget-size {
		return &BudgetError{name, size, s.used, s.budget, nil}
	}
	s.used += size
	return nil
}

// place finds room for an allocation. The lock is held.
func (s *Space) place(desc Alloc) (*Alloc, error) {
	if desc.Size > maxAlloc {
		return nil, errors.ErrUnsupported
	}
	a := new(Alloc)
	*a = desc
	// A page more than needed keeps neighbours apart, so that an access past the end cannot reach another allocation.
	room := (desc.Size+page-1)/page*page + page
	if off, ok := s.windowGap(room); ok {
		b := s.window[off : off+room]
		if err := commit(b[:room-page]); err != nil {
			decommit(b)
			return nil, err
		}
		a.bytes, a.inWindow = b, true
	} else {
		b, err := reserve(room)
		if err != nil {
			return nil, err
		}
		if err := commit(b[:room-page]); err != nil {
			release(b)
			return nil, err
		}
		a.bytes = b
	}
	a.Base = addressOf(a.bytes)
	return a, nil
}

// windowGap finds room bytes in the window that no allocation uses.
func (s *Space) windowGap(room uint64) (uint64, bool) {
	if s.window == nil {
		return 0, false
	}
	off := uint64(page) // address 0 of the window stays the null pointer
	for _, a := range *s.table.Load() {
		if !a.inWindow {
			continue
		}
		if a.Base-s.base >= off+room {
			return off, true
		}
		off = a.Base - s.base + uint64(len(a.bytes))
	}
	// The last page stays unused, so that address arithmetic past the end of a buffer does not wrap around.
	return off, off+room <= windowSize-page
}

// Free releases an allocation.
func (s *Space) Free(a *Alloc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := *s.table.Load()
	i := slices.Index(old, a)
	if i < 0 {
		return
	}
	table := slices.Delete(slices.Clone(old), i, i+1)
	s.table.Store(&table)
	s.used -= a.Size
	if a.inWindow {
		decommit(a.bytes)
	} else {
		release(a.bytes)
	}
}

// Find returns the allocation that holds the address, or nil.
func (s *Space) Find(addr uint64) *Alloc {
	t := *s.table.Load()
	i := sort.Search(len(t), func(i int) bool { return t[i].Base > addr }) - 1
	if i < 0 || addr-t[i].Base >= t[i].Size {
		return nil
	}
	return t[i]
}

// Nearest returns the allocation closest to the address, or nil where there is none.
func (s *Space) Nearest(addr uint64) *Alloc {
	t := *s.table.Load()
	i := sort.Search(len(t), func(i int) bool { return t[i].Base > addr })
	switch {
	case len(t) == 0:
		return nil
	case i == 0:
		return t[0]
	case i == len(t) || addr-min(addr, t[i-1].End()) <= t[i].Base-addr:
		return t[i-1]
	}
	return t[i]
}

// Window returns the address that 32-bit address 0 stands for; false where the host refused to reserve the window.
func (s *Space) Window() (base uint64, ok bool) { return s.base, s.window != nil }

// InWindow reports whether 32-bit addresses can name the allocation.
func (s *Space) InWindow(a *Alloc) bool { return a.inWindow }

// At returns a pointer to an address inside a live allocation.
//
// The address is reinterpreted rather than converted: the memory is not managed by the Go collector, so the rule the
// conversion would break does not apply.
func At(addr uint64) unsafe.Pointer {
	p := uintptr(addr)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
