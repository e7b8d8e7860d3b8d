package exec

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/fallback/mem"
	"github.com/sgrun/sgrun/spirv"
)

// extentCache remembers the extent an instruction accessed last: lane i may access addresses lo+i×stride to
// lo+i×stride+size-1. Memory that every lane has of its own is the only kind with a stride; there the cache also makes
// sure that a lane stays within its own piece.
type extentCache struct {
	lo, stride, size uint64
	writable         bool
}

// check makes sure every active lane may access size bytes at its address, and leaves the addresses as the host sees
// them in g.addrs. It reports false after a fault.
func (g *gang) check(o *op, cache int32, addrRow uint32, size uint64, write bool) bool {
	g.hostAddresses(addrRow)
	return g.verify(o, cache, size, write)
}

// hostAddresses fills g.addrs from a row of addresses.
func (g *gang) hostAddresses(addrRow uint32) {
	if g.code.prog.AddrKind == lane.I32 {
		window := g.w.run.env.Window
		row := rowOf[uint32](g, addrRow)
		for _, r := range g.runs() {
			for i := r.lo; i < r.hi; i++ {
				g.addrs[i] = window + uint64(row[i])
			}
		}
	} else {
		row := rowOf[uint64](g, addrRow)
		for _, r := range g.runs() {
			copy(g.addrs[r.lo:r.hi], row[r.lo:r.hi])
		}
	}
}

// verify makes sure every active lane may access size bytes at its address in g.addrs. It reports false after a fault.
func (g *gang) verify(o *op, cache int32, size uint64, write bool) bool {
	c := &g.caches[cache]
	g.step, g.even = g.progression()
	if !g.evenlyInside(c, size, write) {
		for _, r := range g.runs() {
			for i := r.lo; i < r.hi; i++ {
				// One comparison when the access fits: the difference wraps around below lo.
				if c.size < size || g.addrs[i]-(c.lo+uint64(i)*c.stride) > c.size-size || write && !c.writable {
					if !g.miss(o, c, i, size, write) {
						return false
					}
				}
			}
		}
	}
	if w := g.w.run.env.Watch; w != nil {
		g.watch(w, o, size, write)
	}
	return true
}

// maxStep is the largest distance of neighbours' addresses that counts as even, so that sums of them cannot overflow.
const maxStep = 1 << 40

// progression looks whether the active lanes are neighbours and their addresses are evenly spaced, as most are; then
// looking at the first and the last of them tells where all are, and consecutive words can be copied as one.
func (g *gang) progression() (step uint64, even bool) {
	if len(g.runs()) != 1 {
		return 0, false
	}
	a := g.addrs[g.runs()[0].lo:g.runs()[0].hi]
	if len(a) == 1 {
		return 0, true
	}
	step = a[1] - a[0]
	if a[len(a)-1]-a[0] != step*uint64(len(a)-1) || step+maxStep > 2*maxStep {
		return 0, false
	}
	differ := uint64(0)
	for len(a) >= 5 {
		x := (*[5]uint64)(a)
		differ |= (x[1] - x[0]) ^ step | (x[2] - x[1]) ^ step | (x[3] - x[2]) ^ step | (x[4] - x[3]) ^ step
		a = a[4:]
	}
	for i := 1; i < len(a); i++ {
		differ |= (a[i] - a[i-1]) ^ step
	}
	return step, differ == 0
}

// evenlyInside reports whether evenly spaced addresses lie where the cache says. Otherwise they still may.
func (g *gang) evenlyInside(c *extentCache, size uint64, write bool) bool {
	if !g.even || c.size < size || write && !c.writable {
		return false
	}
	r := g.runs()[0]
	lo, span := c.lo+uint64(r.lo)*c.stride, c.size-size
	if g.addrs[r.lo]-lo > span {
		return false
	}
	// In memory that each lane has of its own, every lane is as far into its piece as the first, or looked at alone.
	return g.step == c.stride || c.stride == 0 && g.addrs[r.hi-1]-lo <= span
}

// miss looks the extent up, into the cache, or fails the gang.
func (g *gang) miss(o *op, c *extentCache, i int, size uint64, write bool) bool {
	addr := g.addrs[i]
	a := g.w.run.env.Space.Find(addr)
	if a == nil {
		return g.badAccess(o, i, addr, size, write, nil, "")
	}
	e, ok := a.Extent(addr)
	switch {
	case !ok:
		return g.badAccess(o, i, addr, size, write, a, "")
	case size > e.Size || addr-e.Lo > e.Size-size:
		return g.badAccess(o, i, addr, size, write, a, "")
	case write && !e.Writable:
		return g.badAccess(o, i, addr, size, write, a, "the memory is read-only")
	case a == g.w.stack && e.Lane != g.index*g.code.width+i:
		return g.badAccess(o, i, addr, size, write, a, "it is another work-item's private memory")
	case a != g.w.stack && a != g.w.shared && (a.Storage == spirv.StorageClassFunction || a.Storage == spirv.StorageClassWorkgroup):
		return g.badAccess(o, i, addr, size, write, a, "it is another work-group's memory")
	}
	*c = extentCache{lo: e.Lo, size: e.Size, writable: e.Writable}
	if a == g.w.stack {
		c.stride = a.Stride
		c.lo -= uint64(i) * a.Stride
	}
	return true
}

