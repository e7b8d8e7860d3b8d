package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the commands print into the files of testdata/cli; read the difference before you keep it")

// A file of testdata/cli is a session: lines "$ COMMAND", each followed by what the command writes: standard output as it
// is, standard error after "! ", and the exit status, if not 0, as "[exit 2]". Lines "# …" are comments. Commands are
// sgrun's only, joined by |, with '…' and "…" around arguments. They run in a folder with copies of testdata/files; what
// changes from run to run is replaced by a word (scrub).
//
// The numbers that kernels compute are judged elsewhere, by the vectors; those here that matter (TestSpecificationExamples)
// are written out by hand.
func TestCLI(t *testing.T) {
	files, err := filepath.Glob("testdata/cli/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			inFiles(t)
			var got strings.Builder
			part := false // an empty line comes before the next command or comment
			for line := range strings.Lines(string(want)) {
				command, ok := strings.CutPrefix(line, "$ ")
				if !ok && !strings.HasPrefix(line, "# ") {
					continue // what a command wrote
				}
				if part {
					got.WriteString("\n")
				}
				got.WriteString(line)
				if part = ok; ok {
					got.WriteString(session(t, strings.TrimSuffix(command, "\n")))
				}
			}
			if *update {
				if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := firstDifference(got.String(), string(want)); d != "" {
				t.Errorf("%s: %s", file, d)
			}
		})
	}
}

// inFiles changes to a folder with copies of testdata/files.
func inFiles(t *testing.T) {
	t.Helper()
	src, err := filepath.Abs("testdata/files")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// session runs one command line and returns what it writes.
func session(t *testing.T, command string) string {
	t.Helper()
	stdout, stderr, status := pipeline(t, command)
	var s strings.Builder
	s.WriteString(scrub(stdout))
	if stdout != "" && !strings.HasSuffix(stdout, "\n") {
		t.Errorf("%s: standard output does not end with a line end", command)
	}
	for line := range strings.Lines(scrub(stderr)) {
		s.WriteString("! " + line)
	}
	if status != 0 {
		fmt.Fprintf(&s, "[exit %d]\n", status)
	}
	return s.String()
}

// pipeline runs commands joined by | and returns the last one's output and status, and everybody's errors.
func pipeline(t *testing.T, command string) (stdout, stderr string, status int) {
	t.Helper()
	var in io.Reader = strings.NewReader("")
	var errs bytes.Buffer
	for _, args := range words(t, command) {
		if len(args) == 0 || args[0] != "sgrun" {
			t.Fatalf("%s: only sgrun can be run", command)
		}
		var out bytes.Buffer
		status = run(args[1:], in, &out, &errs)
		stdout, in = out.String(), &out
	}
	return stdout, errs.String(), status
}

// words cuts a command line into commands and arguments.
func words(t *testing.T, command string) [][]string {
	t.Helper()
	all := [][]string{nil}
	var word strings.Builder
	in, quote := false, rune(0)
	end := func() {
		if in {
			all[len(all)-1] = append(all[len(all)-1], word.String())
		}
		in = false
		word.Reset()
	}
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == '|':
			end()
			all = append(all, nil)
		case r == ' ':
			end()
		default:
			in = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		t.Fatalf("%s: a quote does not end", command)
	}
	end()
	return all
}

var scrubs = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`in \d+\.\d s\n`), "in TIME s\n"},
	{regexp.MustCompile(`(?m)^time( +)\S+$`), "time${1}TIME"},
	{regexp.MustCompile(`address: 0x[0-9a-f]+`), "address: ADDRESS"},
	{regexp.MustCompile(`("wall_nanoseconds"|"seconds"): [0-9.e+-]+`), "$1: TIME"},
	{regexp.MustCompile(`time="[0-9.]+"`), `time="TIME"`},
	{regexp.MustCompile(`(linux|darwin|windows|freebsd)/(amd64|arm64)`), "SYSTEM"},
	{regexp.MustCompile(`go1\.\d+(\.\d+)?\S*`), "GOVERSION"},
	{regexp.MustCompile(`(?m)^sgrun( +)\(?v?(devel|[0-9]).*$`), "sgrun${1}VERSION"},
	{regexp.MustCompile(`(?m)^(spir-v grammar +.*), \d+ instructions$`), "$1, N instructions"},
}

// scrub replaces what differs from run to run and from host to host.
func scrub(s string) string {
	for _, r := range scrubs {
		s = r.pattern.ReplaceAllString(s, r.by)
	}
	return s
}

// firstDifference says where two texts part; empty where they do not.
func firstDifference(got, want string) string {
	if got == want {
		return ""
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n got: %s\nwant: %s\n\nall of it:\n%s", i+1, a, b, got)
		}
	}
	return "they differ"
}

// exists reports whether a file is there.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
