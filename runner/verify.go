package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sgrun/sgrun/runner/device"
)

// VerifyOptions are the choices of a verification.
type VerifyOptions struct {
	// Require lists patterns of cases that must not be unsupported. On the emulator's generic profile none may be.
	Require []string
	Shard   Shard
	// Parallel is how many cases run at a time; 0: as many as there are cores on the emulator, one on other devices. Each
	// builds its own programs; the device must allow several launches at a time.
	Parallel int
	// Timeout bounds building and running of each step; 0: DefaultCaseTimeout.
	Timeout time.Duration
	// Run holds the other choices of each run. Work-groups run in the order drawn from its seed (Deterministic is set).
	Run Options
	// Progress, if not nil, is told of each finished case, one at a time, in the order in which they finish.
	Progress func(done, total int, row *VerifyRow)
}

// DefaultCaseTimeout bounds each step of a case where no other limit is set.
const DefaultCaseTimeout = time.Minute

// Outcomes of a case.
const (
	Passed      = "passed"
	Failed      = "failed"      // a value differed, or what the device cannot do was required of it
	Faulted     = "faulted"     // the kernel misbehaved, a module is invalid, sgrun has a bug: Kind and Reason say which
	Unsupported = "unsupported" // the device lacks what is needed; not run
)

// Verify runs the cases of vector files that the patterns select on a device. vectors holds the files, catalogue the
// modules (a module beside the vectors comes first). The rows of the report are in the order of the files and their cases,
// whatever runs first.
//
// An error means that nothing ran: a file that does not parse, a pattern that selects nothing. Failures are in the report;
// its ExitStatus says how it ended. When ctx ends, the cases not yet run are left out and the error is the context's, with
// the report of those that ran.
func Verify(ctx context.Context, dev device.Device, vectors, catalogue fs.FS, patterns []string, opt VerifyOptions) (*VerifyReport, error) {
	files, err := LoadVectors(vectors)
	if err != nil {
		return nil, err
	}
	return VerifyCases(ctx, dev, files, overlay(vectors, catalogue), patterns, opt)
}

// VerifyCases is Verify with the vector files read already.
func VerifyCases(ctx context.Context, dev device.Device, files []*VectorFile, catalogue fs.FS, patterns []string, opt VerifyOptions) (*VerifyReport, error) {
	for _, p := range opt.Require {
		if _, err := SelectCases(files, []string{p}); err != nil {
			return nil, err
		}
	}
	selected, err := SelectCases(files, patterns)
	if err != nil {
		return nil, err
	}
	cases := opt.Shard.Pick(selected)
	v := &verifier{dev: dev, catalogue: catalogue, opt: opt, rows: make([]VerifyRow, len(cases)), total: len(cases)}
	start := time.Now()
	v.run(ctx, cases)
	report := &VerifyReport{Schema: ReportSchema, Device: summary(dev.Facts()), Patterns: patterns, Selected: len(selected), Seconds: time.Since(start).Seconds(), Rows: []VerifyRow{}}
	if !opt.Shard.all() {
		report.Shard = &ShardInfo{Index: opt.Shard.Index + 1, Count: opt.Shard.Count}
	}
	for _, r := range v.rows {
		if r.Outcome != "" {
			report.add(r)
		}
	}
	return report, ctx.Err()
}

// overlay opens files from the first file system that has them.
func overlay(list ...fs.FS) fs.FS { return overlayFS(list) }

type overlayFS []fs.FS

