package gen

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// The use the bitcast shuffle was made for: matrix B, packed for the matrix instructions, is unpacked, worked on element
// by element, and packed again.
//
// In memory a packed B has K/factor rows of ld 32-bit words; the word at packed row r and column n holds rows factor*r,
// factor*r+1, … of column n. A sub-group of N lanes takes a tile of 8 packed rows and N columns: lane n holds column n.

const vnniWords = 8 // 32-bit words a lane holds

// vnniElement is an element-wise operation on the unpacked elements of a tile.
type vnniElement struct {
	name  string
	about string
	// compute is the operation on the element at row k of the whole matrix.
	compute func(r *Rules, e elem, x uint64, k int) uint64
	// emit writes it for a vector of 16 elements; row is the number that added to each component's constant part gives the
	// row, as an id of u32.
	emit func(f *function, v vec, x string, row func() string) string
}

var vnniElements = []vnniElement{
	{"mul-add", "each element times 3 plus 1",
		func(_ *Rules, e elem, x uint64, _ int) uint64 {
			return oracle.IAdd(e.bits, oracle.IMul(e.bits, x, 3), 1)
		},
		func(f *function, v vec, x string, _ func() string) string {
			product := f.op("product", "OpIMul %s %s %s", f.typ(v), x, f.constant(v, "3"))
			return f.op("result", "OpIAdd %s %s %s", f.typ(v), product, f.constant(v, "1"))
		}},
	{"xor", "each element xor 0x5a",
		func(_ *Rules, e elem, x uint64, _ int) uint64 { return oracle.BitwiseXor(e.bits, x, 0x5a) },
		func(f *function, v vec, x string, _ func() string) string {
			return f.op("result", "OpBitwiseXor %s %s %s", f.typ(v), x, f.constant(v, "90"))
		}},
	{"scale-rows", "each element times its row number plus 1",
		func(_ *Rules, e elem, x uint64, k int) uint64 { return oracle.IMul(e.bits, x, uint64(k+1)) },
		func(f *function, v vec, x string, row func() string) string {
			factor := f.op("factor", "OpIAdd %s %s %s", f.typ(u32.of(1)), row(), f.constant(u32.of(1), "1"))
			part := f.op("factor", "OpUConvert %s %s", f.typ(v.of(1)), factor)
			all := f.op("factors", "OpCompositeConstruct %s%s", f.typ(v), strings.Repeat(" "+part, v.n))
			// Component c holds a row that is fixed up to the lane's part: rows 0 0 2 2 4 4 …, or 0 0 0 0 4 4 4 4 ….
			step := 32 / v.bits
			var fixed []string
			for c := range v.n {
				fixed = append(fixed, fmt.Sprint(c/step*step))
			}
			factors := f.op("factors", "OpIAdd %s %s %s", f.typ(v), all, f.composite("component_rows", v, fixed...))
			return f.op("result", "OpIMul %s %s %s", f.typ(v), x, factors)
		}},
	{"scale", "each element, a 16-bit float, times 1.5",
		func(_ *Rules, e elem, x uint64, _ int) uint64 { return oracle.F16.FMul(x, 0x3e00) },
		func(f *function, v vec, x string, _ func() string) string {
			h := f16.of(v.n)
			half := f.op("half", "OpBitcast %s %s", f.typ(h), x)
			product := f.op("product", "OpFMul %s %s %s", f.typ(h), half, f.constant(h, "1.5"))
			return f.op("result", "OpBitcast %s %s", f.typ(v), product)
		}},
}

// vnniTile is where and how large the matrix of a case is.
type vnniTile struct{ subGroup, k, n, ld int }

func (t vnniTile) String() string {
	return fmt.Sprintf("sg%d/%dx%d/ld%d", t.subGroup, t.k, t.n, t.ld)
}

func addVNNI(a *All) {
	t := a.topic("vnni", "packed matrix B unpacked by the bitcast shuffle, an operation on its elements, and packed again")
	for _, e := range []elem{u16, u8} {
		for _, op := range vnniElements {
			name := e
			if op.name == "scale" {
				name = f16
				if e != u16 {
					continue
				}
			}
			k := a.vnniKernel(fmt.Sprintf("vnni/%s-%v", op.name, name), e, op)
			rows := vnniWords * 32 / e.bits
			for _, tile := range []vnniTile{
				{16, rows, 16, 16}, {16, 2 * rows, 32, 32}, {8, 2 * rows, 16, 19}, {32, rows, 64, 64},
			} {
				t.Cases = append(t.Cases, vnniCase(k, e, op, tile))
			}
		}
		k := a.vnniUnpackKernel("vnni/unpack-"+e.String(), e)
		rows := vnniWords * 32 / e.bits
		for _, tile := range []vnniTile{{16, rows, 16, 16}, {16, 2 * rows, 32, 32}, {8, rows, 24, 24}, {32, rows, 64, 64}} {
			t.Cases = append(t.Cases, vnniUnpackCase(k, e, tile))
		}
	}
}

