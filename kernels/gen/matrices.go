package gen

import "github.com/sgrun/sgrun/kernels/oracle"

// shaderMatrices adds the shader on matrices of three columns and two rows: a at 0, column by column, b at 32, row by row
// and 16 bytes apart, a vector of three at 64, of two at 80 and a number at 88. All are small whole numbers, for which every
// order of summation gives the same.
func (a *All) shaderMatrices(t *Topic) {
	const rows, columns = 2, 3
	k := a.shader("matrices", []string{"0.0", "0.1"}, func(l *Launch) {
		data := l.Args["0.0"]
		at := func(offset int) uint64 { return number(data[offset:], f32, 0) }
		am := func(r, c int) uint64 { return at(8*c + 4*r) }
		bm := func(r, c int) uint64 { return at(32 + 16*r + 4*c) }
		v3 := func(c int) uint64 { return at(64 + 4*c) }
		v2 := func(r int) uint64 { return at(80 + 4*r) }
		sum := func(n int, term func(i int) (x, y uint64)) uint64 {
			total := uint64(0)
			for i := range n {
				x, y := term(i)
				total = oracle.F32.FAdd(total, oracle.F32.FMul(x, y))
			}
			return total
		}
		var out []uint64
		each := func(columns, rows int, value func(r, c int) uint64) {
			for c := range columns {
				for r := range rows {
					out = append(out, value(r, c))
				}
			}
		}
		each(columns, rows, func(r, c int) uint64 { return oracle.F32.FMul(am(r, c), at(88)) })
		each(1, rows, func(r, _ int) uint64 {
			return sum(columns, func(c int) (x, y uint64) { return am(r, c), v3(c) })
		})
		each(columns, 1, func(_, c int) uint64 {
			return sum(rows, func(r int) (x, y uint64) { return v2(r), am(r, c) })
		})
		each(rows, rows, func(r, c int) uint64 { // a times transposed b
			return sum(columns, func(i int) (x, y uint64) { return am(r, i), bm(c, i) })
		})
		each(columns, rows, func(r, c int) uint64 { return oracle.F32.FMul(v2(r), v3(c)) })
		each(columns, rows, bm)
		out = append(out, bm(1, 2), am(0, 1), am(1, 1))
		for i, x := range out {
			putNumber(l.Args["0.1"], f32, i, x)
		}
	})
	input := newArray(f32.of(1), 23)
	for i := range input.count {
		input.set(i, oracle.F32.FromSigned(64, splitMix64(104, uint64(i))%41-20, oracle.RTE))
	}
	t.Cases = append(t.Cases, &Case{Name: "matrices", Module: k.Module, From: arithmeticFrom,
		Buffers: []*Buffer{in("matrices", input), out("out", f32.of(1), 30)},
		Steps:   shaderStep(k, []int{1}, []int{1}, 0, "matrices", "out")})
}
