package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

// firstElements is how many elements of a changed buffer are shown where --print asks for nothing.
const firstElements = 64

// runReport is one run on one device; its JSON form is an item of the list that "sgrun run --format json" writes.
type runReport struct {
	Device   string          `json:"device"` // as --device takes it
	Module   string          `json:"module"`
	Steps    []stepReport    `json:"steps"`
	Buffers  []bufferReport  `json:"buffers"` // those that changed, or those that --print names
	Findings []findingReport `json:"findings"`
	// MoreFindings counts those left out of Findings.
	MoreFindings uint64         `json:"more_findings,omitempty"`
	Expected     []expectReport `json:"expected,omitempty"`
	Notes        []string       `json:"notes,omitempty"`
	// Error is why the run ended early; the buffers are as the kernel left them.
	Error string `json:"error,omitempty"`

	facts *device.Facts
}

// stepReport is one launch of an entry point.
type stepReport struct {
	Kernel       string    `json:"kernel"`
	SubGroupSize int       `json:"sub_group_size,omitempty"`
	Local        [3]uint64 `json:"local"`
	Groups       [3]uint64 `json:"groups"`
	// DeviceNanoseconds is by the device's own clock, 0 where it has none; WallNanoseconds is by the host's.
	DeviceNanoseconds int64  `json:"device_nanoseconds,omitempty"`
	WallNanoseconds   int64  `json:"wall_nanoseconds"`
	Instructions      uint64 `json:"instructions,omitempty"`
	Log               string `json:"log,omitempty"` // of the device's compiler
}

// bufferReport is a buffer after the run.
type bufferReport struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	Type    string   `json:"type"`
	Count   int      `json:"count"` // elements
	Changed bool     `json:"changed"`
	Data    elements `json:"data"`
	// Omitted is how many elements are left out at the end of Data.
	Omitted int `json:"omitted,omitempty"`
}

// findingReport is one event that --check reported.
type findingReport struct {
	Check       string    `json:"check"`
	Kind        string    `json:"kind"`
	Message     string    `json:"message"`
	Instruction string    `json:"instruction,omitempty"`
	Function    string    `json:"function,omitempty"`
	WordOffset  int       `json:"word_offset,omitempty"`
	WorkGroup   [3]uint64 `json:"work_group"`
	SubGroup    int       `json:"sub_group"`
	Lanes       []int     `json:"lanes"`
	Count       uint64    `json:"count"`
}

// elements are the first n elements of an array. As JSON they are a list of numbers, vectors lists in it; what JSON has
// no exact number for is a string, and so are all forms of --print but plain numbers.
type elements struct {
	array  *value.Array
	n      int
	format value.Format
}

