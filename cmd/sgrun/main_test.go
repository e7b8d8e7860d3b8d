package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/runner/device"
)

// testApp is an app whose surroundings a test can set, with its outputs.
func testApp() (a *app, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &app{in: strings.NewReader(""), out: stdout, err: stderr, env: func(string) string { return "" },
		backends: allBackends(), catalogue: kernels.Catalogue(), vectors: kernels.Vectors()}, stdout, stderr
}

// TestSpecificationExamples runs the four worked examples of SPV_INTEL_subgroup_bitcast_shuffle, revision 1, section
// Examples, with operands given and results printed as the specification prints them. The texts are copied from there by
// hand.
func TestSpecificationExamples(t *testing.T) {
	for _, c := range []struct {
		title, kernel, size, operand, result string
		in, out, form                        string
	}{
		{"32-bit Scalar to Vector of 16-bit Data", "u32-to-v2u16", "8",
			"0|1 2|3 4|5 6|7 8|9 10|11 12|13 14|15",
			"<0,8> <1,9> <2,10> <3,11> <4,12> <5,13> <6,14> <7,15>", "u32", "v2u16", ""},
		{"Vector of 16-bit Data to 32-bit Scalar", "v2u16-to-u32", "8",
			"<0,1> <2,3> <4,5> <6,7> <8,9> <10,11> <12,13> <14,15>",
			"0|2 4|6 8|10 12|14 1|3 5|7 9|11 13|15", "v2u16", "u32", ":packed16"},
		{"32-bit Scalar to Vector of 8-bit Data", "u32-to-v4u8", "4",
			"0|1|2|3 4|5|6|7 8|9|10|11 12|13|14|15",
			"<0,4,8,12> <1,5,9,13> <2,6,10,14> <3,7,11,15>", "u32", "v4u8", ""},
		{"Vector of 8-bit Data to 32-bit Scalar", "v4u8-to-u32", "4",
			"<0,1,2,3> <4,5,6,7> <8,9,10,11> <12,13,14,15>",
			"0|4|8|12 1|5|9|13 2|6|10|14 3|7|11|15", "v4u8", "u32", ":packed8"},
	} {
		t.Run(c.title, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := run([]string{"run", "bitcast-shuffle/" + c.kernel, "--global", c.size, "--sub-group-size", c.size,
				"in=" + c.in + ":" + strings.ReplaceAll(c.operand, " ", ","), "out=" + c.out + "[" + c.size + "]", "--print", "out" + c.form},
				strings.NewReader(""), &stdout, &stderr)
			want := fmt.Sprintf("out: %s[%s]\n  %s\n", c.out, c.size, c.result)
			if status != 0 || stdout.String() != want || stderr.Len() > 0 {
				t.Errorf("status %d\n got: %swant: %s%s", status, &stdout, want, &stderr)
			}
		})
	}
}

// broken is a backend with a bug.
type broken struct{}

func (broken) Name() string                                     { return "broken" }
func (broken) Devices(context.Context) ([]device.Device, error) { panic("the device is upside down") }

