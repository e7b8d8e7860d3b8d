package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sgrunOutput runs a command line that must succeed silently and returns what it writes to standard output.
func sgrunOutput(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(args, strings.NewReader(""), &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Fatalf("sgrun %s: status %d, %s", strings.Join(args, " "), status, &stderr)
	}
	return stdout.String()
}

// TestExplainText holds the command against tables copied by hand: the first example of SPV_INTEL_subgroup_bitcast_shuffle,
// revision 1, the pairings of subgroupShuffleXor by mask 1, and the picture of the packing in docs/subgroups-and-vnni.md.
func TestExplainText(t *testing.T) {
	for command, want := range map[string]string{
		"bitcast-shuffle --from u32 --to v2u16 --sub-group-size 8": `
Invocation:  0       1       2       3       4       5       6       7
Operand:     0|1     2|3     4|5     6|7     8|9     10|11   12|13   14|15
Result:      <0,8>   <1,9>   <2,10>  <3,11>  <4,12>  <5,13>  <6,14>  <7,15>

`,
		"shuffle-xor --mask 1 --sub-group-size 8": `
Lane 0 (000) ↔ Lane 1 (001)
Lane 2 (010) ↔ Lane 3 (011)
Lane 4 (100) ↔ Lane 5 (101)
Lane 6 (110) ↔ Lane 7 (111)

`,
		"vnni --bits 16 --rows 4 --cols 3": `
B row 3:       3,0      3,1      3,2

Packed row 0:  0,0|1,0  0,1|1,1  0,2|1,2
Packed row 1:  2,0|3,0  2,1|3,1  2,2|3,2

`,
	} {
		got := sgrunOutput(t, append([]string{"explain"}, strings.Fields(command)...)...)
		if !strings.Contains(got, want) {
			t.Errorf("sgrun explain %s:\n%s\nwant in it\n%s", command, got, want)
		}
	}
	// The names that SPIR-V and GLSL have for them.
	for _, names := range [][2]string{
		{"bitcast-shuffle --from v4u8 --to i32", "OpSubgroupBitcastShuffleINTEL --from v4u8 --to i32"},
		{"shuffle-xor --mask 4", "subgroupShuffleXor --mask 0x4"},
		{"shuffle-xor --mask 4", "OpGroupNonUniformShuffleXor --mask 0b100 --sub-group-size 16"},
	} {
		a := sgrunOutput(t, append([]string{"explain"}, strings.Fields(names[0])...)...)
		b := sgrunOutput(t, append([]string{"explain"}, strings.Fields(names[1])...)...)
		if a != b {
			t.Errorf("explain %s and explain %s differ", names[0], names[1])
		}
	}
}

// docsPictures are the pictures in the documentation and the commands that made them.
func docsPictures() map[string]string {
	return map[string]string{
		"bitcast-shuffle.svg": "bitcast-shuffle --from u32 --to v2u16 --sub-group-size 8",
		"vnni.svg":            "vnni --bits 16 --rows 4 --cols 8",
	}
}

// TestExplainPictures: the pictures in the documentation are what the command draws. Where one differs, look at the new
// one before you put it there: sgrun explain … --format svg -o docs/pictures/FILE.
func TestExplainPictures(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "pictures")
	for file, command := range docsPictures() {
		want, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		got := sgrunOutput(t, append(strings.Fields("explain "+command), "--format", "svg")...)
		if got != string(want) {
			t.Errorf("docs/pictures/%s is not what sgrun explain %s --format svg draws", file, command)
		}
		page := sgrunOutput(t, append(strings.Fields("explain "+command), "--format", "html")...)
		if !strings.HasPrefix(page, "<!DOCTYPE html>") || !strings.Contains(page, got) {
			t.Errorf("sgrun explain %s --format html lacks the picture", command)
		}
	}
	kept, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range kept {
		if docsPictures()[f.Name()] == "" {
			t.Errorf("docs/pictures/%s: nothing says how it was made", f.Name())
		}
	}
}

// TestExplainTerminal: colours are for those who watch and want them.
func TestExplainTerminal(t *testing.T) {
	const command = "explain bitcast-shuffle --from u32 --to v2u16 --sub-group-size 8"
	plain := sgrunOutput(t, strings.Fields(command)...)
	if strings.Contains(plain, "\x1b") {
		t.Error("a pipe gets colours")
	}
	watch := func(env map[string]string, args ...string) string {
		var stdout, stderr bytes.Buffer
		a := &app{out: &stdout, err: &stderr, outTerminal: true, env: func(name string) string { return env[name] }}
		if status := a.main(t.Context(), append(strings.Fields(command), args...)); status != 0 {
			t.Fatal(stderr.String())
		}
		return stdout.String()
	}
	if got := watch(nil); !strings.Contains(got, "\x1b[38;5;16;48;5;") || !strings.Contains(got, "m12\x1b[0m|") {
		t.Errorf("a terminal gets no colours: %q", got)
	}
	if got := watch(map[string]string{"NO_COLOR": "1"}); got != plain {
		t.Errorf("with NO_COLOR: %q", got)
	}
	for _, format := range []string{"svg", "html"} {
		if strings.Contains(watch(nil, "--format", format), "\x1b") {
			t.Errorf("--format %s has a terminal's colours", format)
		}
	}
	file := filepath.Join(t.TempDir(), "table.txt")
	if got := watch(nil, "-o", file); got != "" {
		t.Errorf("besides the file: %q", got)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != plain {
		t.Errorf("the file on a terminal: %q, %v", data, err)
	}
}

// TestExplainOutput: a file appears as a whole or not at all, and what was there stays.
func TestExplainOutput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "picture.svg")
	if err := os.WriteFile(file, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	fail := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if status := run(args, strings.NewReader(""), &stdout, &stderr); status != 2 || stderr.Len() == 0 || stdout.Len() > 0 {
			t.Errorf("%q: status %d, %s", args, status, &stderr)
		}
	}
	fail("explain", "bitcast-shuffle", "--from", "u32", "--to", "u64", "-o", file)
	fail("explain", "vnni", "-o", filepath.Join(dir, "nowhere", "picture.svg"))
	if data, _ := os.ReadFile(file); string(data) != "precious" {
		t.Errorf("a command that failed wrote %q", data)
	}
	if out := sgrunOutput(t, "explain", "vnni", "--format", "svg", "-o", file); out != "" {
		t.Errorf("besides the file: %q", out)
	}
	if data, _ := os.ReadFile(file); string(data) != sgrunOutput(t, "explain", "vnni", "--format", "svg") {
		t.Error("the file is not what standard output gets")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
}

