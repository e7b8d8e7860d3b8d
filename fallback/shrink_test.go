package fallback_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/gen"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
)

// artifactVariable is the environment variable that names the folder for programs that differ.
const artifactVariable = "SGRUN_ARTIFACTS"

// shrunk is a program that was cut down.
type shrunk struct {
	src  *run.Source
	text string
	diff *difference
}

// shrink cuts a program down while the same differs, then its launch, then its text.
//
// check runs the text of a source in one way and says what differs.
func shrink(p *gen.Program, diff *difference, check func(src *run.Source, text string, l trial) *difference) shrunk {
	again := func(q *gen.Program, l trial) *difference {
		src := programSource(q)
		d := check(src, src.Text(), l)
		if d == nil || d.class != diff.class {
			return nil
		}
		return d
	}
	l := diff.trial
	p = gen.Shrink(p, func(q *gen.Program) bool { return again(q, l) != nil })
	for _, s := range []shape{{l.local, l.local, 0}, {l.subGroup, l.subGroup, 0}, {l.local / 2, l.local / 2, 0}, {4, 4, 0}, {2, 2, 0}, {1, 1, 0}} {
		s.subGroup = l.subGroup
		if s.items < 1 || s.items > l.items || s.local > l.local || p.Full && s.local%l.subGroup != 0 {
			continue
		}
		q := l
		q.shape, q.in = s, append([]uint32(nil), l.in[:gen.Ins*s.items]...)
		for i := range s.items {
			q.in[gen.Ins*i+3] = uint32(s.local)
		}
		if again(p, q) != nil {
			l = q
		}
	}
	out := shrunk{src: programSource(p), diff: again(p, l)}
	out.text = out.src.Text()
	if out.diff == nil { // only in parallel, now and then
		out.diff = diff
		return out
	}
	try := func(text string) {
		if d := check(out.src, text, l); d != nil && d.class == diff.class {
			out.text, out.diff = text, d
		}
	}
	try(gen.Tidy(out.text))
	for _, line := range strings.SplitAfter(out.text, "\n") {
		if strings.HasPrefix(line, "OpCapability ") || strings.HasPrefix(line, "OpExtension ") {
			try(strings.Replace(out.text, line, "", 1))
		}
	}
	return out
}

// write writes the module, headed by what differs and how to see it, into a folder.
func (s *shrunk) write(dir, name string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, name+".spvasm")
	note := strings.ReplaceAll(s.diff.Error(), "\n", "\n; ")
	return file, os.WriteFile(file, []byte("; "+note+"\n; "+s.command(file)+"\n"+s.text), 0o644)
}

// command is the command line that runs the module and compares.
func (s *shrunk) command(file string) string {
	l := &s.diff.trial
	in, out, spec := "in", "out", ""
	if s.src.Dialect == run.Shader {
		in, out, spec = "0.0", "0.1", fmt.Sprintf(" --spec 900=%d", l.local)
		if !strings.Contains(s.text, "SpecId 900") {
			spec = ""
		}
	}
	order := ""
	if l.deterministic {
		order = fmt.Sprintf(" --deterministic --seed %d", l.seed)
	}
	words := func(list []uint32) string {
		text := strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
		return fmt.Sprintf("u32[%d]:%s", len(list), text)
	}
	line := fmt.Sprintf("sgrun run %s -d emu --global %d --local %d --sub-group-size %d%s%s %s=%s %s=u32[%d]:%d", file, l.items, l.local, l.subGroup, spec, order,
		in, words(l.in), out, s.src.Shared+s.src.Outs*l.items, uint32(run.Poison))
	if len(s.diff.want) > 0 {
		line += fmt.Sprintf(" --expect %s=%s", out, words(s.diff.want))
	}
	return line
}

