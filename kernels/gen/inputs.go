package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// inputNumbers is how many numbers the inputs of instruction tests have.
const inputNumbers = 128

// shared is an input that many cases use, in a file of its own.
func (a *All) shared(name string, make func() *Array) *Array {
	file := "inputs/" + name + ".npy"
	if a.inputs[file] == nil {
		a.inputs[file] = make()
		a.inputs[file].fill = "@" + file
	}
	return a.inputs[file]
}

// edges are the integers of a width at which something happens, as patterns.
func edges(e elem) []uint64 {
	top := uint64(1) << (e.bits - 1)
	all := top | (top - 1)
	return []uint64{0, 1, 2, top - 1, top, top + 1, all - 1, all, 0x5555555555555555 & all}
}

// anyInteger is a random pattern of a random magnitude and sign.
func anyInteger(e elem, seed uint64, i int) uint64 {
	x := splitMix64(seed, uint64(2*i))
	how := splitMix64(seed, uint64(2*i+1))
	x = x & (1<<e.bits - 1) >> (how % uint64(e.bits))
	if how>>32&1 == 1 {
		x = oracle.SNegate(e.bits, x)
	}
	return x
}

// integerPair gives the inputs a and b: the edges with each other, then random numbers.
func (a *All) integerPair(e elem) (first, second *Array) {
	pick := func(which int) func() *Array {
		return func() *Array {
			x := newArray(e.of(1), inputNumbers)
			list := edges(e)
			for i := range inputNumbers {
				pair := [2]uint64{}
				if i < len(list)*len(list) {
					pair[0], pair[1] = list[i/len(list)], list[i%len(list)]
				} else {
					pair[0], pair[1] = anyInteger(e, 11, i), anyInteger(e, 12, i)
				}
				x.set(i, pair[which])
			}
			return x
		}
	}
	return a.shared(e.String()+".a", pick(0)), a.shared(e.String()+".b", pick(1))
}

// dividePair gives dividends and divisors for which every division is defined: no zero, no overflow.
func (a *All) dividePair(e elem) (first, second *Array) {
	pick := func(which int) func() *Array {
		return func() *Array {
			x := newArray(e.of(1), inputNumbers)
			top, all := uint64(1)<<(e.bits-1), uint64(1)<<(e.bits-1)|(1<<(e.bits-1)-1)
			var pairs [][2]uint64
			for _, p := range edges(e) {
				for _, q := range edges(e) {
					pairs = append(pairs, [2]uint64{p, q})
				}
			}
			for i := 0; len(pairs) < 3*inputNumbers; i++ {
				pairs = append(pairs, [2]uint64{anyInteger(e, 13, i), anyInteger(e, 14, i)})
			}
			i := 0
			for _, p := range pairs {
				if i < inputNumbers && p[1] != 0 && !(p[0] == top && p[1] == all) {
					x.set(i, p[which])
					i++
				}
			}
			return x
		}
	}
	return a.shared(e.String()+".dividend", pick(0)), a.shared(e.String()+".divisor", pick(1))
}

// shifts gives shift amounts below the width.
func (a *All) shifts(e elem) *Array {
	return a.shared(e.String()+".shift", func() *Array {
		x := newArray(e.of(1), inputNumbers)
		for i := range inputNumbers {
			x.set(i, uint64(i*7%e.bits))
		}
		return x
	})
}

// fields gives offsets and counts of bit fields that lie within the width; the empty and the whole field are among them.
func (a *All) fields(e elem) (offset, count *Array) {
	pick := func(which int) func() *Array {
		return func() *Array {
			x := newArray(u32.of(1), inputNumbers)
			for i := range inputNumbers {
				o := splitMix64(15, uint64(i)) % uint64(e.bits+1)
				n := splitMix64(16, uint64(i)) % (uint64(e.bits) + 1 - o)
				switch i {
				case 0:
					o, n = 0, uint64(e.bits)
				case 1:
					o, n = 0, 0
				case 2:
					o, n = uint64(e.bits), 0
				case 3:
					o, n = uint64(e.bits)-1, 1
				}
				x.set(i, [2]uint64{o, n}[which])
			}
			return x
		}
	}
	return a.shared(e.String()+".offset", pick(0)), a.shared(e.String()+".count", pick(1))
}

// floatEdges are the numbers of a format at which something happens; subnormal numbers are apart.
func floatEdges(e elem) []uint64 {
	f := e.format()
	var list []uint64
	for _, negative := range []bool{false, true} {
		sign := f.Zero(negative)
		oneBits := f.FromUnsigned(64, 1, oracle.RTE) | sign
		list = append(list, sign, oneBits, oneBits+1, f.Max(negative), f.Inf(negative), minNormal(f)|sign)
	}
	return append(list, f.QuietNaN())
}

func minNormal(f oracle.Format) uint64 { return 1 << f.Fraction }

// anyFloat is a random number of either sign whose magnitude lies around 1, within a range that keeps sums, products and
// quotients of two normal.
func anyFloat(e elem, seed uint64, i int) uint64 {
	f := e.format()
	x := splitMix64(seed, uint64(i))
	exponent := uint64(1)<<(f.Exponent-1) - 4 + x>>58%8
	return f.Zero(x>>57&1 == 1) | exponent<<f.Fraction | x&(1<<f.Fraction-1)
}

// subnormalIn reports whether any of the numbers is subnormal.
func subnormalIn(f oracle.Format, numbers ...uint64) bool {
	for _, x := range numbers {
		if f.Class(x) == oracle.Subnormal {
			return true
		}
	}
	return false
}

// floatPair gives pairs of floats for a use: edges with each other, then random numbers, as far as keep accepts the pair.
// The set "subnormal" has its edges around the smallest normal number.
func (a *All) floatPair(e elem, set, use string, keep func(x, y uint64) bool) (first, second *Array) {
	list := floatEdges(e)
	if set == "subnormal" {
		f := e.format()
		list = nil
		for _, x := range []uint64{1, 2, minNormal(f) / 2, minNormal(f) - 1, minNormal(f), minNormal(f) + 1, 0,
			f.FromUnsigned(64, 1, oracle.RTE), f.FromUnsigned(64, 1, oracle.RTE) - minNormal(f)} {
			list = append(list, x, x|f.Zero(true))
		}
	}
	pick := func(which int) func() *Array {
		return func() *Array {
			var numbers []uint64
			take := func(x, y uint64) {
				if len(numbers) < inputNumbers && keep(x, y) {
					numbers = append(numbers, [2]uint64{x, y}[which])
				}
			}
			// Not more than three quarters from the edges, spread evenly over all their pairs.
			pairs := len(list) * len(list)
			for i := 0; i < pairs && len(numbers) < inputNumbers*3/4; i++ {
				at := i * 37 % pairs
				take(list[at/len(list)], list[at%len(list)])
			}
			for i := 0; len(numbers) < inputNumbers; i++ {
				x, y := anyFloat(e, 21, i), anyFloat(e, 22, i)
				if set == "subnormal" {
					x = x & (e.format().Zero(true) | (minNormal(e.format()) - 1))
				}
				take(x, y)
				if i > 100*inputNumbers {
					panic(fmt.Sprintf("no inputs for %v %s", e, set))
				}
			}
			return arrayOf(e.of(1), numbers...)
		}
	}
	name := e.String() + "." + use + "."
	if set != "" {
		name += set + "."
	}
	return a.shared(name+"a", pick(0)), a.shared(name+"b", pick(1))
}