// halves is how the 8 words of a lane go through the instruction: as v8u32 to v16u16, or as two v4u32 to v16u8.
func halves(e elem) (count int, packed, unpacked vec) {
	if e == u16 {
		return 1, u32.of(8), u16.of(16)
	}
	return 2, u32.of(4), u8.of(16)
}

// vnniLoad writes the loading of a lane's words, one below the other, and their unpacking.
func (f *function) vnniLoad(e elem) (index []string, unpacked []string) {
	long := f.typ(u64.of(1))
	column, tile := f.globalID(0), f.globalID(1)
	ld := f.op("ld64", "OpUConvert %s %%ld", long)
	row := f.op("row", "OpIMul %s %s %s", long, tile, f.constant(u64.of(1), fmt.Sprint(vnniWords)))
	at := f.op("first", "OpIMul %s %s %s", long, row, ld)
	at = f.op("word", "OpIAdd %s %s %s", long, at, column)
	var words []string
	for r := range vnniWords {
		if r > 0 {
			at = f.op("word", "OpIAdd %s %s %s", long, at, ld)
		}
		index = append(index, at)
		words = append(words, f.load("in", at))
	}
	count, packed, elements := halves(e)
	for h := range count {
		list := strings.Join(words[h*packed.n:(h+1)*packed.n], " ")
		v := f.op("packed", "OpCompositeConstruct %s %s", f.typ(packed), list)
		unpacked = append(unpacked, f.op("unpacked", "OpSubgroupBitcastShuffleINTEL %s %s", f.typ(elements), v))
	}
	return index, unpacked
}

var vnniParams = []param{pointerTo("in", u32.of(1)), pointerTo("out", u32.of(1)), {"ld", u32.of(1), true}}

func (a *All) vnniKernel(name string, e elem, op vnniElement) *Kernel {
	count, packed, elements := halves(e)
	step := 32 / e.bits
	t := newText(name+":", "packed matrix B unpacked, "+op.about+", packed again.",
		"A lane takes 8 packed rows of a column; ld is the number of 32-bit words of a packed row.")
	t.shuffleNeeds()
	t.kernel("main", "", vnniParams, func(f *function) {
		index, unpacked := f.vnniLoad(e)
		for h := range count {
			x := op.emit(f, elements, unpacked[h], func() string { return f.vnniRow(step, h*packed.n*step) })
			y := f.op("repacked", "OpSubgroupBitcastShuffleINTEL %s %s", f.typ(packed), x)
			for r := range packed.n {
				word := f.op("out_word", "OpCompositeExtract %s %s %d", f.typ(u32.of(1)), y, r)
				f.store("out", index[h*packed.n+r], word)
			}
		}
	})
	a.source(name, t)
	return a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out", "ld"},
		Effect: func(r *Rules, l *Launch) {
			vnniTiles(r, l, e, func(s *vnniSubGroup) {
				for h := range s.unpacked {
					for lane := range s.unpacked[h] {
						for c, x := range s.unpacked[h][lane] {
							// Worked out in oracle.TestVNNIThroughTheShuffle: the lane's part of the row is lane mod factor.
							k := s.tile*vnniWords*step + h*packed.n*step + c/step*step + lane%step
							s.unpacked[h][lane][c] = op.compute(r, e, x, k)
						}
					}
					for lane, words := range r.shuffle(s.unpacked[h], elements, packed) {
						for i, w := range words {
							putNumber(l.Args["out"], u32, s.word(lane, h*packed.n+i), w)
						}
					}
				}
			})
		}})
}

