package gen

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const convertFrom = "oracle: SPIR-V 1.6, Conversion Instructions"

// roundingModes are the operands of FPRoundingMode as the entry points and rules write them.
var roundingModes = []string{"rte", "rtz", "rtp", "rtn"}

// conversion is a kernel of one conversion. instruction may carry decorations: "OpConvertFToS sat rtp".
func conversion(instruction string, from, to vec) elementKernel {
	name, decorations, _ := strings.Cut(instruction, " ")
	k := elementKernel{entry: strings.ReplaceAll(instruction, " ", "_"), in: []vec{from}, out: []vec{to}}
	if from.n > 1 {
		k.entry += fmt.Sprintf("_v%d", from.n)
	}
	k.emit = func(f *function, x []string) []string {
		y := f.op("result", "%s %s %s", name, f.typ(to), x[0])
		for _, d := range strings.Fields(decorations) {
			if d == "sat" {
				f.decorations = append(f.decorations, "OpDecorate "+y+" SaturatedConversion")
			} else {
				f.decorations = append(f.decorations, "OpDecorate "+y+" FPRoundingMode "+strings.ToUpper(d))
			}
		}
		return []string{y}
	}
	k.compute = func(r *Rules, x [][]uint64) [][]uint64 {
		var y []uint64
		for _, c := range x[0] {
			y = append(y, r.apply(instruction, []elem{from.elem}, to.elem, c)...)
		}
		return [][]uint64{y}
	}
	return k
}

func addConvert(a *All) {
	t := a.topic("convert", "conversions between numbers of all types, with rounding modes and saturation, and bitcasts")
	turn := 0
	var all []elem
	all = append(append(all, unsigned...), floats...)
	for _, from := range all {
		for _, to := range all {
			c := converter{a: a, t: t, from: from, to: to, module: fmt.Sprintf("convert/%v-to-%v", from, to)}
			c.m = newText(c.module+":", fmt.Sprintf("conversions from %v to %v.", from, to))
			switch {
			case from.kind == 'u' && to.kind == 'u':
				c.integers(turn)
			case from.kind == 'u':
				c.toFloat(turn)
			case to.kind == 'u':
				c.toInteger(turn)
			case from != to:
				c.floats(turn)
			default:
				continue
			}
			turn++
			a.source(c.module, c.m)
		}
	}
	a.addBitcast(t)
}

// converter adds the kernels of a module that converts between two types.
type converter struct {
	a        *All
	t        *Topic
	m        *text
	module   string
	from, to elem
}

// add adds one conversion of scalars and a case for it.
func (c *converter) add(instruction string, input *Array) {
	c.addVector(instruction, 1, input)
}

// addVector adds one conversion of vectors of n components.
func (c *converter) addVector(instruction string, n int, input *Array) {
	shape := conversion(instruction, c.from.of(n), c.to.of(n))
	k := c.a.elements(c.module, c.m, shape)
	c.t.Cases = append(c.t.Cases,
		elementCase(fmt.Sprintf("%v-to-%v/%s", c.from, c.to, shape.entry), k, convertFrom, shape, input))
}

// addRounding adds one conversion, which may have the decoration "sat", in all rounding modes, and one case for them.
func (c *converter) addRounding(instruction string, input *Array) {
	name := strings.ReplaceAll(instruction, " ", "_")
	all := &Case{Name: fmt.Sprintf("%v-to-%v/%s/rounding", c.from, c.to, name), Module: c.module, From: convertFrom}
	for _, mode := range roundingModes {
		shape := conversion(instruction+" "+mode, c.from.of(1), c.to.of(1))
		k := c.a.elements(c.module, c.m, shape)
		all.addElements(k, shape, "_"+mode, input)
	}
	c.t.Cases = append(c.t.Cases, all)
}

