package main

import (
	"fmt"
	"io/fs"

	"github.com/sgrun/sgrun/runner"
)

// caseReport is the JSON form of a line of "sgrun verify --list".
type caseReport struct {
	Topic  string `json:"topic"`
	Name   string `json:"name"`
	Module string `json:"module"`
	From   string `json:"from"` // where the expected values come from
}

// listCases is "sgrun verify --list".
func (a *app) listCases(f *verifyFlags, vectors fs.FS, patterns []string, shard runner.Shard) error {
	if err := f.rep.noJUnit("verify --list"); err != nil {
		return err
	}
	files, err := runner.LoadVectors(vectors)
	if err != nil {
		return err
	}
	selected, err := runner.SelectCases(files, patterns)
	if err != nil {
		return err
	}
	cases := []caseReport{}
	t := newTable(leftColumns(3)...)
	t.head("case", "module", "expected values from")
	for _, c := range shard.Pick(selected) {
		cases = append(cases, caseReport{c.Topic, c.Name, c.Launch.Module, c.From})
		t.row(c.ID(), c.Launch.Module, c.From)
	}
	if f.rep.format.value == "json" {
		return a.writeJSON(f.rep.file, cases)
	}
	return a.write(f.rep.file, []byte(t.String()+fmt.Sprintf("%d cases\n", len(cases))))
}