// MarshalJSON writes the list.
func (e elements) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range e.n {
		if i > 0 {
			b.WriteByte(',')
		}
		text := e.array.Element(i, e.format)
		parts, vector := strings.CutPrefix(text, "<")
		if !vector {
			writeNumber(&b, text)
			continue
		}
		b.WriteByte('[')
		for j, p := range strings.Split(strings.TrimSuffix(parts, ">"), ",") {
			if j > 0 {
				b.WriteByte(',')
			}
			writeNumber(&b, p)
		}
		b.WriteByte(']')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// writeNumber writes a number that every reader of JSON gets exactly as such, and anything else as a string.
func writeNumber(b *bytes.Buffer, text string) {
	exact := len(text) <= 15 || strings.ContainsAny(text, ".e")
	if exact && json.Valid([]byte(text)) && text != "true" && text != "false" && text != "null" {
		b.WriteString(text)
		return
	}
	fmt.Fprintf(b, "%q", text)
}

// newRunReport tells a run, without buffers. The result is nil where the device refused to run.
func newRunReport(d named, moduleName string, result *runner.Result, err error) *runReport {
	r := &runReport{Device: d.selector, Module: moduleName, Steps: []stepReport{}, Buffers: []bufferReport{}, Findings: []findingReport{},
		facts: d.Facts()}
	if err != nil {
		r.Error = err.Error()
	}
	if result == nil {
		return r
	}
	r.Notes = result.Notes
	for _, s := range result.Steps {
		step := stepReport{Kernel: s.Kernel, Log: s.Log}
		if p := s.Report; p != nil {
			step.SubGroupSize, step.Local, step.Groups = p.SubGroupSize, p.Local, p.Groups
			step.DeviceNanoseconds, step.WallNanoseconds, step.Instructions = p.Device.Nanoseconds(), p.Wall.Nanoseconds(), p.Instructions
		}
		r.Steps = append(r.Steps, step)
	}
	findings, more := result.Findings()
	r.MoreFindings = more
	for _, f := range findings {
		r.Findings = append(r.Findings, findingReport(f))
	}
	return r
}

// choose picks the buffers to show: those that --print names, whole, or else the first elements of those that changed.
func (r *runReport) choose(result *runner.Result, shows []show) error {
	for _, s := range shows {
		b, err := result.Buffer(s.buffer)
		if err != nil {
			return err
		}
		if b.Final == nil {
			return b.Err
		}
		array, err := s.of(b.Final)
		if err != nil {
			return err
		}
		r.Buffers = append(r.Buffers, newBufferReport(b, array, array.Count, s.format))
	}
	if len(shows) > 0 {
		return nil
	}
	for i := range result.Buffers {
		if b := &result.Buffers[i]; b.Changed {
			r.Buffers = append(r.Buffers, newBufferReport(b, b.Final, min(b.Final.Count, firstElements), value.Format{}))
		} else if b.Err != nil {
			return b.Err
		}
	}
	return nil
}

func newBufferReport(b *runner.BufferResult, array *value.Array, n int, f value.Format) bufferReport {
	return bufferReport{Name: b.Name, Aliases: b.Aliases, Type: array.Type.String(), Count: array.Count, Changed: b.Changed,
		Data: elements{array, n, f}, Omitted: array.Count - n}
}

// text prints the run for people.
func (r *runReport) text(b io.Writer, verbose bool) error {
	if verbose {
		r.stepsText(b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	if len(r.Steps) == 0 {
		fmt.Fprintf(b, "%s: did not run: %s\n", r.Device, r.Error)
	} else if len(r.Buffers) == 0 && r.Error == "" {
		io.WriteString(b, "no buffer changed\n")
	}
	for i := range r.Buffers {
		buf := &r.Buffers[i]
		fmt.Fprintf(b, "%s: %s[%d]", buf.Name, buf.Type, buf.Count)
		if !buf.Changed {
			io.WriteString(b, ", unchanged")
		}
		if buf.Omitted > 0 {
			fmt.Fprintf(b, ", the first %d of %d (--print %s shows all)", buf.Data.n, buf.Count, buf.Name)
		}
		io.WriteString(b, "\n")
		if err := writeArray(b, buf.Data.array, buf.Data.n, buf.Data.format, "  "); err != nil {
			return err
		}
	}
	r.expectedText(b)
	for i := range r.Findings {
		io.WriteString(b, "\n")
		r.Findings[i].text(b)
	}
	if r.MoreFindings > 0 {
		fmt.Fprintf(b, "\nand %d findings more\n", r.MoreFindings)
	}
	return nil
}

// expectedText prints what came of --expect.
func (r *runReport) expectedText(b io.Writer) {
	for _, e := range r.Expected {
		fmt.Fprintln(b, e.summary())
		for _, d := range e.First {
			fmt.Fprintf(b, "  %v\n", d)
		}
		if more := e.Different - len(e.First); more > 0 {
			fmt.Fprintf(b, "  and %d more\n", more)
		}
	}
}

// stepsText prints where and how the steps ran.
func (r *runReport) stepsText(b io.Writer) {
	for _, s := range r.Steps {
		t := newTable(leftColumns(2)...)
		t.row("kernel", s.Kernel)
		t.row("device", r.Device+" ("+r.facts.Name+")")
		if s.SubGroupSize > 0 {
			t.row("work-groups", fmt.Sprintf("%s of %s work-items", sizeText(s.Groups), sizeText(s.Local)))
			t.row("sub-group size", fmt.Sprint(s.SubGroupSize))
		}
		if s.DeviceNanoseconds > 0 {
			t.row("device time", time.Duration(s.DeviceNanoseconds).String())
		}
		if s.WallNanoseconds > 0 {
			t.row("time", time.Duration(s.WallNanoseconds).Round(time.Microsecond).String())
		}
		if s.Instructions > 0 {
			t.row("instructions", fmt.Sprint(s.Instructions))
		}
		if s.Log != "" {
			t.row("log", strings.TrimSpace(s.Log))
		}
		io.WriteString(b, t.String())
		if r.facts.Backend == "emu" && s.SubGroupSize > 0 { // no API tells how other devices lay work-items out
			io.WriteString(b, laneMap(s.Local, s.SubGroupSize))
		}
		io.WriteString(b, "\n")
	}
}

// laneMapRows is how many sub-groups the map of lanes shows.
const laneMapRows = 16

// laneMap prints which work-items of a work-group are in which sub-group, in which lanes. The emulator numbers work-items
// with the first dimension fastest and cuts them into sub-groups in that order.
func laneMap(local [3]uint64, size int) string {
	items := local[0] * local[1] * local[2]
	id := func(i uint64) string {
		if local[1] == 1 && local[2] == 1 {
			return fmt.Sprint(i)
		}
		return fmt.Sprintf("%d,%d,%d", i%local[0], i/local[0]%local[1], i/local[0]/local[1])
	}
	t := newTable(left, right, left)
	t.head("local id", "sub-group", "lanes")
	n := uint64(size)
	groups := (items + n - 1) / n
	for g := range min(groups, laneMapRows) {
		first, last := g*n, min(g*n+n, items)-1
		note := ""
		if last-first+1 < n {
			note = " (partial)"
		}
		span := id(first)
		lanes := "0"
		if last > first {
			span += " to " + id(last)
			lanes = fmt.Sprintf("0 to %d", last-first)
		}
		t.row(span, fmt.Sprint(g), lanes+note)
	}
	s := t.String()
	if groups > laneMapRows {
		s += fmt.Sprintf("and so on, %d sub-groups\n", groups)
	}
	return s
}

// sizeText prints a size in three dimensions without the ones at its end.
func sizeText(s [3]uint64) string {
	switch {
	case s[2] > 1:
		return fmt.Sprintf("%d,%d,%d", s[0], s[1], s[2])
	case s[1] > 1:
		return fmt.Sprintf("%d,%d", s[0], s[1])
	}
	return fmt.Sprint(s[0])
}

// text prints one finding for people.
func (f *findingReport) text(b io.Writer) {
	fmt.Fprintf(b, "%s: %s\n", f.Check, f.Message)
	t := newTable(leftColumns(2)...)
	if f.Instruction != "" {
		t.row("instruction", f.Instruction)
	}
	if f.Function != "" {
		t.row("function", f.Function)
	}
	if f.WordOffset > 0 {
		t.row("word offset", fmt.Sprint(f.WordOffset))
	}
	t.row("work-group", fmt.Sprintf("%d,%d,%d", f.WorkGroup[0], f.WorkGroup[1], f.WorkGroup[2]))
	t.row("sub-group", fmt.Sprint(f.SubGroup))
	t.row("lanes", strings.Trim(fmt.Sprint(f.Lanes), "[]"))
	if f.Count > 1 {
		t.row("seen", fmt.Sprintf("%d times", f.Count))
	}
	io.WriteString(b, indent(t.String(), "  "))
}

// writeRuns writes the reports of "sgrun run".
func (a *app) writeRuns(f *runFlags, all []*runReport) error {
	switch f.rep.format.value {
	case "json":
		return a.writeJSON(f.rep.file, all)
	case "junit":
		return a.writeTo(f.rep.file, junitRuns(all[0]).WriteJUnit)
	}
	return a.writeTo(f.rep.file, func(w io.Writer) error { // not by way of a string: a buffer may be large
		for i, r := range all {
			if i > 0 {
				io.WriteString(w, "\n")
			}
			if err := r.text(w, f.verbose || len(all) > 1); err != nil {
				return err
			}
		}
		return nil
	})
}
