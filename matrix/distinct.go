package matrix

// FillDistinct fills dst with elements on which no wrong packing can pass by accident: none of those [Check] knows gives
// the same bytes as the right packing, except one that is the same for every matrix of this shape. This holds because it
// tries: elements on which some wrong packing does coincide are not used.
//
// All of dst is filled, gaps between the rows included, so that a wrong leading dimension shows too. Every run of
// 2^bits-1 elements in a row (15, 255 or 65535) has each value but zero once, and the runs are in different
// orders, as far as there are orders enough. No element is zero, so that padding stands out. The same layout gives the
// same elements; small matrices count 1, 2, 3... where that will do.
//
// dst holds at least [Layout.SourceBytes]. Errors: [*LayoutError], [*SizeError], [*IndistinctError].
func FillDistinct(dst []byte, l Layout) error {
	if err := l.Validate(); err != nil {
		return err
	}
	l = l.Normal()
	if need := l.SourceBytes(); len(dst) < need {
		return &SizeError{"source", need, len(dst), "bytes", l}
	}
	elements := len(dst) * 8 / l.Bits
	// Wider gaps between the packed rows than a row is long bring no further packed leading dimensions to try.
	g := newGeometry(l, elements, l.PackedRows()*min(l.PackedLD, 2*l.N))
	c := &checker{geometry: g, original: dst}
	var coincides Kind
	for attempt := range uint64(64) {
		fillPermuted(dst, l.Bits, elements, attempt)
		if coincides = c.coinciding(); coincides == "" {
			return nil
		}
	}
	return &IndistinctError{coincides, l}
}

// fillPermuted fills dst with runs of all values but zero, each in an order of its own: value number i of a run of m is
// 1 + (a*i + b) mod m with a and m coprime. The first run of attempt 0 counts from 1.
func fillPermuted(dst []byte, bits, elements int, attempt uint64) {
	m := uint64(1)<<bits - 1
	var a, b uint64
	for i := range uint64(elements) {
		if i%m == 0 {
			h := mix(i/m + attempt<<32)
			a, b = 1+h%m, h>>32%m
			for gcd(a, m) != 1 {
				a++
			}
			if i == 0 && attempt == 0 {
				a, b = 1, 0
			}
		}
		setUnit(dst, int(i), bits, uint32(1+(a*(i%m)+b)%m))
	}
}

// mix scatters the bits of x (the finalizer of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// coinciding returns the kind of a wrong packing that writes what the right one writes for this matrix, though not by
// its shape, or "".
func (c *checker) coinciding() Kind {
	right := c.right()
	for cand := range c.candidates() {
		if c.coincides(cand, right) {
			return cand.kind
		}
	}
	return ""
}

// coincides compares two packings place by place where the right one has elements or padding.
func (c *checker) coincides(cand candidate, right place) bool {
	part := c.Bits / cand.unit
	right = finer(right, part)
	wrong := false
	differs := func(s int) bool {
		o, r := cand.place(s), right(s)
		if o.op == opNone || r.op == opNone || o == r {
			return false
		}
		wrong = true
		ov, _ := c.value(o, cand.unit)
		rv, _ := c.value(r, cand.unit)
		return ov != rv
	}
	row, width := c.PackedStride()*part, c.N*c.f*part // units from one packed row to the next, and in one
	// What tells packings of one family apart lies at the probe: looking there first, most end at once.
	if r := cand.probe / row; r < c.rows {
		for s := cand.probe; s < r*row+width; s++ {
			if differs(s) {
				return false
			}
		}
	}
	for r := range c.rows {
		for s := r * row; s < r*row+width; s++ {
			if differs(s) {
				return false
			}
		}
	}
	return wrong
}