func (c *converter) integers(turn int) {
	x, _ := c.a.integerPair(c.from)
	names := []string{"OpUConvert", "OpSConvert"}
	if c.from == c.to { // a conversion between types of the same width is not allowed
		names = nil
	}
	for i, name := range names {
		c.add(name, x)
		if i == turn%2 {
			c.addVector(name, vectorSizes[turn%len(vectorSizes)], x)
		}
	}
	c.add("OpSatConvertSToU", x)
	c.add("OpSatConvertUToS", x)
}

func (c *converter) toFloat(turn int) {
	// Numbers beyond the largest 16-bit float are left out: the specification does not say what becomes of them.
	input := c.a.shared(fmt.Sprintf("%v.for-%v", c.from, c.to), func() *Array {
		x, _ := c.a.integerPair(c.from)
		var keep []uint64
		for i := range x.numbers() {
			for _, n := range []uint64{x.at(i), halfway(c.from, c.to, i)} {
				u, _ := new(big.Float).SetInt(oracle.Unsigned(c.from.bits, n)).Float64()
				if s, _ := new(big.Float).SetInt(oracle.Signed(c.from.bits, n)).Float64(); c.to != f16 || u <= 65504 && s >= -65504 {
					keep = append(keep, n)
				}
			}
		}
		return arrayOf(c.from.of(1), keep[:min(len(keep), inputNumbers)/8*8]...)
	})
	for i, name := range []string{"OpConvertUToF", "OpConvertSToF"} {
		c.add(name, input)
		if i == turn%2 {
			c.addVector(name, vectorSizes[turn%len(vectorSizes)], input)
		}
		if c.from == u32 && c.to == f32 || c.from == u64 && c.to == f64 || c.from == u32 && c.to == f16 {
			c.addRounding(name, input)
		}
	}
}

// halfway is an integer near the middle between two neighbouring floats, where rounding decides.
func halfway(from, to elem, i int) uint64 {
	r := splitMix64(51, uint64(i))
	bits := to.format().Fraction + 2 // one more than the float holds
	if bits >= from.bits {
		return r & (1<<from.bits - 1)
	}
	odd := r&(1<<bits-1) | 1 | 1<<(bits-1)
	room := from.bits - bits
	if to == f16 {
		room = min(room, 15-bits)
	}
	return odd<<(r>>56%uint64(max(room, 1))) + r>>50%3 - 1
}

func (c *converter) toInteger(turn int) {
	f := c.from.format()
	source := func(i int) uint64 {
		list := append(floatEdges(c.from), f.FromUnsigned(64, 1<<(c.to.bits-1), oracle.RTZ), f.FromUnsigned(64, 1<<c.to.bits-1, oracle.RTZ))
		switch {
		case i < len(list):
			return list[i]
		case i%4 == 0: // ties
			return f.FSub(f.FromUnsigned(64, splitMix64(52, uint64(i))%200, oracle.RTZ), f.FDiv(f.FromUnsigned(64, 1, oracle.RTZ), f.FromUnsigned(64, 2, oracle.RTZ)))
		case i%4 == 1: // of all magnitudes the integer has
			n := f.FromUnsigned(64, splitMix64(53, uint64(i))>>(64-c.to.bits)>>(i/4%c.to.bits), oracle.RTZ)
			return n | f.Zero(i/4%2 == 1)
		}
		return f.FMul(anyFloat(c.from, 54, i), f.FromUnsigned(64, 7, oracle.RTZ))
	}
	// within gives numbers that fit after rounding in whatever mode.
	within := func(name string) *Array {
		return c.a.shared(fmt.Sprintf("%v.within-%c%d", c.from, map[bool]byte{true: 'i', false: 'u'}[name == "OpConvertFToS"], c.to.bits), func() *Array {
			convert := f.ToUnsigned
			if name == "OpConvertFToS" {
				convert = f.ToSigned
			}
			var keep []uint64
			for i := 0; len(keep) < inputNumbers/2; i++ {
				x := source(i)
				_, down := convert(c.to.bits, x, oracle.RTN)
				_, up := convert(c.to.bits, x, oracle.RTP)
				if down && up && !subnormalIn(f, x) {
					keep = append(keep, x)
				}
			}
			return arrayOf(c.from.of(1), keep...)
		})
	}
	anything := c.a.shared(fmt.Sprintf("%v.around-%d", c.from, c.to.bits), func() *Array {
		x := newArray(c.from.of(1), inputNumbers/2)
		for i := range x.numbers() {
			x.set(i, source(i))
		}
		return x
	})
	for i, name := range []string{"OpConvertFToU", "OpConvertFToS"} {
		c.add(name, within(name))
		c.add(name+" sat", anything)
		if i == turn%2 {
			c.addVector(name, vectorSizes[turn%len(vectorSizes)], within(name))
		}
		if c.from == f32 && c.to == u32 || c.from == f64 && c.to == u8 || c.from == f16 && c.to == u64 {
			c.addRounding(name, within(name))
		}
		if c.from == f32 && c.to == u8 {
			c.addRounding(name+" sat", anything)
		}
	}
}

