package runner

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
)

// ReportSchema names the shape of the JSON reports; it changes when a reader of the old shape would be misled.
const ReportSchema = "sgrun-verify/1"

// VerifyReport is what came of a verification. Its JSON is described in docs/vectors.md.
type VerifyReport struct {
	Schema      string        `json:"schema"`
	Device      DeviceSummary `json:"device"`
	Patterns    []string      `json:"patterns,omitempty"`
	Shard       *ShardInfo    `json:"shard,omitempty"`
	Selected    int           `json:"selected"` // cases in all shards
	Passed      int           `json:"passed"`
	Failed      int           `json:"failed"` // faulted ones included
	Unsupported int           `json:"unsupported"`
	Seconds     float64       `json:"seconds"`
	Rows        []VerifyRow   `json:"rows"`
}

// ShardInfo is the shard a report covers; Index counts from 1.
type ShardInfo struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// DeviceSummary says what ran the cases.
type DeviceSummary struct {
	Backend string `json:"backend"`
	Name    string `json:"name"`
	Profile string `json:"profile,omitempty"`
	Vendor  string `json:"vendor,omitempty"`
	Driver  string `json:"driver,omitempty"`
	Version string `json:"version,omitempty"`
}

func summary(f *device.Facts) DeviceSummary {
	return DeviceSummary{f.Backend, f.Name, f.Profile, f.Vendor, f.Driver, f.Version}
}

