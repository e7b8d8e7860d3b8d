package module

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// flow makes a function of n blocks with the given edges and no instructions.
func flow(n int, edges [][2]int) *Function {
	f := &Function{}
	for i := range n {
		f.Blocks = append(f.Blocks, &Block{Index: i})
	}
	for _, e := range edges {
		a, b := f.Blocks[e[0]], f.Blocks[e[1]]
		if !slices.Contains(a.Succs, b) {
			a.Succs, b.Preds = append(a.Succs, b), append(b.Preds, a)
		}
	}
	return f
}

// naive computes dominator sets as their definition says: the largest sets with dom(root) = {root} and
// dom(v) = {v} ∪ ⋂ dom(p) over the predecessors p that the root reaches. Node n is the root.
func naive(n int, succs [][]int) [][]bool {
	reached := make([]bool, n+1)
	reached[n] = true
	for changed := true; changed; {
		changed = false
		for v := range reached {
			for _, s := range succs[v] {
				if reached[v] && !reached[s] {
					reached[s], changed = true, true
				}
			}
		}
	}
	dom := make([][]bool, n+1)
	for v := range dom {
		dom[v] = make([]bool, n+1)
		for i := range dom[v] {
			dom[v][i] = v != n || i == n
		}
	}
	for changed := true; changed; {
		changed = false
		for v := range n {
			if !reached[v] {
				continue
			}
			for i := range dom[v] {
				if i == v || !dom[v][i] {
					continue
				}
				for p := range succs {
					if reached[p] && slices.Contains(succs[p], v) && !dom[p][i] {
						dom[v][i], changed = false, true
						break
					}
				}
			}
		}
	}
	for v := range n {
		if !reached[v] {
			dom[v] = nil
		}
	}
	return dom
}

// reaches computes the transitive closure: r[a][b] where a path of one edge or more leads from a to b.
func reaches(f *Function) [][]bool {
	n := len(f.Blocks)
	r := make([][]bool, n)
	for i, b := range f.Blocks {
		r[i] = make([]bool, n)
		for _, s := range b.Succs {
			r[i][s.Index] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

// naivePost gives the edges of the reversed graph, with those from the virtual exit as PostDominators documents them.
func naivePost(f *Function) [][]int {
	n := len(f.Blocks)
	r := reaches(f)
	succs := make([][]int, n+1)
	for i, b := range f.Blocks {
		for _, s := range b.Succs {
			succs[s.Index] = append(succs[s.Index], i)
		}
		closed, first := r[i][i], true
		for j := range n {
			if r[i][j] {
				closed = closed && r[j][i]
				first = first && j >= i
			}
		}
		if len(b.Succs) == 0 || closed && first {
			succs[n] = append(succs[n], i)
		}
	}
	return succs
}

func checkTree(t *testing.T, what string, f *Function, tree *DomTree, dom [][]bool) {
	t.Helper()
	n := len(f.Blocks)
	for _, b := range f.Blocks {
		if (dom[b.Index] != nil) != tree.Contains(b) {
			t.Fatalf("%s: block %d in the tree: %v", what, b.Index, tree.Contains(b))
		}
		if dom[b.Index] == nil {
			continue
		}
		for _, a := range f.Blocks {
			want := dom[b.Index][a.Index]
			if got := tree.Dominates(a, b); got != want {
				t.Fatalf("%s: block %d dominates %d: got %v, want %v", what, a.Index, b.Index, got, want)
			}
		}
		// The immediate dominator is the strict dominator that all other strict dominators dominate.
		want := -1
		for a := range n {
			if a == b.Index || !dom[b.Index][a] {
				continue
			}
			if want < 0 || dom[a][want] {
				want = a
			}
		}
		got := -1
		if d := tree.IDom(b); d != nil {
			got = d.Index
		}
		if got != want {
			t.Fatalf("%s: immediate dominator of block %d: got %d, want %d", what, b.Index, got, want)
		}
	}
}

func checkBoth(t *testing.T, what string, f *Function) {
	t.Helper()
	n := len(f.Blocks)
	succs := make([][]int, n+1)
	for i, b := range f.Blocks {
		for _, s := range b.Succs {
			succs[i] = append(succs[i], s.Index)
		}
	}
	if n > 0 {
		succs[n] = []int{0}
	}
	checkTree(t, what+", dominators", f, f.Dominators(), naive(n, succs))
	checkTree(t, what+", post-dominators", f, f.PostDominators(), naive(n, naivePost(f)))
}

func TestDominatorsOfNamedGraphs(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		edges [][2]int
	}{
		{"no block", 0, nil},
		{"one block", 1, nil},
		{"diamond", 4, [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}}},
		{"loop with exit", 4, [][2]int{{0, 1}, {1, 2}, {2, 1}, {1, 3}}},
		{"block that loops to itself", 1, [][2]int{{0, 0}}},
		{"infinite loop with divergent body", 5, [][2]int{{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}}},
		{"infinite loop or return", 4, [][2]int{{0, 1}, {0, 3}, {1, 2}, {2, 1}}},
		{"two infinite loops", 5, [][2]int{{0, 1}, {0, 3}, {1, 2}, {2, 1}, {3, 4}, {4, 3}}},
		{"irreducible", 4, [][2]int{{0, 1}, {0, 2}, {1, 2}, {2, 1}, {1, 3}}},
		{"irreducible and infinite", 3, [][2]int{{0, 1}, {0, 2}, {1, 2}, {2, 1}}},
		{"unreachable block before the end", 4, [][2]int{{0, 1}, {2, 1}, {1, 3}}},
		{"unreachable loop", 4, [][2]int{{0, 3}, {1, 2}, {2, 1}}},
		{"several returns", 4, [][2]int{{0, 1}, {0, 2}, {2, 3}}},
		{"loop back to the entry block", 3, [][2]int{{0, 1}, {1, 0}, {1, 2}}},
		// The example graph of Lengauer and Tarjan's paper: R A B C D E F G H I J K L.
		{"the paper's graph", 13, [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 1}, {2, 4}, {2, 5}, {3, 6}, {3, 7}, {4, 12}, {5, 8}, {6, 9}, {7, 9}, {7, 10}, {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 9}, {11, 0}, {12, 8}}},
	}
	for _, test := range tests {
		checkBoth(t, test.name, flow(test.n, test.edges))
	}
}

func TestDominatorsOfRandomGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1500 {
		n := 1 + rng.IntN(14)
		var edges [][2]int
		for range rng.IntN(2*n + 1) {
			edges = append(edges, [2]int{rng.IntN(n), rng.IntN(n)})
		}
		checkBoth(t, fmt.Sprintf("graph %d of %d blocks %v", i, n, edges), flow(n, edges))
	}
}

// TestDominatorsOfHugeGraphs runs the shapes on which simple algorithms are quadratic or recursive.
func TestDominatorsOfHugeGraphs(t *testing.T) {
	const n = 100_000
	shapes := map[string]func(i int) [][2]int{
		"chain with jumps to the end": func(i int) [][2]int { return [][2]int{{i, i + 1}, {i, n - 1}} },
		"ladder back to the start":    func(i int) [][2]int { return [][2]int{{i, i + 1}, {i + 1, i}} },
		"nested loops":                func(i int) [][2]int { return [][2]int{{i, i + 1}, {n - 1 - i, max(i, 1)}} },
		"jumps by two":                func(i int) [][2]int { return [][2]int{{i, i + 1}, {i, min(i+2, n-1)}} },
	}
	for name, edges := range shapes {
		f := &Function{}
		for i := range n {
			f.Blocks = append(f.Blocks, &Block{Index: i})
		}
		for i := range n - 1 {
			for _, e := range edges(i) {
				f.Blocks[e[0]].Succs = append(f.Blocks[e[0]].Succs, f.Blocks[e[1]])
			}
		}
		start := time.Now()
		dom, post := f.Dominators(), f.PostDominators()
		if !dom.Dominates(f.Blocks[0], f.Blocks[n-1]) || !post.Contains(f.Blocks[0]) {
			t.Errorf("%s: the last block must be dominated by the first, and the first must be in the tree of post-dominators", name)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: %d blocks took %v", name, n, d)
		} else {
			t.Logf("%s: %v", name, d)
		}
	}
}