func (c *converter) floats(turn int) {
	f := c.from.format()
	input := c.a.shared(fmt.Sprintf("%v.for-%v", c.from, c.to), func() *Array {
		var keep []uint64
		take := func(x uint64) {
			if len(keep) < inputNumbers && !subnormalIn(f, x) && !subnormalIn(c.to.format(), f.FConvert(c.to.format(), x, oracle.RTZ)) {
				keep = append(keep, x)
			}
		}
		for _, x := range floatEdges(c.from) {
			take(x)
		}
		for i := 0; len(keep) < inputNumbers; i++ {
			x := anyFloat(c.from, 55, i)
			if c.to.bits < c.from.bits && i%2 == 0 { // halfway between two neighbours of the narrow format, or near it
				drop := f.Fraction - c.to.format().Fraction
				x = x>>drop<<drop | 1<<(drop-1)
				x += splitMix64(56, uint64(i))%3 - 1
			}
			take(x)
		}
		return arrayOf(c.from.of(1), keep...)
	})
	first := len(c.t.Cases)
	c.add("OpFConvert", input)
	c.addVector("OpFConvert", vectorSizes[turn%len(vectorSizes)], input)
	if c.to.bits < c.from.bits {
		c.addRounding("OpFConvert", input)
	}
	for _, k := range c.t.Cases[first:] {
		k.Compare = anyNaN
	}
}

// addBitcast adds OpBitcast: each work-item's bits as another type, without the others' having part in it.
func (a *All) addBitcast(t *Topic) {
	const module = "convert/bitcast"
	m := newText(module+":", "OpBitcast: the bits of each work-item as another type.")
	for _, d := range []direction{
		{u32.of(1), f32.of(1)}, {f16.of(1), u16.of(1)}, {u64.of(1), f64.of(1)},
		{u32.of(1), u16.of(2)}, {u16.of(2), u32.of(1)}, {u32.of(1), u8.of(4)}, {u8.of(8), u64.of(1)},
		{u64.of(1), u32.of(2)}, {u32.of(4), u8.of(16)}, {u16.of(16), u64.of(4)}, {f64.of(1), f16.of(4)}, {u64.of(8), f32.of(16)},
	} {
		shape := elementKernel{entry: fmt.Sprintf("%v_to_%v", d.src, d.dst), in: []vec{d.src}, out: []vec{d.dst},
			emit: func(f *function, x []string) []string {
				return []string{f.op("result", "OpBitcast %s %s", f.typ(d.dst), x[0])}
			},
			compute: func(_ *Rules, x [][]uint64) [][]uint64 {
				return oracle.Bitcast(x, d.src.shuffleType(), d.dst.shuffleType())
			}}
		k := a.elements(module, m, shape)
		t.Cases = append(t.Cases, elementCase("bitcast/"+shape.entry, k, "oracle: SPIR-V 1.6, OpBitcast", shape, randomBits(d.src, 24, seedOf(shape.entry))))
	}
	a.source(module, m)
}
