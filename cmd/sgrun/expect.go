package main

import (
	"fmt"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/value"
)

// expectReport is one --expect with what came of it.
type expectReport struct {
	Buffer string `json:"buffer"`
	Passed bool   `json:"passed"`
	// Compare says how numbers were compared: "exact bits", "within 2 ulp".
	Compare   string              `json:"compare"`
	Numbers   int                 `json:"numbers"` // compared, components of vectors one by one
	Different int                 `json:"different"`
	First     []runner.Difference `json:"first,omitempty"` // the first that differ
}

// summary says in one line what came of it.
func (e *expectReport) summary() string {
	if e.Passed {
		return fmt.Sprintf("%s: as expected (%d numbers, %s)", e.Buffer, e.Numbers, e.Compare)
	}
	return fmt.Sprintf("%s: %d of %d numbers differ (%s)", e.Buffer, e.Different, e.Numbers, e.Compare)
}

// expectations reads --expect and --tolerance.
func (f *runFlags) expectations(budget *value.Budget) (list []runner.Expectation, how runner.Comparison, err error) {
	if f.tolerance != "" {
		if len(f.expect) == 0 {
			e := usage("--tolerance without --expect: nothing is compared")
			e.Try = "--expect NAME=VALUE"
			return nil, how, e
		}
		if how, err = runner.ParseTolerance(f.tolerance); err != nil {
			return nil, how, err
		}
	}
	for _, text := range f.expect {
		e, err := runner.ParseExpectation(text, &value.Parser{Budget: budget})
		if err != nil {
			return nil, how, err
		}
		list = append(list, e)
	}
	return list, how, nil
}

// compare compares the buffers with what is expected of them. The error says that values differ, or that an expectation
// makes no sense.
func (r *runReport) compare(result *runner.Result, list []runner.Expectation, how runner.Comparison) error {
	outcomes, err := runner.CheckExpectations(result, list, how)
	for _, o := range outcomes {
		r.Expected = append(r.Expected, expectReport{o.Name, o.Diff.Different == 0, how.String(), o.Diff.Numbers, o.Diff.Different, o.Diff.First})
	}
	return err
}
