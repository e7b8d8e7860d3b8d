package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv/module"
)

// caseReport is the JSON form of a line of "sgrun verify --list".
type caseReport struct {
	Topic  string `json:"topic"`
	Name   string `json:"name"`
	Module string `json:"module"`
	From   string `json:"from"` // where the expected values come from
}

// listCases is "sgrun verify --list". What patterns and shards select only runner knows, and it tells by verifying: so the
// cases are verified on a device that runs nothing.
func (a *app) listCases(ctx context.Context, f *verifyFlags, vectors fs.FS, patterns []string, opt runner.VerifyOptions) error {
	if err := f.rep.noJUnit("verify --list"); err != nil {
		return err
	}
	files, err := runner.LoadVectors(vectors)
	if err != nil {
		return err
	}
	r, err := runner.VerifyCases(ctx, noDevice{}, files, embed.FS{}, patterns, opt)
	if err != nil {
		return err
	}
	cases := []caseReport{}
	t := newTable(leftColumns(3)...)
	t.head("case", "module", "expected values from")
	for i := range r.Rows {
		row := &r.Rows[i]
		cases = append(cases, caseReport{row.Topic, row.Name, row.Module, row.From})
		t.row(row.ID(), row.Module, row.From)
	}
	if f.rep.format.value == "json" {
		return a.writeJSON(f.rep.file, cases)
	}
	return a.write(f.rep.file, []byte(t.String()+fmt.Sprintf("%d cases\n", len(cases))))
}

// noDevice runs nothing.
type noDevice struct{}

var errNoDevice = errors.New("this device runs nothing")

func (noDevice) Facts() *device.Facts { return &device.Facts{Name: "nothing"} }

func (noDevice) Build(context.Context, *module.Module, device.BuildOptions) (device.Program, error) {
	return nil, errNoDevice
}

func (noDevice) NewBuffer(uint64) (device.Buffer, error) { return nil, errNoDevice }
func (noDevice) Close() error                            { return nil }