// badAccess fails the gang with a message that says what the address is near to.
func (g *gang) badAccess(o *op, i int, addr, size uint64, write bool, a *mem.Alloc, why string) bool {
	verb := "load"
	if write {
		verb = "store"
	}
	shown := addr
	if g.code.prog.AddrKind == lane.I32 {
		shown -= g.w.run.env.Window
	}
	kind := "out-of-bounds"
	message := fmt.Sprintf("out-of-bounds %s of %s", verb, bytes(size))
	switch {
	case why != "":
		kind = "invalid-access"
		message = fmt.Sprintf("invalid %s of %s: %s", verb, bytes(size), why)
	case shown < nullPage:
		kind = "null-pointer"
		message = fmt.Sprintf("%s of %s through a null pointer", verb, bytes(size))
	}
	g.fail(o.in.At, i, kind, message, "")
	f := g.fault
	f.place("address", fmt.Sprintf("0x%x", shown))
	if a == nil && kind != "null-pointer" {
		a = g.w.run.env.Space.Nearest(addr)
		if a != nil && max(a.Base, addr)-min(a.End(), addr) > farAway && max(a.Base, addr)-min(a.Base, addr) > farAway {
			a = nil // a wild pointer
		}
	}
	if a != nil {
		f.place("memory", g.describe(a, addr))
	}
	return false
}

// describe says where an address is relative to an allocation, and to the variable nearest to it in a divided one.
func (g *gang) describe(a *mem.Alloc, addr uint64) string {
	name, base, size := cmp.Or(g.w.run.env.Names[a], a.Name), a.Base, a.Size
	if len(a.Parts) > 0 {
		if a.Stride != 0 {
			base += (addr - a.Base) / a.Stride * a.Stride
		}
		best := &a.Parts[0]
		for i := range a.Parts {
			if p := &a.Parts[i]; base+p.Off <= addr {
				best = p
			}
		}
		name, base, size = best.Name, base+best.Off, best.Size
	}
	if addr < base {
		return fmt.Sprintf("%s before %s (%s)", bytes(base-addr), name, bytes(size))
	}
	return fmt.Sprintf("byte offset %d of %s (%s)", addr-base, name, bytes(size))
}

// nullPage is where no allocation is, in the host's address space and in the window: an address below is a null pointer
// that something was added to.
const nullPage = 4096

// farAway is the distance from which on an address has nothing to do with an allocation, in bytes.
const farAway = 1 << 32

func bytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

func load(g *gang, o *op) {
	m := o.in.Mem
	if !g.check(o, o.cache, o.a, m.Size, false) {
		return
	}
	for k, comp := range m.Comps {
		d := g.code.slots[o.in.Dst[k]]
		switch comp.Kind.Bytes() {
		case 1:
			if comp.Kind == lane.Bool {
				g.loadBools(d, comp.Off)
				continue
			}
			gather[uint8](g, d, comp.Off)
		case 2:
			gather[uint16](g, d, comp.Off)
		case 4:
			gather[uint32](g, d, comp.Off)
		case 8:
			gather[uint64](g, d, comp.Off)
		}
	}
}

func gather[T any](g *gang, d uint32, off uint64) {
	row := rowOf[T](g, d)
	if g.even {
		dst := row[g.runs()[0].lo:g.runs()[0].hi]
		first := (*T)(mem.At(g.addrs[g.runs()[0].lo] + off))
		switch g.step {
		case uint64(unsafe.Sizeof(*first)):
			copy(dst, unsafe.Slice(first, len(dst)))
			return
		case 0:
			v := *first
			for i := range dst {
				dst[i] = v
			}
			return
		}
	}
	for _, r := range g.runs() {
		dst := row[r.lo:r.hi]
		addrs := g.addrs[r.lo:r.hi][:len(dst)]
		for i := range dst {
			dst[i] = *(*T)(mem.At(addrs[i] + off))
		}
	}
}

func (g *gang) loadBools(d uint32, off uint64) {
	words := unsafe.Slice((*uint64)(g.row(d)), (g.code.width+63)/64)
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			bit := uint64(1) << (i & 63)
			if *(*uint8)(mem.At(g.addrs[i] + off)) != 0 {
				words[i>>6] |= bit
			} else {
				words[i>>6] &^= bit
			}
		}
	}
}

