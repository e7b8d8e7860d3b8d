package exec

import "github.com/sgrun/sgrun/spirv"

// ext applies a function of an extended instruction set.
func ext(g *gang, o *op) {
	d, e, a, b, c := g.row(o.d), g.row(o.e), g.row(o.a), g.row(o.b), g.row(o.c)
	for _, r := range g.runs() {
		o.ext(d, e, a, b, c, r.lo, r.hi)
	}
}

// genericCast gives addresses in a storage class as they are, and 0 for those in another (SPIR-V 1.6,
// OpGenericCastToPtrExplicit).
func genericCast(g *gang, o *op) {
	g.hostAddresses(o.a)
	want := spirv.StorageClass(o.in.Imm)
	bytes := g.code.prog.AddrKind.Bytes()
	for _, r := range g.runs() {
		for i := r.lo; i < r.hi; i++ {
			d := g.bytesOf(o.d, i, 1, bytes)
			if g.storageAt(g.addrs[i]) == want {
				copy(d, g.bytesOf(o.a, i, 1, bytes))
			} else {
				clear(d)
			}
		}
	}
}

// storageAt returns the storage class of the memory at an address; Generic where there is none.
func (g *gang) storageAt(addr uint64) spirv.StorageClass {
	a := g.w.run.env.Space.Find(addr)
	switch {
	case a == nil:
		return spirv.StorageClassGeneric
	case a == g.w.stack:
		return spirv.StorageClassFunction
	}
	return a.Storage
}