// VerifyRow is one case.
type VerifyRow struct {
	Topic   string `json:"topic"`
	Name    string `json:"name"`
	Module  string `json:"module"`
	From    string `json:"from"` // where the expected values come from
	Outcome string `json:"outcome"`
	// Kind is a short stable word for why: "values", "required", or that of the device's error.
	Kind   string `json:"kind,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Places are those of the device's error, outermost first.
	Places       []Place   `json:"where,omitempty"`
	Differences  []Outcome `json:"differences,omitempty"`
	SubGroupSize int       `json:"sub_group_size,omitempty"` // that ran
	Notes        []string  `json:"notes,omitempty"`          // lowered, …
	Seconds      float64   `json:"seconds"`

	status int // exit status, of failed and faulted rows
}

// Place is one part of where an error happened.
type Place struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func places(list []device.Place) []Place {
	var out []Place
	for _, p := range list {
		out = append(out, Place(p))
	}
	return out
}

// ID is the case's name among all: "topic/name".
func (r *VerifyRow) ID() string { return r.Topic + "/" + r.Name }

func (r *VerifyReport) add(row VerifyRow) {
	switch row.Outcome {
	case Passed:
		r.Passed++
	case Unsupported:
		r.Unsupported++
	default:
		r.Failed++
	}
	r.Rows = append(r.Rows, row)
}

// ExitStatus is that of sgrun verify: 0 where cases passed and none failed; 3 where nothing ran, because the device lacks
// what every case needs, or where cases failed only because they are required; otherwise what the failures say, the first
// of 6 (a bug in sgrun), 5 (a kernel misbehaved), 4 (an invalid module), 2 (a vector file that asks for what the module does
// not have), 1 (a value differed) that occurs. A shard that no case falls into has nothing to do and gives 0.
func (r *VerifyReport) ExitStatus() int {
	if len(r.Rows) == 0 && r.Shard != nil {
		return 0
	}
	statuses := map[int]bool{}
	for _, row := range r.Rows {
		switch {
		case row.Kind == "required":
			statuses[3] = true
		case row.Outcome == Failed, row.Outcome == Faulted:
			statuses[row.status] = true
		}
	}
	if len(statuses) == 0 && r.Passed == 0 {
		return 3
	}
	return worst(statuses)
}

// Summary says in one line how many passed, failed and were unsupported.
func (r *VerifyReport) Summary() string {
	s := fmt.Sprintf("%d passed, %d failed, %d unsupported", r.Passed, r.Failed, r.Unsupported)
	if r.Shard != nil {
		s += fmt.Sprintf(" (shard %d of %d, %d cases in all)", r.Shard.Index, r.Shard.Count, r.Selected)
	}
	return s
}

// Table returns the rows as text for a table: by topic how many passed, failed and were unsupported, and why.
func (r *VerifyReport) Table() (header []string, rows [][]string) {
	type topic struct {
		name                        string
		passed, failed, unsupported int
		reasons                     []string
	}
	var topics []*topic
	byName := map[string]*topic{}
	for i := range r.Rows {
		row := &r.Rows[i]
		t := byName[row.Topic]
		if t == nil {
			t = &topic{name: row.Topic}
			byName[row.Topic] = t
			topics = append(topics, t)
		}
		switch row.Outcome {
		case Passed:
			t.passed++
			continue
		case Unsupported:
			t.unsupported++
		default:
			t.failed++
		}
		reason := firstLine(row.Reason)
		known := false
		for _, have := range t.reasons {
			known = known || have == reason
		}
		if !known {
			t.reasons = append(t.reasons, reason)
		}
	}
	for _, t := range topics {
		why := ""
		if n := len(t.reasons); n > 0 {
			why = t.reasons[0]
			if n > 1 {
				why += fmt.Sprintf(" (and %d other reasons)", n-1)
			}
		}
		rows = append(rows, []string{t.name, strconv.Itoa(t.passed), strconv.Itoa(t.failed), strconv.Itoa(t.unsupported), why})
	}
	return []string{"topic", "passed", "failed", "unsupported", "why"}, rows
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// The elements of the JUnit XML that test reporters read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		seconds    float64
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Time    string     `xml:"time,attr"`
		Failure *junitText `xml:"failure"`
		Error   *junitText `xml:"error"`
		Skipped *junitText `xml:"skipped"`
		Output  string     `xml:"system-out,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML: a testsuite for each topic with the device as properties; failed cases as
// failure, faulted ones as error, unsupported ones as skipped. Characters XML cannot hold become U+FFFD.
func (r *VerifyReport) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: "sgrun verify", Time: seconds(r.Seconds)}
	at := map[string]int{}
	for i := range r.Rows {
		row := &r.Rows[i]
		k, ok := at[row.Topic]
		if !ok {
			k = len(all.Suites)
			at[row.Topic] = k
			all.Suites = append(all.Suites, junitSuite{Name: row.Topic, Properties: r.Device.properties()})
		}
		s := &all.Suites[k]
		c := junitCase{Class: "sgrun." + row.Topic, Name: row.Name, Time: seconds(row.Seconds), Output: strings.Join(row.Notes, "\n")}
		switch row.Outcome {
		case Failed:
			c.Failure = &junitText{firstLine(row.Reason), row.Kind, row.Detail()}
			s.Failures++
		case Faulted:
			c.Error = &junitText{firstLine(row.Reason), row.Kind, row.Detail()}
			s.Errors++
		case Unsupported:
			c.Skipped = &junitText{Message: "unsupported: " + firstLine(row.Reason)}
			s.Skipped++
		}
		s.Tests++
		s.seconds += row.Seconds
		s.Time = seconds(s.seconds)
		s.Cases = append(s.Cases, c)
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 6, 64) }

func (d DeviceSummary) properties() []junitProperty {
	var out []junitProperty
	for _, p := range []junitProperty{{"device.backend", d.Backend}, {"device.name", d.Name}, {"device.profile", d.Profile}, {"device.vendor", d.Vendor}, {"device.driver", d.Driver}, {"device.version", d.Version}} {
		if p.Value != "" {
			out = append(out, p)
		}
	}
	return out
}

// Detail is all there is to say about a case that did not pass, line by line.
func (r *VerifyRow) Detail() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n  module: %s\n  expected values: %s\n", r.Reason, r.Module, r.From)
	for _, p := range r.Places {
		fmt.Fprintf(&s, "  %s: %s\n", p.Key, p.Value)
	}
	for _, o := range r.Differences {
		for _, d := range o.Diff.First {
			fmt.Fprintf(&s, "  %s%v\n", o.Name, d)
		}
		if more := o.Diff.Different - len(o.Diff.First); more > 0 {
			fmt.Fprintf(&s, "  %s: and %d more\n", o.Name, more)
		}
	}
	return s.String()
}
