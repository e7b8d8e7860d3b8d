package lower

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// graph makes a function of blocks with the given successors.
func graph(succs [][]int) *module.Function {
	f := &module.Function{}
	for i := range succs {
		f.Blocks = append(f.Blocks, &module.Block{ID: spirv.ID(i + 1), Index: i})
	}
	for i, list := range succs {
		for _, s := range list {
			f.Blocks[i].Succs = append(f.Blocks[i].Succs, f.Blocks[s])
			f.Blocks[s].Preds = append(f.Blocks[s].Preds, f.Blocks[i])
		}
	}
	return f
}

func randomGraph(r *rand.Rand) [][]int {
	n := 1 + r.IntN(12)
	succs := make([][]int, n)
	for i := range succs {
		for range (i + 1 + r.IntN(3)) % 4 {
			// Mostly near: that makes loops in loops.
			s := max(0, min(n-1, i+r.IntN(7)-3))
			if r.IntN(3) == 0 {
				s = r.IntN(n)
			}
			if !slices.Contains(succs[i], s) {
				succs[i] = append(succs[i], s)
			}
		}
	}
	return succs
}

// TestOrder compares the order of random flow graphs with what it must be, worked out from dominators and reachability.
func TestOrder(t *testing.T) {
	reducible, irreducible := 0, 0
	for seed := range uint64(20_000) {
		succs := randomGraph(rand.New(rand.NewPCG(seed, 0)))
		f := graph(succs)
		o := order(f, func(int) {})
		if err := checkOrder(f, o, &reducible, &irreducible); err != nil {
			t.Fatalf("seed %d, successors %v: %v; order %v, loops %v", seed, succs, err, indices(o.blocks), o.loops)
		}
	}
	if reducible < 500 || irreducible < 500 {
		t.Errorf("%d reducible graphs, %d others: too few of one kind", reducible, irreducible)
	}
}

func indices(blocks []*module.Block) (out []int) {
	for _, b := range blocks {
		out = append(out, b.Index)
	}
	return out
}

func checkOrder(f *module.Function, o *flowOrder, reducible, irreducible *int) error {
	reach := reachable(f)
	pos := map[int]int{}
	for i, b := range o.blocks {
		if _, twice := pos[b.Index]; twice || !reach[b.Index] {
			return fmt.Errorf("block %d is there twice or cannot be reached", b.Index)
		}
		pos[b.Index] = i
	}
	for i, r := range reach {
		if _, ok := pos[i]; ok != r {
			return fmt.Errorf("block %d is missing", i)
		}
	}
	dom := f.Dominators()
	for _, a := range o.blocks {
		for _, b := range o.blocks {
			if dom.Dominates(a, b) && pos[a.Index] > pos[b.Index] {
				return fmt.Errorf("block %d dominates %d and stands behind it", a.Index, b.Index)
			}
		}
	}
	members := make([]map[int]bool, len(o.loops))
	for i := range members {
		members[i] = map[int]bool{}
	}
	for _, b := range o.blocks {
		for in := o.loopOf[b.Index]; in >= 0; in = o.loops[in].parent {
			members[in][b.Index] = true
		}
	}
	for i, l := range o.loops {
		head := pos[l.head.Index]
		for j := range len(members[i]) {
			if head+j >= len(o.blocks) || !members[i][o.blocks[head+j].Index] {
				return fmt.Errorf("the loop of %d does not stand together, header first", l.head.Index)
			}
		}
	}
	natural := map[int]map[int]bool{} // of reducible graphs: the natural loops by header
	ok := true
	for _, b := range o.blocks {
		for _, s := range b.Succs {
			if pos[s.Index] > pos[b.Index] {
				continue
			}
			if !dom.Dominates(s, b) {
				ok = false
				continue
			}
			natural[s.Index] = merge(natural[s.Index], naturalLoop(s, b, reach))
		}
	}
	if !ok {
		*irreducible++
		return nil
	}
	*reducible++
	if len(natural) != len(o.loops) {
		return fmt.Errorf("%d loops, want %d", len(o.loops), len(natural))
	}
	for i, l := range o.loops {
		want := natural[l.head.Index]
		if len(want) != len(members[i]) {
			return fmt.Errorf("the loop of %d has blocks %v, want %v", l.head.Index, members[i], want)
		}
		for b := range want {
			if !members[i][b] {
				return fmt.Errorf("the loop of %d lacks %d", l.head.Index, b)
			}
		}
	}
	return nil
}

// naturalLoop is the header and all that reaches the end of the back edge without passing it.
func naturalLoop(head, end *module.Block, reach []bool) map[int]bool {
	in := map[int]bool{head.Index: true}
	for todo := []*module.Block{end}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if reach[b.Index] && !in[b.Index] {
			in[b.Index] = true
			todo = append(todo, b.Preds...)
		}
	}
	return in
}

func merge(a, b map[int]bool) map[int]bool {
	if a == nil {
		return b
	}
	for k := range b {
		a[k] = true
	}
	return a
}