func (o overlayFS) Open(name string) (fs.File, error) {
	err := error(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
	for _, f := range o {
		if f == nil {
			continue
		}
		var file fs.File
		if file, err = f.Open(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return file, err
		}
	}
	return nil, err
}

type verifier struct {
	dev       device.Device
	catalogue fs.FS
	opt       VerifyOptions
	rows      []VerifyRow

	mu          sync.Mutex
	done, total int
}

// run runs the cases. Those with the same module run one after another, so that its program is built once; different
// modules run in parallel.
func (v *verifier) run(ctx context.Context, cases []*Case) {
	groups := map[string][]int{}
	var order []string
	for i, c := range cases {
		if groups[c.Launch.Module] == nil {
			order = append(order, c.Launch.Module)
		}
		groups[c.Launch.Module] = append(groups[c.Launch.Module], i)
	}
	workers := v.opt.Parallel
	if workers <= 0 {
		workers = 1
		if v.dev.Facts().Backend == "emu" {
			workers = runtime.GOMAXPROCS(0)
		}
	}
	work := make(chan string)
	var wg sync.WaitGroup
	for range min(workers, max(1, len(order))) {
		wg.Go(func() {
			for module := range work {
				v.group(ctx, module, cases, groups[module])
			}
		})
	}
	for _, module := range order {
		work <- module
	}
	close(work)
	wg.Wait()
}

// group runs the cases of one module.
func (v *verifier) group(ctx context.Context, module string, cases []*Case, indexes []int) {
	src, loadErr := loadCatalogue(module, v.catalogue)
	session := NewSession(v.dev)
	defer session.Close()
	for _, i := range indexes {
		if ctx.Err() != nil {
			return
		}
		start := time.Now()
		row := v.row(ctx, session, src, loadErr, cases[i])
		if ctx.Err() != nil {
			return // stopped half-way: it is neither passed nor failed
		}
		row.Seconds = time.Since(start).Seconds()
		v.mu.Lock()
		v.rows[i] = row
		v.done++
		if v.opt.Progress != nil {
			v.opt.Progress(v.done, v.total, &v.rows[i])
		}
		v.mu.Unlock()
	}
}

// row runs one case.
func (v *verifier) row(ctx context.Context, session *Session, src *Source, loadErr error, c *Case) VerifyRow {
	row := VerifyRow{Topic: c.Topic, Name: c.Name, Module: c.Launch.Module, From: c.From, Outcome: Passed}
	if loadErr != nil {
		row.fail(loadErr)
		return row
	}
	facts := v.dev.Facts()
	if lacks := missing(facts, c.Requires); lacks != "" {
		row.unsupported(lacks, "missing-capability")
	} else if !facts.Executes {
		row.unsupported("execution: the device accepts launches but does not compute", "not-executed")
	} else {
		v.execute(ctx, session, src, c, &row)
	}
	if row.Outcome == Unsupported && v.required(facts, c) {
		row.Outcome = Failed
		row.Reason = "required, but " + row.Reason
		row.Kind = "required"
	}
	return row
}

func (v *verifier) execute(ctx context.Context, session *Session, src *Source, c *Case, row *VerifyRow) {
	opt := v.opt.Run
	opt.Deterministic, opt.initial = true, c.initial
	if opt.Timeout = v.opt.Timeout; opt.Timeout == 0 {
		opt.Timeout = DefaultCaseTimeout
	}
	res, err := session.Run(ctx, src, &c.Launch, opt)
	if res != nil {
		for _, s := range res.Steps {
			if s.Report != nil {
				row.SubGroupSize = s.Report.SubGroupSize
				row.Notes = append(row.Notes, s.Report.Notes...)
			}
		}
		slices.Sort(row.Notes)
		row.Notes = slices.Compact(row.Notes)
	}
	if err == nil {
		err = res.Err()
	}
	if err == nil {
		var out []Outcome
		out, err = CheckExpectations(res, c.Expect, c.Compare)
		for _, o := range out {
			if o.Diff.Different > 0 {
				row.Differences = append(row.Differences, o)
			}
		}
	}
	if err != nil {
		row.fail(err)
	}
}

// fail writes an error into the row.
func (r *VerifyRow) fail(err error) {
	var de *device.Error
	switch {
	case errors.As(err, &de) && (de.Class == device.Unsupported || de.Class == device.Absent):
		r.unsupported(de.Message, de.Kind)
		if de.Err != nil {
			r.Reason += ": " + de.Err.Error()
		}
		r.Places = places(de.Where)
	case errors.As(err, &de):
		r.Outcome, r.Kind, r.Reason, r.status = Faulted, de.Kind, de.Message, de.Class.ExitStatus()
		if de.Err != nil {
			r.Reason += ": " + de.Err.Error()
		}
		r.Places = places(de.Where)
	default:
		r.Outcome, r.Reason, r.Kind = Failed, err.Error(), "values"
		if r.status = ExitStatus(err); r.status != 1 {
			r.Outcome, r.Kind = Faulted, "internal"
		}
	}
}

func (r *VerifyRow) unsupported(what, kind string) {
	r.Outcome, r.Reason, r.Kind = Unsupported, what, kind
}

func (v *verifier) required(facts *device.Facts, c *Case) bool {
	if facts.Backend == "emu" && facts.Profile == "generic" {
		return true
	}
	return slices.ContainsFunc(v.opt.Require, func(p string) bool { return matches(p, c.ID()) })
}

// missing says which of the required capabilities and extensions the device lacks; empty where it has all. A device that
// lists no capabilities is left to say so itself when it builds.
func missing(facts *device.Facts, requires []string) string {
	var lacks []string
	for _, r := range requires {
		if strings.HasPrefix(r, "SPV_") {
			if len(facts.SPIRVExtensions) > 0 && !slices.Contains(facts.SPIRVExtensions, r) {
				lacks = append(lacks, "extension "+r)
			}
			continue
		}
		if c, ok := capability(r); ok && len(facts.Capabilities) > 0 && !slices.Contains(facts.Capabilities, c) {
			lacks = append(lacks, "capability "+r)
		}
	}
	if len(lacks) == 0 {
		return ""
	}
	return fmt.Sprintf("%s lacks %s", facts.Name, strings.Join(lacks, ", "))
}