// vnniRow writes the part of an element's row that does not depend on the component: tile, half and lane mod factor.
func (f *function) vnniRow(step, fixed int) string {
	word := f.typ(u32.of(1))
	lane := f.input("lane_id", "SubgroupLocalInvocationId", "lane", u32.of(1))
	part := f.op("row_in_word", "OpBitwiseAnd %s %s %s", word, lane, f.constant(u32.of(1), fmt.Sprint(step-1)))
	tile := f.op("tile", "OpUConvert %s %s", word, f.globalID(1))
	first := f.op("first_row", "OpIMul %s %s %s", word, tile, f.constant(u32.of(1), fmt.Sprint(vnniWords*step)))
	if fixed > 0 {
		first = f.op("first_row", "OpIAdd %s %s %s", word, first, f.constant(u32.of(1), fmt.Sprint(fixed)))
	}
	return f.op("row_of_lane", "OpIAdd %s %s %s", word, first, part)
}

// vnniSubGroup is a sub-group's tile after unpacking.
type vnniSubGroup struct {
	column, tile, ld int
	unpacked         [][][]uint64 // half, lane, component
}

// word is the index of a lane's word r in the packed matrix.
func (s *vnniSubGroup) word(lane, r int) int { return (s.tile*vnniWords+r)*s.ld + s.column + lane }

// vnniTiles unpacks the tile of each sub-group.
func vnniTiles(r *Rules, l *Launch, e elem, do func(s *vnniSubGroup)) {
	source := l.Args["in"]
	ld := int(l.scalar("ld", u32))
	if r.UnpackedB {
		source = rowMajor(source, e, ld)
	}
	count, packed, elements := halves(e)
	for tile := range l.Global[1] {
		for column := 0; column < l.Global[0]; column += l.SubGroup {
			s := &vnniSubGroup{column: column, tile: tile, ld: ld}
			for h := range count {
				operand := make([][]uint64, l.SubGroup)
				for lane := range operand {
					for i := range packed.n {
						operand[lane] = append(operand[lane], number(source, u32, s.word(lane, h*packed.n+i)))
					}
				}
				s.unpacked = append(s.unpacked, r.shuffle(operand, packed, elements))
			}
			do(s)
		}
	}
}

// matrixOf reads the elements of a packed matrix by the definition of the packing: b[row][column].
func matrixOf(packed []byte, e elem, ld int) [][]uint64 {
	factor := 32 / e.bits
	rows := len(packed) / 4 / ld * factor
	b := make([][]uint64, rows)
	for k := range b {
		for n := range ld {
			b[k] = append(b[k], number(packed, e, (k/factor*ld+n)*factor+k%factor))
		}
	}
	return b
}

// rowMajor is the same matrix unpacked, row after row.
func rowMajor(packed []byte, e elem, ld int) []byte {
	plain := make([]byte, len(packed))
	i := 0
	for _, row := range matrixOf(packed, e, ld) {
		for _, x := range row {
			putNumber(plain, e, i, x)
			i++
		}
	}
	return plain
}

func vnniCase(k *Kernel, e elem, op vnniElement, tile vnniTile) *Case {
	name := strings.TrimPrefix(k.Module, "vnni/") + "/" + tile.String()
	words := tile.k * e.bits / 32 * tile.ld
	b := randomBits(u32.of(1), words, seedOf(name))
	if op.name == "scale" {
		b = newArray(u32.of(1), words)
		for i := range words * 2 { // ordinary numbers: magnitudes from 2^-7 to 2^8, both signs
			x := splitMix64(seedOf(name), uint64(i))
			putNumber(b.Data, u16, i, x&0x83ff|(8+x>>16&15)<<10)
		}
	}
	c := &Case{
		Name:    name,
		About:   fmt.Sprintf("B has %d rows and %d columns of %d-bit elements; a packed row has %d words.", tile.k, tile.n, e.bits, tile.ld),
		From:    "oracle: PackVNNI of the operation applied to B",
		Module:  k.Module,
		Buffers: []*Buffer{in("in", b), in("out", iota(u32.of(1), words))},
		Steps:   vnniStep(k, e, tile),
		Check: func(buffers map[string][]byte) error {
			m := matrixOf(b.Data, e, tile.ld)
			for row := range m {
				for column := range m[row] {
					m[row][column] = op.compute(&Rules{}, e, m[row][column], row)
				}
			}
			want := newArray(u32.of(1), words)
			for i := range words {
				want.set(i, uint64(i))
			}
			for r, row := range oracle.PackVNNI(m, e.bits) {
				for n := range tile.n { // the columns beyond are not touched
					want.set(r*tile.ld+n, row[n])
				}
			}
			if !bytes.Equal(want.Data, buffers["out"]) {
				return fmt.Errorf("the kernel does not do what the operation on the matrix does")
			}
			return nil
		},
	}
	if tile.ld == tile.n {
		c.Buffers[1] = out("out", u32.of(1), words)
	}
	return c
}

