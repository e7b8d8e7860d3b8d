package main

import (
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
)

// junitRuns makes of runs with --expect what runner writes as JUnit: a test case for each expectation, and one for the
// run itself where it ended early.
func junitRuns(r *runReport) *runner.VerifyReport {
	all := &runner.VerifyReport{Device: summaryOf(r.facts), Rows: []runner.VerifyRow{}}
	kernel := ""
	for _, s := range r.Steps {
		all.Seconds += float64(s.WallNanoseconds) / 1e9
		kernel = s.Kernel
	}
	if r.Error != "" || len(r.Findings) > 0 {
		row := runner.VerifyRow{Topic: r.Module, Name: kernel, Module: r.Module, From: "the command line", Outcome: runner.Faulted, Kind: "fault", Reason: r.Error}
		if r.Error == "" {
			row.Kind, row.Reason = r.Findings[0].Kind, r.Findings[0].Message
		}
		all.Rows = append(all.Rows, row)
	}
	for _, e := range r.Expected {
		row := runner.VerifyRow{Topic: r.Module, Name: e.Buffer, Module: r.Module, From: "--expect", Outcome: runner.Passed, Notes: r.Notes}
		if !e.Passed {
			row.Outcome, row.Kind, row.Reason = runner.Failed, "values", e.summary()
			row.Differences = []runner.Outcome{{Name: e.Buffer, Diff: &runner.Diff{Numbers: e.Numbers, Different: e.Different, First: e.First}}}
		}
		all.Rows = append(all.Rows, row)
	}
	return all
}

func summaryOf(f *device.Facts) runner.DeviceSummary {
	return runner.DeviceSummary{Backend: f.Backend, Name: f.Name, Profile: f.Profile, Vendor: f.Vendor, Driver: f.Driver, Version: f.Version}
}
