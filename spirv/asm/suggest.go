package asm

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/spirv/grammar"
)

// didYouMean returns the end of a message that offers a name, nothing where there is none to offer.
func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", name)
}

// closest keeps the name nearest to a misspelt one.
type closest struct {
	text string
	name string
	dist int
}

func closestTo(text string) *closest {
	// A third of the letters may be wrong; beyond that a guess is no help.
	return &closest{text: strings.ToLower(text), dist: len(text)/3 + 1}
}

func (c *closest) offer(name string) {
	if len(c.text) > 80 || abs(len(name)-len(c.text)) >= c.dist {
		return
	}
	if d := distance(c.text, strings.ToLower(name)); d < c.dist {
		c.name, c.dist = name, d
	}
}

func closestOpcode(text string) string {
	c := closestTo(text)
	instructions := grammar.Instructions()
	for i := range instructions {
		c.offer(instructions[i].Name)
	}
	if _, ok := grammar.LookupName("Op" + text); ok {
		return "Op" + text
	}
	return c.name
}

func closestEnumerant(info *grammar.KindInfo, text string) string {
	c := closestTo(text)
	for i := range info.Enumerants {
		c.offer(info.Enumerants[i].Name)
	}
	return c.name
}

func closestExtInst(set *grammar.ExtInstSet, text string) string {
	c := closestTo(text)
	for i := range set.Instructions {
		c.offer(set.Instructions[i].Name)
	}
	return c.name
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// distance is the number of letters to insert, delete or replace to get from one string to the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, diag+1)
		}
	}
	return row[len(b)]
}
