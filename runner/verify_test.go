package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sgrun/sgrun/runner/device"
)

// addVectors makes a vector file whose cases add two arrays; each case may change the fields of the good one.
func addVectors(topic string, cases ...map[string]any) []byte {
	var list []map[string]any
	for i, change := range cases {
		c := map[string]any{
			"name": fmt.Sprintf("case%d", i), "from": "by hand", "module": "add", "requires": []string{"Kernel"},
			"buffers": map[string]any{"a": "u32[4]:1,2,3,4", "b": "u32[4]:10", "out": "u32[4]"},
			"steps":   []any{map[string]any{"global": []int{4}, "args": map[string]any{"a": "&a", "b": "&b", "out": "&out", "n": 4, "scale": 1}}},
			"expect":  map[string]any{"out": "11,12,13,14"},
		}
		for k, v := range change {
			c[k] = v
		}
		list = append(list, c)
	}
	data, err := json.Marshal(map[string]any{"topic": topic, "about": "x", "cases": list})
	if err != nil {
		panic(err)
	}
	return data
}

var none = map[string]any{}

func verify(t *testing.T, dev device.Device, vectors fstest.MapFS, opt VerifyOptions, patterns ...string) *VerifyReport {
	t.Helper()
	r, err := Verify(context.Background(), dev, vectors, catalogue(), patterns, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestVerify(t *testing.T) {
	vectors := fstest.MapFS{
		"b.json": {Data: addVectors("second", none, map[string]any{"module": "nosuch"})},
		"a.json": {Data: addVectors("first",
			none,
			map[string]any{"expect": map[string]any{"out": "11,12,13,15"}},
			map[string]any{"requires": []string{"Kernel", "Float64", "SubgroupBitcastShuffleINTEL"}},
			map[string]any{"steps": []any{map[string]any{"global": []int{4}, "sub_group_size": 128, "args": map[string]any{"a": "&a", "b": "&b", "out": "&out", "n": 4, "scale": 1}}}},
			map[string]any{"steps": []any{map[string]any{"global": []int{4}, "args": map[string]any{"a": "&a"}}}},
		)},
		"notes.txt": {Data: []byte("not a vector file")},
	}
	dev := newFake()
	var progress []string
	r := verify(t, dev, vectors, VerifyOptions{Progress: func(done, total int, row *VerifyRow) {
		progress = append(progress, fmt.Sprintf("%d/%d %s", done, total, row.ID()))
	}})
	var got []string
	for _, row := range r.Rows {
		got = append(got, fmt.Sprintf("%s %s %s: %s", row.ID(), row.Outcome, row.Kind, row.Reason))
	}
	want := []string{
		"first/case0 passed : ",
		"first/case1 failed values: out: 1 of 4 numbers differ (exact bits), the first at [3]: got 14 (0x0000000e), want 15 (0x0000000f), work-group 0, sub-group 0, lane 3",
		"first/case2 unsupported missing-capability: the fake device lacks capability Float64, capability SubgroupBitcastShuffleINTEL",
		"first/case3 unsupported sub-group-size: the fake device has no sub-groups of 128 lanes; it has 8 16",
		"first/case4 faulted missing-argument: 4 of 5 arguments of add are missing",
		"second/case0 passed : ",
		`second/case1 faulted no-module: there is no module "nosuch" in the catalogue`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Passed != 2 || r.Failed != 3 || r.Unsupported != 2 || r.Selected != 7 || r.ExitStatus() != 2 {
		t.Errorf("%s, exit status %d", r.Summary(), r.ExitStatus())
	}
	if len(progress) != 7 || progress[6] != "7/7 second/case1" {
		t.Errorf("progress %q", progress)
	}
	if dev.builds != 1 || dev.open != 0 || dev.buffer != 0 {
		t.Errorf("%d builds; %d programs and %d buffers are open", dev.builds, dev.open, dev.buffer)
	}
	if _, rows := r.Table(); len(rows) != 2 || strings.Join(rows[0][:4], " ") != "first 1 2 2" || !strings.HasSuffix(rows[0][4], "(and 3 other reasons)") {
		t.Errorf("table %q", rows)
	}
}

// A device that does nothing passes no case; one that leaves a single byte unwritten passes none either, whatever is
// expected there.
func TestVerifyCanFail(t *testing.T) {
	expected := []string{"0", "0xa5a5a5a5", "0x5a5a5a5a", "0xffffffff", "0xa5"}
	var cases []map[string]any
	for _, x := range expected {
		cases = append(cases, map[string]any{"buffers": map[string]any{"a": "u32[4]:" + x, "b": "u32[4]:0", "out": "u32[4]"}, "expect": map[string]any{"out": x}})
	}
	vectors := fstest.MapFS{"a.json": {Data: addVectors("adding", cases...)}}
	dev := newFake()
	if r := verify(t, dev, vectors, VerifyOptions{}); r.Passed != len(expected) {
		t.Errorf("the right device: %s", r.Summary())
	}
	dev.kernels["add"] = func(context.Context, *device.Dispatch) (*device.Report, error) { return &device.Report{}, nil }
	if r := verify(t, dev, vectors, VerifyOptions{}); r.Failed != len(expected) || r.ExitStatus() != 1 {
		t.Errorf("a device that does nothing: %s", r.Summary())
	}
	dev.kernels["add"] = func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
		before := append([]byte{}, words(d.Args[2], 0)...)
		r, err := fakeAdd(ctx, d)
		words(d.Args[2], 0)[9] = before[9]
		return r, err
	}
	if r := verify(t, dev, vectors, VerifyOptions{}); r.Failed != len(expected) {
		t.Errorf("a device that leaves a byte: %s", r.Summary())
	}
}

func TestVerifyFaults(t *testing.T) {
	vectors := fstest.MapFS{"a.json": {Data: addVectors("adding", none)}}
	for _, c := range []struct {
		name   string
		kernel func(context.Context, *device.Dispatch) (*device.Report, error)
		kind   string
		status int
	}{
		{"fault", func(context.Context, *device.Dispatch) (*device.Report, error) {
			return nil, &device.Error{Class: device.Fault, Kind: "out-of-bounds", Message: "x", Where: []device.Place{{Key: "instruction", Value: "OpLoad"}}}
		}, "out-of-bounds", 5},
		{"panic", func(context.Context, *device.Dispatch) (*device.Report, error) { panic("x") }, "panic", 6},
		{"timeout", func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, "timeout", 5},
		{"finding", func(ctx context.Context, d *device.Dispatch) (*device.Report, error) {
			r, err := fakeAdd(ctx, d)
			r.Findings = []device.Finding{{Check: "undefined", Kind: "partial-sub-group", Message: "x"}}
			return r, err
		}, "partial-sub-group", 5},
		{"module", func(context.Context, *device.Dispatch) (*device.Report, error) {
			return nil, &device.Error{Class: device.Module, Kind: "invalid-module", Message: "x"}
		}, "invalid-module", 4},
	} {
		dev := newFake()
		dev.kernels["add"] = c.kernel
		r := verify(t, dev, vectors, VerifyOptions{Timeout: 20 * time.Millisecond})
		if row := r.Rows[0]; row.Outcome != Faulted || row.Kind != c.kind || r.ExitStatus() != c.status || r.Failed != 1 {
			t.Errorf("%s: %+v, exit status %d", c.name, row, r.ExitStatus())
		}
	}
}

func TestVerifyUnsupported(t *testing.T) {
	vectors := fstest.MapFS{"a.json": {Data: addVectors("adding", map[string]any{"requires": []string{"Float64"}}, none)}}
	dev := newFake()
	if r := verify(t, dev, vectors, VerifyOptions{}); r.ExitStatus() != 0 || r.Unsupported != 1 {
		t.Errorf("some unsupported: %s, %d", r.Summary(), r.ExitStatus())
	}
	if r := verify(t, dev, vectors, VerifyOptions{}, "case0"); r.ExitStatus() != 3 || r.Selected != 1 {
		t.Errorf("nothing ran: %s, %d", r.Summary(), r.ExitStatus())
	}
	r := verify(t, dev, vectors, VerifyOptions{Require: []string{"adding/*"}})
	if r.ExitStatus() != 3 || r.Failed != 1 || r.Rows[0].Reason != "required, but the fake device lacks capability Float64" {
		t.Errorf("required: %s, %d, %+v", r.Summary(), r.ExitStatus(), r.Rows[0])
	}
	dev.facts.Backend, dev.facts.Profile = "emu", "generic"
	if r := verify(t, dev, vectors, VerifyOptions{}); r.ExitStatus() != 3 || r.Failed != 1 {
		t.Errorf("emu:generic: %s, %d", r.Summary(), r.ExitStatus())
	}
	dev.facts.Profile = "bmg"
	if r := verify(t, dev, vectors, VerifyOptions{}); r.ExitStatus() != 0 {
		t.Errorf("emu:bmg: %s, %d", r.Summary(), r.ExitStatus())
	}
	dev.facts.Executes = false
	if r := verify(t, dev, vectors, VerifyOptions{}); r.ExitStatus() != 3 || r.Unsupported != 2 || !strings.Contains(r.Rows[1].Reason, "does not compute") {
		t.Errorf("a device that computes nothing: %s, %d", r.Summary(), r.ExitStatus())
	}
	dev = newFake()
	dev.buildErr = &device.Error{Class: device.Unsupported, Kind: "missing-type", Message: "no 64-bit integers"}
	if r := verify(t, dev, vectors, VerifyOptions{}); r.Unsupported != 2 || r.Rows[1].Reason != "no 64-bit integers" {
		t.Errorf("a device that refuses the module: %+v", r.Rows)
	}
}

func TestVerifyStopped(t *testing.T) {
	vectors := fstest.MapFS{"a.json": {Data: addVectors("adding", none, none, none)}}
	vectors["a.json"].Data = bytes.Replace(vectors["a.json"].Data, []byte("case1"), []byte("case_b"), 1)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Verify(ctx, newFake(), vectors, catalogue(), nil, VerifyOptions{Progress: func(done, total int, row *VerifyRow) { cancel() }})
	if err != context.Canceled || r == nil || len(r.Rows) != 1 || ExitStatus(err) != 5 {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"shuffle", "bitcast-shuffle/x", true}, {"x/y", "a/x/y/b", true}, {"z", "a/x", false}, {"", "a", true},
		{"*", "a/b", true}, {"a*", "a/b", true}, {"*b", "a/b", true}, {"a*c", "a/b", false}, {"a?b", "a/b", true}, {"a?", "a", false},
		{"*/sg8/*", "u32/sg8/example", true}, {"*/sg8", "u32/sg8/example", false}, {"a**b*", "aXbY", true}, {"*a*a*", "a", false}, {"?", "", false},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
	vectors := fstest.MapFS{"a.json": {Data: addVectors("adding", none, none)}, "b.json": {Data: addVectors("other", none)}}
	vectors["a.json"].Data = bytes.Replace(vectors["a.json"].Data, []byte("case1"), []byte("more/b"), 1)
	dev := newFake()
	r := verify(t, dev, vectors, VerifyOptions{}, "other", "*more*")
	if len(r.Rows) != 2 || r.Rows[0].ID() != "adding/more/b" || r.Rows[1].ID() != "other/case0" {
		t.Errorf("selected %+v", r.Rows)
	}
	_, err := Verify(context.Background(), dev, vectors, catalogue(), []string{"othr"}, VerifyOptions{})
	wantError(t, "no match", err, device.Usage, `no case matches "othr"`, "try: other; or one of the topics adding (2), other (1)")
	_, err = Verify(context.Background(), dev, vectors, catalogue(), nil, VerifyOptions{Require: []string{"nothing*"}})
	wantError(t, "required pattern", err, device.Usage, `no case matches "nothing*"`)
	_, err = Verify(context.Background(), dev, fstest.MapFS{}, catalogue(), nil, VerifyOptions{})
	wantError(t, "no vectors", err, device.Usage, "there is no vector file")
	vectors["c.json"] = vectors["b.json"]
	_, err = Verify(context.Background(), dev, vectors, catalogue(), nil, VerifyOptions{})
	wantError(t, "topic twice", err, device.Usage, `c.json has the topic "other", which b.json has too`)
}

func TestShards(t *testing.T) {
	vectors := fstest.MapFS{"a.json": {Data: addVectors("adding", none, none, none, none, none)}}
	seen := map[string]int{}
	for i := 1; i <= 3; i++ {
		s, err := ParseShard(fmt.Sprintf("%d/3", i))
		if err != nil {
			t.Fatal(err)
		}
		r := verify(t, newFake(), vectors, VerifyOptions{Shard: s})
		if r.Shard.Index != i || r.Selected != 5 {
			t.Errorf("shard %d: %+v", i, r.Shard)
		}
		for _, row := range r.Rows {
			seen[row.Name]++
		}
	}
	if len(seen) != 5 {
		t.Errorf("the shards ran %v", seen)
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s ran %d times", name, n)
		}
	}
	if r := verify(t, newFake(), vectors, VerifyOptions{Shard: Shard{7, 9}}); r.ExitStatus() != 0 || len(r.Rows) != 0 {
		t.Errorf("a shard without cases: %d", r.ExitStatus())
	}
	for _, text := range []string{"", "1", "0/3", "4/3", "x/3", "1/x", "-1/3", "1/2/3"} {
		_, err := ParseShard(text)
		wantError(t, text, err, device.Usage, "is no shard", "I from 1 to N")
	}
	for _, c := range []struct {
		env  map[string]string
		want Shard
		bad  bool
	}{
		{map[string]string{}, Shard{}, false},
		{map[string]string{"TEST_SHARD_INDEX": "0", "TEST_TOTAL_SHARDS": "4"}, Shard{0, 4}, false},
		{map[string]string{"GTEST_SHARD_INDEX": "3", "GTEST_TOTAL_SHARDS": "4"}, Shard{3, 4}, false},
		{map[string]string{"TEST_SHARD_INDEX": "1", "TEST_TOTAL_SHARDS": "2", "GTEST_SHARD_INDEX": "3", "GTEST_TOTAL_SHARDS": "4"}, Shard{1, 2}, false},
		{map[string]string{"TEST_SHARD_INDEX": "4", "TEST_TOTAL_SHARDS": "4"}, Shard{}, true},
		{map[string]string{"TEST_TOTAL_SHARDS": "4"}, Shard{}, true},
		{map[string]string{"GTEST_SHARD_INDEX": "x", "GTEST_TOTAL_SHARDS": "4"}, Shard{}, true},
	} {
		got, err := ShardFromEnv(func(k string) string { return c.env[k] })
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%v: %v, %v", c.env, got, err)
		}
	}
}