func store(g *gang, o *op) {
	m := o.in.Mem
	if !g.check(o, o.cache, o.a, m.Size, true) {
		return
	}
	for k, comp := range m.Comps {
		s := g.code.slots[o.in.Src[k+1]]
		switch comp.Kind.Bytes() {
		case 1:
			if comp.Kind == lane.Bool {
				g.storeBools(s, comp.Off)
				continue
			}
			scatter[uint8](g, s, comp.Off)
		case 2:
			scatter[uint16](g, s, comp.Off)
		case 4:
			scatter[uint32](g, s, comp.Off)
		case 8:
			scatter[uint64](g, s, comp.Off)
		}
	}
}

func scatter[T any](g *gang, s uint32, off uint64) {
	row := rowOf[T](g, s)
	if g.even {
		first := (*T)(mem.At(g.addrs[g.runs()[0].lo] + off))
		if g.step == uint64(unsafe.Sizeof(*first)) {
			src := row[g.runs()[0].lo:g.runs()[0].hi]
			copy(unsafe.Slice(first, len(src)), src)
			return
		}
	}
	for _, r := range g.runs() {
		src := row[r.lo:r.hi]
		addrs := g.addrs[r.lo:r.hi][:len(src)]
		for i := range src {
			*(*T)(mem.At(addrs[i] + off)) = src[i]
		}
	}
}

func (g *gang) storeBools(s uint32, off uint64) {
	bits := g.boolRow(s)
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			*(*uint8)(mem.At(g.addrs[i] + off)) = uint8(bits[i>>6] >> (i & 63) & 1)
		}
	}
}

// copyMemory copies lane by lane, in lane order; source and destination of one lane may overlap.
func copyMemory(g *gang, o *op) {
	size := uint64(o.in.Imm)
	if size == 0 {
		return
	}
	if !g.check(o, o.cache, o.b, size, false) {
		return
	}
	src := g.addrs
	if !g.check(o, o.cache+1, o.a, size, true) {
		return
	}
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			copy(unsafe.Slice((*byte)(mem.At(g.addrs[i])), size), unsafe.Slice((*byte)(mem.At(src[i])), size))
		}
	}
}

// lea computes addresses: base + index×stride + offset.
func lea(g *gang, o *op) {
	if g.code.prog.AddrKind == lane.I32 {
		leaAs[uint32](g, o)
	} else {
		leaAs[uint64](g, o)
	}
}

func leaAs[A uint32 | uint64](g *gang, o *op) {
	off := A(o.in.Off)
	if len(o.in.Src) == 1 {
		d, a := rowOf[A](g, o.d), rowOf[A](g, o.a)
		for _, r := range g.runs() {
			dst, src := d[r.lo:r.hi], a[r.lo:r.hi]
			for i := range dst {
				dst[i] = src[i] + off
			}
		}
		return
	}
	switch o.in.Kind.Bytes() {
	case 1:
		leaIndex[A, int8](g, o, off)
	case 2:
		leaIndex[A, int16](g, o, off)
	case 4:
		leaIndex[A, int32](g, o, off)
	default:
		leaIndex[A, int64](g, o, off)
	}
}

func leaIndex[A uint32 | uint64, I int8 | int16 | int32 | int64](g *gang, o *op, off A) {
	stride := A(o.in.Imm)
	d, a, x := rowOf[A](g, o.d), rowOf[A](g, o.a), rowOf[I](g, o.b)
	for _, r := range g.runs() {
		dst := d[r.lo:r.hi]
		base, index := a[r.lo:r.hi][:len(dst)], x[r.lo:r.hi][:len(dst)]
		if stride == 4 { // the usual one; the processor multiplies by it on the side
			for len(dst) >= 4 && len(base) >= len(dst) && len(index) >= len(dst) {
				to, from, by := (*[4]A)(dst), (*[4]A)(base), (*[4]I)(index)
				to[0], to[1] = from[0]+A(int64(by[0]))*4+off, from[1]+A(int64(by[1]))*4+off
				to[2], to[3] = from[2]+A(int64(by[2]))*4+off, from[3]+A(int64(by[3]))*4+off
				dst, base, index = dst[4:], base[4:], index[4:]
			}
		}
		for i := range dst {
			dst[i] = base[i] + A(int64(index[i]))*stride + off
		}
	}
}

// watch tells a sanitizer of an access by all active lanes.
func (g *gang) watch(w Watcher, o *op, size uint64, write bool) {
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			w.Access(Access{Addr: g.addrs[i], Size: size, Write: write, At: o.in.At, Group: g.w.group, Item: g.first + i})
		}
	}
}
