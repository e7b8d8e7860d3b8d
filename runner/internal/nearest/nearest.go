// Package nearest finds the names a user may have meant.
package nearest

import (
	"slices"
	"strings"
)

// Names returns at most n of the known names that resemble the wrong one, the most alike first: those at a small edit
// distance, letter case ignored, and those that contain it.
func Names(wrong string, known []string, n int) []string {
	type hit struct {
		name string
		d    int
	}
	var hits []hit
	w := strings.ToLower(wrong)
	for _, k := range known {
		l := strings.ToLower(k)
		limit := 1 + max(len(w), len(l))/4
		d := distance(w, l, limit)
		if d > limit && len(w) >= 3 && strings.Contains(l, w) {
			d = limit
		}
		if d <= limit {
			hits = append(hits, hit{k, d})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.d - b.d })
	var out []string
	for _, h := range hits[:min(n, len(hits))] {
		out = append(out, h.name)
	}
	return out
}

// distance is the edit distance (insert, delete, replace, swap neighbours) of two strings, or limit+1 where it is larger.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > 200 || len(b) > 200 {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
