package val_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// mutate changes one instruction of a module: another id or literal, another opcode of the same shape, left out, or
// exchanged with its neighbour.
func mutate(rng *rand.Rand, b *spirv.Binary) {
	i := rng.IntN(len(b.Insts))
	in := &b.Insts[i]
	switch rng.IntN(6) {
	case 0, 1, 2:
		if n := len(in.Words); n > 0 {
			in.Words = append([]uint32{}, in.Words...)
			in.Words[rng.IntN(n)] = uint32(1 + rng.IntN(int(b.Bound)))
		}
	case 3:
		b.Insts = append(b.Insts[:i:i], b.Insts[i+1:]...)
	case 4:
		g, _ := grammar.Lookup(in.Op)
		var same []spirv.Op
		for _, h := range grammar.Instructions() {
			if g != nil && len(h.Operands) == len(g.Operands) && h.Class == g.Class {
				same = append(same, h.Op)
			}
		}
		if len(same) > 0 {
			in.Op = same[rng.IntN(len(same))]
		}
	case 5:
		if i > 0 {
			b.Insts[i], b.Insts[i-1] = b.Insts[i-1], b.Insts[i]
		}
	}
}

// TestMutants: changed modules must not make the model, the checks or reflection panic, and most of them are found out.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	refused, total := 0, 0
	for _, f := range compiled(t) {
		for range 20 {
			b := decodeFile(t, f)
			mutate(rng, b)
			total++
			m, err := module.New(b)
			if err == nil {
				err = val.Check(m)
				module.Reflect(m)
			}
			if err != nil {
				refused++
			}
		}
	}
	// Exchanging two names or decorations changes nothing, nor do many literals.
	if refused*10 < total*6 {
		t.Errorf("of %d mutants %d are refused", total, refused)
	}
}
