package exec

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/fallback/vec"
)

// atomicAccess makes the atomic accesses of the active lanes one after another, in the order of the lanes. Work-groups run
// at the same time, so each access is one of the host's too.
func atomicAccess(g *gang, o *op) {
	g.polls = true
	a, kind := o.in.Atomic, o.in.Kind
	size := uint64(kind.Bytes())
	if !g.check(o, o.cache, o.a, size, a.Mode != lane.AtomicLoad) {
		return
	}
	var join vec.Func
	if a.Mode == lane.AtomicUpdate {
		join, _ = vec.For(a.Combine, kind, kind, 0)
	}
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			if g.addrs[i]%size != 0 {
				g.fail(o.in.At, i, "misaligned-atomic", fmt.Sprintf("an atomic access of %d bytes at an address that is not a multiple of %d", size, size), "")
				g.fault.place("address", fmt.Sprintf("0x%x", g.addrs[i]))
				return
			}
			var operand, comparator uint64
			if len(o.in.Src) > 1 {
				operand = g.bits(o.in.Src[1], i, int(size))
			}
			if len(o.in.Src) > 2 {
				comparator = g.bits(o.in.Src[2], i, int(size))
			}
			old := update(g.addrs[i], size, func(old uint64) (uint64, bool) {
				switch a.Mode {
				case lane.AtomicLoad:
					return 0, false
				case lane.AtomicStore:
					return operand, true
				case lane.AtomicCompareExchange:
					return operand, old == comparator
				}
				if a.Combine == lane.Copy {
					return operand, true
				}
				var result uint64
				join(unsafe.Pointer(&result), unsafe.Pointer(&old), unsafe.Pointer(&operand), nil, nil, 0, 1)
				return result, true
			})
			if len(o.in.Dst) > 0 {
				copy(g.bytesOf(o.d, i, 1, int(size)), unsafe.Slice((*byte)(unsafe.Pointer(&old)), size))
			}
		}
	}
}

// bits returns a value in one lane, zero-extended.
func (g *gang) bits(v lane.Value, i, size int) (bits uint64) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&bits)), 8), g.bytesOf(g.code.slots[v], i, 1, size))
	return bits
}

// update changes size bytes at an address as one access: f makes the new value of the old one, or says that there is
// none. It returns the old value.
func update(addr, size uint64, f func(old uint64) (uint64, bool)) uint64 {
	if size == 8 {
		p := (*uint64)(mem.At(addr))
		for {
			old := atomic.LoadUint64(p)
			v, ok := f(old)
			if !ok || atomic.CompareAndSwapUint64(p, old, v) {
				return old
			}
		}
	}
	// Narrower values are a part of the 32-bit word they lie in. Allocations start at multiples of a page and are made
	// of whole pages, so the word is there.
	p := (*uint32)(mem.At(addr &^ 3))
	shift := addr & 3 * 8
	ones := uint32(1<<(8*size) - 1)
	for {
		word := atomic.LoadUint32(p)
		old := word >> shift & ones
		v, ok := f(uint64(old))
		if !ok || atomic.CompareAndSwapUint32(p, word, word&^(ones<<shift)|uint32(v)&ones<<shift) {
			return uint64(old)
		}
	}
}

// fenceWord is only written to, to order what is before and behind: Go has no other fence.
var fenceWord atomic.Uint32

func fence(*gang, *op) { fenceWord.Add(1) }