func vnniStep(k *Kernel, e elem, tile vnniTile) []*Step {
	ld := newArray(u32.of(1), 1)
	ld.set(0, uint64(tile.ld))
	args := refs("in", "out")
	args["ld"] = fmt.Sprint(tile.ld)
	local := tile.subGroup
	if tile.n%(2*local) == 0 {
		local *= 2
	}
	return []*Step{{
		Kernel: k, Global: []int{tile.n, tile.k * e.bits / 32 / vnniWords}, Local: []int{local, 1}, SubGroup: tile.subGroup,
		Args: args, Values: map[string][]byte{"ld": ld.Data},
	}}
}

func (a *All) vnniUnpackKernel(name string, e elem) *Kernel {
	count, _, elements := halves(e)
	t := newText(name+":", "packed matrix B unpacked: the elements each lane then holds, vector by vector.",
		"A lane takes 8 packed rows of a column; ld is the number of 32-bit words of a packed row.")
	t.shuffleNeeds()
	params := []param{vnniParams[0], pointerTo("out", elements), vnniParams[2]}
	t.kernel("main", "", params, func(f *function) {
		_, unpacked := f.vnniLoad(e)
		long := f.typ(u64.of(1))
		at := f.op("element", "OpIMul %s %s %%ld64", long, f.globalID(1))
		at = f.op("element", "OpIAdd %s %s %s", long, at, f.globalID(0))
		for h, x := range unpacked {
			if count > 1 {
				if h == 0 {
					at = f.op("element", "OpIMul %s %s %s", long, at, f.constant(u64.of(1), fmt.Sprint(count)))
				} else {
					at = f.op("element", "OpIAdd %s %s %s", long, at, f.constant(u64.of(1), "1"))
				}
			}
			f.store("out", at, x)
		}
	})
	a.source(name, t)
	return a.kernel(&Kernel{KernelName: KernelName{name, "main"}, Params: []string{"in", "out", "ld"},
		Effect: func(r *Rules, l *Launch) {
			vnniTiles(r, l, e, func(s *vnniSubGroup) {
				for h := range s.unpacked {
					for lane, x := range s.unpacked[h] {
						l.setElement("out", elements, (s.tile*s.ld+s.column+lane)*count+h, x)
					}
				}
			})
		}})
}

func vnniUnpackCase(k *Kernel, e elem, tile vnniTile) *Case {
	name := strings.TrimPrefix(k.Module, "vnni/") + "/" + tile.String()
	words := tile.k * e.bits / 32 * tile.ld
	count, _, elements := halves(e)
	b := randomBits(u32.of(1), words, seedOf(name))
	result := tile.k * e.bits / 32 / vnniWords * tile.ld * count
	return &Case{
		Name:    name,
		About:   fmt.Sprintf("B has %d rows and %d columns of %d-bit elements.", tile.k, tile.n, e.bits),
		From:    shuffleFrom + "; the places of the elements follow from the packing",
		Module:  k.Module,
		Buffers: []*Buffer{in("in", b), out("out", elements, result)},
		Steps:   vnniStep(k, e, tile),
		Check: func(buffers map[string][]byte) error {
			// Where the rule puts element (row, column) of a tile, worked out by hand: in a packed row the elements are
			// strung together column by column, factor rows of each; N of them make a component.
			factor := 32 / e.bits
			for i, x := range matrixNumbers(buffers["out"], e) {
				vector, c := i/elements.n, i%elements.n
				place, h := vector/count, vector%count
				tileRow, column := place/tile.ld, place%tile.ld
				first, lane := column/tile.subGroup*tile.subGroup, column%tile.subGroup
				at := c%factor*tile.subGroup + lane
				row := tileRow*vnniWords*factor + h*elements.n + c/factor*factor + at%factor
				if want := matrixOf(b.Data, e, tile.ld)[row][first+at/factor]; x != want {
					return fmt.Errorf("component %d of lane %d: %#x, the packing puts %#x there", c, lane, x, want)
				}
			}
			return nil
		},
	}
}

func matrixNumbers(data []byte, e elem) []uint64 {
	var all []uint64
	for i := range len(data) * 8 / e.bits {
		all = append(all, number(data, e, i))
	}
	return all
}