// TestShrink cuts programs down that differ because the reference gets another instruction than the emulator. What is left
// must be small, valid, hold that instruction, and be written with the command that runs it.
func TestShrink(t *testing.T) {
	dev := run.Device(t, fallback.Options{})
	for _, c := range []struct {
		name     string
		from, to spirv.Op
	}{
		{"OpGroupNonUniformIAdd", spirv.OpGroupNonUniformIAdd, spirv.OpGroupNonUniformIMul},
		{"OpAtomicXor", spirv.OpAtomicXor, spirv.OpAtomicOr},
	} {
		t.Run(c.name, func(t *testing.T) {
			check := func(src *run.Source, text string, l trial) *difference {
				m, err := run.Load(text)
				if err != nil {
					return &difference{class: "module", err: err}
				}
				other := run.Module(t, text)
				for _, f := range other.Functions {
					for _, b := range f.Blocks {
						for _, in := range b.Insts {
							if in.Op == c.from {
								in.Op = c.to
							}
						}
					}
				}
				_, d := compareTrials(t, dev, src, m, other, []trial{l})
				return d
			}
			for seed := range uint64(200) {
				p := program(seed)
				src := programSource(p)
				text := src.Text()
				if !strings.Contains(text, c.name+" ") {
					continue
				}
				diff := check(src, text, trials(p, seed)[1])
				if diff == nil || diff.class != "value" {
					continue
				}
				small := shrink(p, diff, check)
				if n, before := strings.Count(small.text, "\n"), strings.Count(text, "\n"); n > 110 || n > before/2 {
					t.Errorf("program %d: %d of %d lines are left:\n%s", seed, n, before, small.text)
				}
				file, err := small.write(t.TempDir(), "small")
				if err != nil {
					t.Fatal(err)
				}
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := run.Load(string(data)); err != nil || !strings.Contains(string(data), c.name+" ") || !strings.Contains(string(data), "; sgrun run "+file) {
					t.Errorf("program %d: %v\n%s", seed, err, data)
				}
				return
			}
			t.Error("no program notices the change")
		})
	}
}

// What is cut down from a failing program is valid, still fails and is little more than what makes it fail.
func TestShrinkKeeps(t *testing.T) {
	empty := strings.Count(programSource(&gen.Program{Kernel: true}).Text(), "\n")
	for _, what := range []string{"OpGroupNonUniformShuffleXor", "OpAtomicXor", "OpSwitch", "OpFunctionCall", "OpGroupNonUniformElect", "OpFDiv"} {
		fails := func(p *gen.Program) bool {
			text := programSource(p).Text()
			_, err := run.Load(text)
			return err == nil && strings.Contains(text, what+" ")
		}
		cut := 0
		for seed := uint64(0); cut < 3; seed++ {
			p := gen.New(seed, true)
			if !fails(p) {
				continue
			}
			cut++
			q := gen.Shrink(p, fails)
			if !fails(q) {
				t.Fatalf("%s, seed %d: what is left does not fail", what, seed)
			}
			before, after := strings.Count(programSource(p).Text(), "\n"), strings.Count(programSource(q).Text(), "\n")
			if after > empty+120 {
				t.Errorf("%s, seed %d: cut down from %d to %d lines, the empty program has %d", what, seed, before, after, empty)
			}
			if !fails(p) {
				t.Errorf("%s, seed %d: the program that was cut down has changed", what, seed)
			}
		}
	}
}

// reportProgram cuts a failing program down and writes it where the test's author finds it.
func reportProgram(t *testing.T, dev device.Device, seed uint64, p *gen.Program, diff *difference) {
	t.Helper()
	if diff.class == "module" {
		t.Errorf("%v, program %d: %v", dialectOf(seed), seed, diff.err)
		return
	}
	small := shrink(p, diff, func(src *run.Source, text string, l trial) *difference {
		_, d := differText(t, dev, src, text, []trial{l})
		return d
	})
	dir := os.Getenv(artifactVariable)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "sgrun-random")
	}
	file, err := small.write(dir, fmt.Sprintf("%v-%d", dialectOf(seed), seed))
	if err != nil {
		t.Error(err)
	}
	again := fmt.Sprintf("go test ./fallback -run 'TestRandomPrograms$' -program %v:%d", dialectOf(seed), seed)
	t.Errorf("%v, program %d: %v\ncut down to %d lines, in %s (its head says how to run it): %v\nthe whole program: %s\n%s",
		dialectOf(seed), seed, diff, strings.Count(small.text, "\n"), file, small.diff, again, small.text)
}