func TestExplainRefused(t *testing.T) {
	for _, c := range []struct {
		command string
		parts   []string // of what is written to standard error
	}{
		{"", []string{"explain wants bitcast-shuffle, shuffle-xor or vnni"}},
		{"vnn", []string{`there is no command "explain vnn"`, "sgrun explain vnni"}},
		{"bitcast-shuffle", []string{"wants --from", "--from u32 --to v2u16"}},
		{"bitcast-shuffle --from u32", []string{"wants --to"}},
		{"bitcast-shuffle --from fnord --to u32", []string{"--from fnord", "v4u64 v8u32 v16u16"}},
		{"bitcast-shuffle --from u32 --to v3u", []string{"--to v3u", "u64 v2u32 v4u16 v8u8"}},
		{"bitcast-shuffle --from u32 --to v4u16", []string{"u32 has 32 bits, v4u16 has 64", "try: from u32 to v2u16, v4u8, i32, f32"}},
		{"bitcast-shuffle --from u32 --to u32", []string{"different types", "from u32 to"}},
		{"bitcast-shuffle --from u32 --to v2u16 --sub-group-size 129", []string{"a sub-group of 129 lanes", "try: --sub-group-size 1 to 128"}},
		{"bitcast-shuffle u32 v2u16 --from u32 --to v2u16", []string{`"u32" is one argument too many`}},
		{"bitcast-shuffle --from u32 --to v2u16 --format png", []string{"text, svg, html"}},
		{"shuffle-xor", []string{"wants --mask", "try: --mask 1"}},
		{"shuffle-xor --mask -1", []string{"--mask -1"}},
		{"shuffle-xor --mask 4294967296", []string{"--mask 4294967296", "out of range"}},
		{"shuffle-xor --mask 1 --sub-group-size 0", []string{"try: --sub-group-size 1 to 128"}},
		{"vnni --bits 32", []string{"elements of 32 bits", "try: --bits 4, 8 or 16"}},
		{"vnni --rows 0", []string{"0 rows", "try: --rows 1 to 64"}},
		{"vnni --cols 999999999", []string{"999999999 columns", "try: --cols 1 to 128"}},
	} {
		var stdout, stderr bytes.Buffer
		status := run(append([]string{"explain"}, strings.Fields(c.command)...), strings.NewReader(""), &stdout, &stderr)
		if status != 2 || stdout.Len() > 0 {
			t.Errorf("sgrun explain %s: status %d, %q", c.command, status, &stdout)
		}
		for _, p := range c.parts {
			if !strings.Contains(stderr.String(), p) {
				t.Errorf("sgrun explain %s: %q is not in\n%s", c.command, p, &stderr)
			}
		}
	}
}

func TestExplainCompletion(t *testing.T) {
	for _, c := range []struct {
		args       []string
		want, lack []string
	}{
		{[]string{"expl"}, []string{"explain"}, nil},
		{[]string{"explain", ""}, []string{"bitcast-shuffle", "shuffle-xor", "vnni"}, nil},
		{[]string{"explain", "bitcast-shuffle", "--from", ""}, []string{"u16", "v2u8", "v16u32"}, nil},
		{[]string{"explain", "bitcast-shuffle", "--to", ""}, []string{"u16", "v2u8", "v16u32"}, nil},
		{[]string{"explain", "bitcast-shuffle", "--from", "u32", "--to", ""}, []string{"v2u16", "v4u8", "f32"}, []string{"u32", "v2u8"}},
		{[]string{"explain", "vnni", "--format", ""}, []string{"text", "svg", "html"}, nil},
		{[]string{"explain", "vnni", "--bits", ""}, []string{"4", "8", "16"}, nil},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(append([]string{"__complete"}, c.args...), strings.NewReader(""), &stdout, &stderr); status != 0 {
			t.Errorf("%q: status %d: %s", c.args, status, &stderr)
		}
		var got []string
		for line := range strings.Lines(stdout.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%q does not offer %s but %q", c.args, w, got)
			}
		}
		for _, w := range c.lack {
			if slices.Contains(got, w) {
				t.Errorf("%q offers %s", c.args, w)
			}
		}
	}
}
