package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
)

// verifyFlags are the flags of "sgrun verify".
type verifyFlags struct {
	devices  []string
	require  []string
	shard    string
	list     bool
	timeout  time.Duration
	seed     uint64
	parallel int
	vectors  string
	verbose  bool
	rep      report
}

func (a *app) verifyCommand() *cobra.Command {
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use:   "verify [PATTERN...]",
		Short: "Run the test vectors and compare every value with the specification",
		Long: `Run the built-in test vectors, on the emulator by default, and compare every value. The expected values come
from the specifications' own examples and from a plain transcription of their text, never from the
program under test. A PATTERN selects cases by a part of TOPIC/NAME, or as a whole with * and ?.

Passed, failed and unsupported cases are counted separately. The exit status is 1 where values differ, 5
where a kernel misbehaved, and 3 where nothing ran because the device lacks what every case needs, or
where a case that is required (--require, and all of them on emu:generic) is unsupported.

--shard 2/4 runs the second of four parts of the cases; TEST_SHARD_INDEX and TEST_TOTAL_SHARDS, or
GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS, do the same in the environment.`,
		Example: `  sgrun verify
  sgrun verify bitcast-shuffle/u32-to-v2u16 -v
  sgrun verify '*sg8*' --list
  sgrun verify --device emu:bmg vnni
  sgrun verify --shard 1/4 --format junit -o verify.xml`,
		Args: cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var topics []string
			files, err := runner.LoadVectors(a.vectors)
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			for _, v := range files {
				topics = append(topics, v.Topic+"\t"+v.About)
			}
			return topics, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.RunE = a.does(func(ctx context.Context, args []string) error { return a.verify(ctx, f, args) })
	fl := cmd.Flags()
	fl.SortFlags = false
	a.addDevice(cmd, &f.devices, "emu")
	fl.StringArrayVar(&f.require, "require", nil, "cases that match `PATTERN` must not be unsupported; may be repeated")
	fl.StringVar(&f.shard, "shard", "", "run part `I/N` of the cases, I from 1 to N")
	fl.BoolVar(&f.list, "list", false, "list the cases instead of running them")
	fl.DurationVar(&f.timeout, "timeout", runner.DefaultCaseTimeout, "stop a case after this time")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the order in which work-groups run")
	fl.IntVar(&f.parallel, "parallel", 0, "cases that run at a time; 0: as many as there are cores on the emulator, else one; give `N`")
	fl.StringVar(&f.vectors, "vectors", "", "run the vector files of a `FOLDER` instead of the built-in ones")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "list every case with what came of it")
	addReport(cmd, &f.rep)
	return cmd
}

// verify is "sgrun verify".
func (a *app) verify(ctx context.Context, f *verifyFlags, patterns []string) error {
	vectors := a.vectors
	if f.vectors != "" {
		if info, err := os.Stat(f.vectors); err != nil || !info.IsDir() {
			return usage("--vectors %s: there is no such folder", f.vectors)
		}
		vectors = os.DirFS(f.vectors)
	}
	if f.timeout < 0 || f.parallel < 0 {
		return usage("--timeout and --parallel take no negative values")
	}
	opt := runner.VerifyOptions{Require: f.require, Timeout: f.timeout, Parallel: f.parallel, Run: runner.Options{Seed: f.seed}}
	var err error
	if f.shard != "" {
		opt.Shard, err = runner.ParseShard(f.shard)
	} else {
		opt.Shard, err = runner.ShardFromEnv(a.env)
	}
	if err != nil {
		return err
	}
	if f.list {
		return a.listCases(f, vectors, patterns, opt.Shard)
	}
	devices, note, err := a.selectDevices(ctx, f.devices, 0)
	if err != nil {
		return err
	}
	defer closeAll(devices)
	if f.rep.format.value == "junit" && len(devices) > 1 {
		return usage("--format junit is for one device, and --device names %d", len(devices))
	}
	if note != "" && (f.verbose || a.errTerminal) {
		fmt.Fprintln(a.err, a.paint(a.errTerminal, dim, note))
	}
	var reports []*runner.VerifyReport
	var errs []error
	for _, d := range devices {
		p := a.newProgress(d.selector)
		opt.Progress = p.tell
		r, err := runner.Verify(ctx, d, vectors, a.catalogue, patterns, opt)
		p.done()
		if r == nil {
			return err
		}
		reports = append(reports, r)
		errs = append(errs, err, statusError(r.ExitStatus()))
		if err != nil {
			break // stopped: the report says how far it came
		}
	}
	if err := a.writeVerify(f, devices, reports); err != nil {
		return err
	}
	status := runner.ExitStatus(errs...)
	for _, err := range errs {
		if errors.Is(err, context.Canceled) {
			return err
		}
	}
	if status != 0 {
		return exitStatus(status)
	}
	return nil
}