// Cases of different modules run in parallel; the rows keep their order.
func TestVerifyParallel(t *testing.T) {
	source, err := fs.ReadFile(catalogue(), "add.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	vectors := fstest.MapFS{}
	var cases []map[string]any
	for i := range 40 {
		module := fmt.Sprintf("m%d", i%8)
		vectors[module+".spvasm"] = &fstest.MapFile{Data: source} // a module beside the vectors
		cases = append(cases, map[string]any{"module": module})
	}
	vectors["a.json"] = &fstest.MapFile{Data: addVectors("adding", cases...)}
	dev := newFake()
	r := verify(t, dev, vectors, VerifyOptions{Parallel: 4})
	if r.Passed != 40 || dev.builds != 8 || dev.open != 0 {
		t.Errorf("%s, %d builds, %d open", r.Summary(), dev.builds, dev.open)
	}
	for i, row := range r.Rows {
		if row.Name != fmt.Sprintf("case%d", i) {
			t.Fatalf("row %d is %s", i, row.Name)
		}
	}
}

func TestReports(t *testing.T) {
	r := &VerifyReport{Schema: ReportSchema, Device: DeviceSummary{Backend: "fake", Name: "a <device> & \x01more"}, Selected: 4}
	one := 1
	r.add(VerifyRow{Topic: "t", Name: "ok", Outcome: Passed, Seconds: 0.5, Notes: []string{"lowered"}})
	r.add(VerifyRow{Topic: "t", Name: "bad", Outcome: Failed, Kind: "values", Reason: "out: 1 of 2\nmore", Module: "m", From: "oracle", Differences: []Outcome{{"out", &Diff{2, 9, []Difference{{Element: 1, Component: &one, Got: "1", Want: "2", GotHex: "0x1", WantHex: "0x2", Lane: &Lane{1, 0, 0, 1}}}}}}, Seconds: 0.25, status: 1})
	r.add(VerifyRow{Topic: "u", Name: "fault", Outcome: Faulted, Kind: "timeout", Reason: "too slow", Places: []Place{{"kernel", "k"}}, status: 5})
	r.add(VerifyRow{Topic: "u", Name: "no", Outcome: Unsupported, Reason: "no f64"})
	var b bytes.Buffer
	if err := r.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sgrun verify" tests="4" failures="1" errors="1" skipped="1" time="0.000000">
  <testsuite name="t" tests="2" failures="1" errors="0" skipped="0" time="0.750000">
    <properties>
      <property name="device.backend" value="fake"></property>
      <property name="device.name" value="a &lt;device&gt; &amp; ` + "\ufffd" + `more"></property>
    </properties>
    <testcase classname="sgrun.t" name="ok" time="0.500000">
      <system-out>lowered</system-out>
    </testcase>
    <testcase classname="sgrun.t" name="bad" time="0.250000">
      <failure message="out: 1 of 2" type="values">out: 1 of 2&#xA;more&#xA;  module: m&#xA;  expected values: oracle&#xA;  out[1].1: got 1 (0x1), want 2 (0x2), work-group 0, sub-group 0, lane 1&#xA;  out: and 8 more&#xA;</failure>
    </testcase>
  </testsuite>
  <testsuite name="u" tests="2" failures="0" errors="1" skipped="1" time="0.000000">
    <properties>
      <property name="device.backend" value="fake"></property>
      <property name="device.name" value="a &lt;device&gt; &amp; ` + "\ufffd" + `more"></property>
    </properties>
    <testcase classname="sgrun.u" name="fault" time="0.000000">
      <error message="too slow" type="timeout">too slow&#xA;  module: &#xA;  expected values: &#xA;  kernel: k&#xA;</error>
    </testcase>
    <testcase classname="sgrun.u" name="no" time="0.000000">
      <skipped message="unsupported: no f64"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
		t.Errorf("the XML does not parse: %v", err)
	}
	data, err := json.Marshal(r.Rows[1])
	wantJSON := `{"topic":"t","name":"bad","module":"m","from":"oracle","outcome":"failed","kind":"values","reason":"out: 1 of 2\nmore","differences":[{"name":"out","diff":{"numbers":2,"different":9,"first":[{"element":1,"component":1,"got":"1","want":"2","got_bits":"0x1","want_bits":"0x2","lane":{"work_item":1,"work_group":0,"sub_group":0,"lane":1}}]}}],"seconds":0.25}`
	if err != nil || string(data) != wantJSON {
		t.Errorf("got\n%s\nwant\n%s (%v)", data, wantJSON, err)
	}
	if r.ExitStatus() != 5 || r.Summary() != "1 passed, 2 failed, 1 unsupported" {
		t.Errorf("%d, %s", r.ExitStatus(), r.Summary())
	}
}