// TestExitStatus provokes every exit status there is.
func TestExitStatus(t *testing.T) {
	inFiles(t)
	add := "run add.spvasm -k add --global 4 a=f32[4] b=f32[4]:1 out=f32[4] "
	seen := map[int]bool{}
	for _, c := range []struct {
		status  int
		command string
	}{
		{0, add},
		{0, add + "--expect out=1"},
		{1, add + "--expect out=2"},
		{1, "verify --vectors vectors differs"},
		{1, "vnni check b16.npy b16.npy"},
		{2, ""},
		{2, "fnord"},
		{2, "run fnord"},
		{2, add + "c=1"},
		{3, add + "--device opencl"},
		{3, add + "--device emu:bmg --sub-group-size 8"},
		{3, "verify --device emu:dg2 u32-to-v2u16/sg64"},
		{4, "val types.spvasm"},
		{4, "run syntax.spvasm"},
		{4, "info cut.spv"},
		{5, "run add.spvasm -k add --global 4 a=f32[4] b=f32[3] out=f32[4]"},
		{5, "run endless.spvasm --global 1 out=u32[1] --timeout 20ms"},
		{5, "verify --vectors vectors faults"},
		{6, add + "--device broken"},
		{6, "devices"},
	} {
		a, stdout, stderr := testApp()
		if c.status == 6 {
			a.backends = append(a.backends, backend{name: "broken", open: func(uint64) device.Backend { return broken{} }})
		}
		got := a.main(t.Context(), strings.Fields(c.command))
		if got != c.status {
			t.Errorf("sgrun %s: exit status %d, want %d\n%s%s", c.command, got, c.status, stdout, stderr)
		}
		if told := stderr.Len() > 0 || strings.HasPrefix(c.command, "val") || strings.HasPrefix(c.command, "ver") || strings.HasPrefix(c.command, "vnni"); got != 0 && !told {
			t.Errorf("sgrun %s: exit status %d without a word", c.command, got)
		}
		if got == 6 && !strings.Contains(stderr.String(), "the device is upside down") {
			t.Errorf("the bug is not reported: %s", stderr)
		}
		seen[got] = true
	}
	for s := range 7 {
		if !seen[s] {
			t.Errorf("exit status %d was not provoked", s)
		}
	}
}

// TestInterrupted stops an endless kernel as Ctrl-C does.
func TestInterrupted(t *testing.T) {
	inFiles(t)
	a, _, stderr := testApp()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	status := a.main(ctx, strings.Fields("run endless.spvasm --global 1 out=u32[1]"))
	if status != 5 || !strings.Contains(stderr.String(), "stopped") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v to stop", d)
	}
	a, stdout, stderr := testApp()
	status = a.main(ctx, strings.Fields("verify --vectors vectors"))
	if status != 5 || stderr.String() != "sgrun: interrupted\n" || !strings.HasPrefix(stdout.String(), "0 passed") {
		t.Errorf("verify: status %d: %s%s", status, stdout, stderr)
	}
}

// TestTerminal: what is for people's eyes only goes to terminals only.
func TestTerminal(t *testing.T) {
	inFiles(t)
	watched := func(env map[string]string, command string) (string, string, int) {
		a, stdout, stderr := testApp()
		a.outTerminal, a.errTerminal = true, true
		a.env = func(name string) string { return env[name] }
		status := a.main(t.Context(), strings.Fields(command))
		return stdout.String(), stderr.String(), status
	}
	for _, command := range []string{"asm add.spvasm", "vnni pack b16.npy"} {
		stdout, stderr, status := watched(nil, command)
		if status != 2 || stdout != "" || !strings.Contains(stderr, "not written to a terminal") {
			t.Errorf("sgrun %s on a terminal: status %d, %q, %q", command, status, stdout, stderr)
		}
	}
	stdout, _, _ := watched(nil, "val add.spvasm")
	if !strings.Contains(stdout, "\x1b[32mOK\x1b[0m") {
		t.Errorf("no colour on a terminal: %q", stdout)
	}
	for _, env := range []map[string]string{{"NO_COLOR": "1"}, {"TERM": "dumb"}} {
		if stdout, stderr, _ := watched(env, "val add.spvasm fnord"); strings.Contains(stdout+stderr, "\x1b") {
			t.Errorf("colour with %v: %q", env, stdout+stderr)
		}
	}
	if _, stderr, _ := watched(nil, "run add.spvasm -k add --global 4 a=f32[4] b=f32[4] out=f32[4]"); !strings.Contains(stderr, "auto took emu:generic") {
		t.Errorf("auto does not say what it took: %q", stderr)
	}
	if _, stderr, _ := watched(nil, "verify --vectors vectors"); !strings.Contains(stderr, "emu:generic: ") || !strings.HasSuffix(stderr, "\r\x1b[K") {
		t.Errorf("no progress on a terminal, or it is left there: %q", stderr)
	}
	a, stdoutPipe, stderrPipe := testApp()
	if status := a.main(t.Context(), strings.Fields("run add.spvasm -k add --global 4 a=f32[4] b=f32[4]:1 out=f32[4]")); status != 0 || stderrPipe.Len() > 0 || strings.Contains(stdoutPipe.String(), "\x1b") {
		t.Errorf("a pipe gets more than the result: %q, %q", stdoutPipe, stderrPipe)
	}
}