// statusError is the error that has an exit status, so that runner can weigh several.
func statusError(status int) error {
	switch status {
	case 0:
		return nil
	case 1:
		return &runner.MismatchError{Message: "a value differed"}
	}
	for _, c := range []device.Class{device.Usage, device.Unsupported, device.Module, device.Fault} {
		if c.ExitStatus() == status {
			return &device.Error{Class: c}
		}
	}
	return &device.Error{Class: device.Internal}
}

// writeVerify writes the reports.
func (a *app) writeVerify(f *verifyFlags, devices []named, reports []*runner.VerifyReport) error {
	switch f.rep.format.value {
	case "json":
		if len(reports) == 1 {
			return a.writeJSON(f.rep.file, reports[0])
		}
		return a.writeJSON(f.rep.file, reports)
	case "junit":
		return a.writeTo(f.rep.file, reports[0].WriteJUnit)
	}
	var b bytes.Buffer
	for i, r := range reports {
		if i > 0 {
			b.WriteString("\n")
		}
		a.verifyText(&b, r, f.verbose, f.rep.file == "" && a.outTerminal)
		fmt.Fprintf(&b, "%s on %s in %.1f s\n", r.Summary(), devices[i].selector, r.Seconds)
	}
	return a.write(f.rep.file, b.Bytes())
}

// verifyText prints a report for people, without the summary.
func (a *app) verifyText(b *bytes.Buffer, r *runner.VerifyReport, verbose, terminal bool) {
	if verbose {
		t := newTable(leftColumns(4)...)
		t.head("outcome", "case", "sub-group size", "notes")
		for i := range r.Rows {
			row := &r.Rows[i]
			size := ""
			if row.SubGroupSize > 0 {
				size = fmt.Sprint(row.SubGroupSize)
			}
			notes := strings.Join(row.Notes, "; ")
			if row.Outcome != runner.Passed {
				notes, _, _ = strings.Cut(row.Reason, "\n")
			}
			t.row(row.Outcome, row.ID(), size, notes)
		}
		b.WriteString(t.String() + "\n")
	}
	header, rows := r.Table()
	if len(rows) > 0 {
		t := newTable(left, right, right, right, left)
		t.head(header...)
		for _, row := range rows {
			t.row(row...)
		}
		b.WriteString(t.String() + "\n")
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		switch row.Outcome {
		case runner.Failed, runner.Faulted:
			fmt.Fprintf(b, "%s %s: %s\n", a.paint(terminal, red, row.Outcome), row.ID(), row.Detail())
		}
	}
}

// progress shows how far a verification is, where somebody watches.
type progress struct {
	a      *app
	device string
	mu     sync.Mutex
	last   time.Time
	failed int
	shown  bool
}

func (a *app) newProgress(device string) *progress { return &progress{a: a, device: device} }

func (p *progress) tell(done, total int, row *runner.VerifyRow) {
	if !p.a.errTerminal {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if row.Outcome == runner.Failed || row.Outcome == runner.Faulted {
		p.failed++
	}
	if time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = time.Now(), true
	fmt.Fprintf(p.a.err, "\r%s: %d of %d cases, %d failed\x1b[K", p.device, done, total, p.failed)
}

// done takes the line away.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.a.err, "\r\x1b[K")
	}
}