// TestOutputFile: -o writes a file as a whole or leaves what was there.
func TestOutputFile(t *testing.T) {
	inFiles(t)
	before, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"devices", "info add.spvasm", "verify --vectors vectors passes", "val add.spvasm", "asm add.spvasm",
		"dis add.spvasm", "vnni pack b16.npy", "vnni check b16.npy b16.npy", "run add.spvasm -k add --global 4 a=f32[4] b=f32[4] out=f32[4]"} {
		var direct, none, stderr bytes.Buffer
		status := run(strings.Fields(command), strings.NewReader(""), &direct, &stderr)
		again := run(append(strings.Fields(command), "-o", "written"), strings.NewReader(""), &none, &stderr)
		data, err := os.ReadFile("written")
		if err != nil || status != again || none.Len() > 0 || scrub(string(data)) != scrub(direct.String()) || len(data) == 0 {
			t.Errorf("sgrun %s -o: status %d and %d, %v, %q besides the file: %s", command, status, again, err, &none, &stderr)
		}
		if again := run(append(strings.Fields(command), "-o", "nowhere/written"), strings.NewReader(""), &none, &stderr); again != 2 {
			t.Errorf("sgrun %s -o nowhere/written: status %d", command, again)
		}
	}
	if err := os.WriteFile("written", []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"info fnord -o written", "asm syntax.spvasm -o written", "dis cut.spv -o written", "vnni pack f32.npy -o written"} {
		if status := run(strings.Fields(command), strings.NewReader(""), io.Discard, io.Discard); status == 0 {
			t.Errorf("sgrun %s succeeds", command)
		}
	}
	if data, _ := os.ReadFile("written"); string(data) != "precious" {
		t.Errorf("a command that failed wrote %q", data)
	}
	after, err := os.ReadDir(".")
	if err != nil || len(after) != len(before)+1 {
		t.Errorf("%d files have become %d, one more is right: %v", len(before), len(after), after)
	}
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputFull(t *testing.T) {
	for _, command := range []string{"devices", "version", "completion bash", "verify --list bitcast-shuffle/u32-to-v2u16/sg8/example"} {
		var stderr bytes.Buffer
		if status := run(strings.Fields(command), strings.NewReader(""), full{}, &stderr); status != 2 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("sgrun %s into a full disk: status %d, %s", command, status, &stderr)
		}
	}
}

// TestFormats: JSON parses, and so does JUnit with as many cases as it says.
func TestFormats(t *testing.T) {
	inFiles(t)
	for _, command := range []string{"devices", "info add.spvasm", "info shader/uniform-push", "val types.spvasm", "val cut.spv", "verify --vectors vectors",
		"verify --vectors vectors --list", "verify --vectors vectors passes --device emu --device emu:bmg", "vnni check b16.npy b16.npy",
		"run add.spvasm -k add --global 100 a=f32[100]:bits(1) b=f32[100] out=f32[100] --print a:hex --print out --print a:v4u8"} {
		a, stdout, _ := testApp()
		a.main(t.Context(), append(strings.Fields(command), "--format", "json"))
		var v any
		if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
			t.Errorf("sgrun %s --format json: %v\n%s", command, err, stdout)
		}
	}
	for _, command := range []string{"verify --vectors vectors", "run add.spvasm -k add --global 4 a=f32[4] b=f32[4] out=f32[4] --expect out=0 --expect a=1"} {
		a, stdout, _ := testApp()
		a.main(t.Context(), append(strings.Fields(command), "--format", "junit"))
		var doc struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Suites   []struct {
				Cases []struct {
					Failure *struct{} `xml:"failure"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(stdout.Bytes(), &doc); err != nil {
			t.Errorf("sgrun %s --format junit: %v\n%s", command, err, stdout)
			continue
		}
		cases, failures := 0, 0
		for _, s := range doc.Suites {
			for _, c := range s.Cases {
				cases++
				if c.Failure != nil {
					failures++
				}
			}
		}
		if cases < 2 || cases != doc.Tests || failures != 1 || failures != doc.Failures {
			t.Errorf("sgrun %s --format junit: %d cases and %d failures, it says %d and %d", command, cases, failures, doc.Tests, doc.Failures)
		}
	}
}

// TestDevices: what is built in is listed and works, what is not is listed with a reason.
func TestDevices(t *testing.T) {
	a, stdout, _ := testApp()
	a.main(t.Context(), []string{"devices", "--format", "json"})
	var r devicesReport
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, d := range r.Devices {
		listed[d.Device] = true
		if !d.Executes || len(d.SubGroupSizes) == 0 || len(d.Capabilities) == 0 {
			t.Errorf("%s: %+v", d.Device, d)
		}
		a, _, stderr := testApp()
		status := a.main(t.Context(), []string{"run", "bitcast-shuffle/u32-to-v2u16", "--device", d.Device, "--global", "16", "--sub-group-size", "16",
			"in=u32[16]:0x00010000", "out=v2u16[16]", "--expect", "out=<0,0>,<1,1>,<0,0>,<1,1>,<0,0>,<1,1>,<0,0>,<1,1>,<0,0>,<1,1>,<0,0>,<1,1>,<0,0>,<1,1>,<0,0>,<1,1>"})
		if status != 0 {
			t.Errorf("--device %s: status %d: %s", d.Device, status, stderr)
		}
	}
	for _, name := range []string{"generic", "dg2", "pvc", "bmg", "lnl", "ptl"} {
		if !listed["emu:"+name] {
			t.Errorf("emu:%s is not listed", name)
		}
	}
	var absent []string
	for _, d := range r.Absent {
		absent = append(absent, d.Backend)
		if !strings.Contains(d.Reason, "backend yet") {
			t.Errorf("%s: %q", d.Backend, d.Reason)
		}
	}
	slices.Sort(absent)
	if !slices.Equal(absent, []string{"level-zero", "opencl"}) {
		t.Errorf("absent: %v", absent)
	}
	a, stdout, _ = testApp()
	a.main(t.Context(), []string{"devices", "-v"})
	for _, want := range []string{"SubgroupBitcastShuffleINTEL", "SPV_INTEL_subgroup_bitcast_shuffle", "undefined"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("devices -v does not tell %s", want)
		}
	}
}

// TestCompletion asks as the shells' scripts do.
func TestCompletion(t *testing.T) {
	inFiles(t)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"ver"}, []string{"verify", "version"}},
		{[]string{"run", "bitcast-shuffle/u32"}, []string{"bitcast-shuffle/u32-to-v2u16", "bitcast-shuffle/u32-to-v4u8"}},
		{[]string{"run", "add.spvasm", "-k", ""}, []string{"add", "_Z5scalePfj"}},
		{[]string{"run", "add.spvasm", "--device", ""}, []string{"auto", "all", "emu", "emu:bmg"}},
		{[]string{"run", "add.spvasm", "--check", ""}, []string{"undefined"}},
		{[]string{"run", "add.spvasm", "--format", ""}, []string{"table", "json", "junit"}},
		{[]string{"asm", "--target-env", ""}, []string{"spv1.6", "opencl2.2", "vulkan1.3"}},
		{[]string{"verify", ""}, []string{"bitcast-shuffle", "vnni"}},
		{[]string{"help", "vnni", ""}, []string{"pack", "unpack", "check"}},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish", "powershell"}},
		{[]string{"vnni", "pack", ""}, []string{"npy"}},
	} {
		a, stdout, stderr := testApp()
		if status := a.main(t.Context(), append([]string{"__complete"}, c.args...)); status != 0 {
			t.Errorf("%q: status %d: %s", c.args, status, stderr)
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
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		a, stdout, stderr := testApp()
		if status := a.main(t.Context(), []string{"completion", shell}); status != 0 || !strings.Contains(stdout.String(), "sgrun") || stderr.Len() > 0 {
			t.Errorf("completion %s: status %d, %d bytes, %s", shell, status, stdout.Len(), stderr)
		}
	}
}

// everyCommand calls f for each command of the tree.
func everyCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, f)
	}
}

// TestHelp: every command has a help page that fits a screen's width, and only the commands that exist are there.
func TestHelp(t *testing.T) {
	a, _, _ := testApp()
	var names []string
	everyCommand(a.root(), func(c *cobra.Command) {
		names = append(names, c.CommandPath())
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short help %q", c.CommandPath(), c.Short)
		}
		if c.Name() != "help" && (c.Long == "" || c.Example == "" && !c.HasSubCommands()) {
			t.Errorf("%s has no long help or no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Long + "\n" + c.Example) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 110 {
				t.Errorf("%s: a help line of %d characters: %s", c.CommandPath(), n, line)
			}
		}
		if c.HasParent() {
			a, stdout, stderr := testApp()
			if status := a.main(t.Context(), append(strings.Fields(c.CommandPath())[1:], "--help")); status != 0 || !strings.Contains(stdout.String(), "Usage:") {
				t.Errorf("%s --help: status %d, %s", c.CommandPath(), status, stderr)
			}
		}
	})
	slices.Sort(names)
	want := []string{"sgrun", "sgrun asm", "sgrun completion", "sgrun devices", "sgrun dis", "sgrun explain", "sgrun explain bitcast-shuffle", "sgrun explain shuffle-xor", "sgrun explain vnni", "sgrun info", "sgrun link", "sgrun run", "sgrun val",
		"sgrun verify", "sgrun version", "sgrun vnni", "sgrun vnni check", "sgrun vnni pack", "sgrun vnni unpack"}
	if !slices.Equal(names, want) {
		t.Errorf("commands:\n got %q\nwant %q", names, want)
	}
}

// TestHelpExamples runs the examples of every help page, in order, in a folder with the files they name.
func TestHelpExamples(t *testing.T) {
	inFiles(t)
	for from, to := range map[string]string{"add.spvasm": "kernel.spvasm", "b16.npy": "B.npy", "b4.npy": "nibbles.npy"} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"asm kernel.spvasm -o kernel.spv", "asm library.spvasm -o library.spv", "vnni pack B.npy -o packed.npy",
		"run bitcast-shuffle/u32-to-v2u16 --global 8 --sub-group-size 8 in=u32[8]:iota out=v2u16[8] --save-launch launch.json"} {
		if status := run(strings.Fields(command), strings.NewReader(""), io.Discard, os.Stderr); status != 0 {
			t.Fatalf("sgrun %s: status %d", command, status)
		}
	}
	a, _, _ := testApp()
	examples := 0
	everyCommand(a.root(), func(c *cobra.Command) {
		for line := range strings.Lines(strings.ReplaceAll(c.Example, "\\\n", "")) {
			command := strings.TrimSpace(line)
			if command == "" || command == "sgrun verify" { // which .ci/run runs
				continue
			}
			examples++
			if stdout, stderr, status := pipeline(t, command); status != 0 || stdout == "" && !strings.Contains(command, "-o ") {
				t.Errorf("%s: status %d, %d bytes, %s", command, status, len(stdout), stderr)
			}
		}
	})
	if examples < 25 {
		t.Errorf("only %d examples were found", examples)
	}
	if !exists("kernel.spv") || !exists("verify.xml") || !exists(filepath.Join(".", "out.npy")) {
		t.Error("an example did not write its file")
	}
}
