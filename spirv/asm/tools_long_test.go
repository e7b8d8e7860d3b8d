//go:build long

package asm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// toolset runs spirv-as and spirv-dis.
type toolset struct {
	older map[string]string // names that are newer than the tools, and what the tools call them
}

var word = regexp.MustCompile(`\w+`)

// run returns what a tool makes of its input, or its message.
func (toolset) run(stdin []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, append(args, "-")...)
	cmd.Stdin = bytes.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %s", name, bytes.TrimSpace(errs.Bytes()))
	}
	return out, err
}

// as assembles text; version is the header's, 0 for the tool's own choice.
func (s toolset) as(text string, preserve bool, version uint32) ([]byte, error) {
	args := []string{"-o", "-"}
	if preserve {
		args = append(args, "--preserve-numeric-ids")
	}
	if version != 0 {
		args = append(args, "--target-env", fmt.Sprintf("spv%d.%d", version>>16, version>>8&0xff))
	}
	text = word.ReplaceAllStringFunc(text, func(w string) string {
		if old, ok := s.older[w]; ok {
			return old
		}
		return w
	})
	return s.run([]byte(text), "spirv-as", args...)
}

func (s toolset) dis(module []byte, rawID bool) ([]byte, error) {
	if rawID {
		return s.run(module, "spirv-dis", "--raw-id")
	}
	return s.run(module, "spirv-dis")
}

// checkText compares what the tools and Assemble make of a text, and what becomes of both disassemblies.
func (s toolset) checkText(text string, preserve bool, version uint32) error {
	theirs, err := s.as(text, preserve, version)
	if err != nil {
		return err
	}
	opt := Options{Generator: toolGenerator, PreserveNumericIDs: preserve, Version: version}
	if err := same(theirs, text, opt); err != nil {
		return fmt.Errorf("the text: %w", err)
	}
	// Ids number in the order they appear, so names alone give the same ids again where numbers were none to begin with.
	return s.checkModule(theirs, preserve)
}

// checkModule compares both disassemblies of a module, assembled again, with the module.
func (s toolset) checkModule(module []byte, preserve bool) error {
	b, err := spirv.Decode(module)
	if err != nil {
		return err
	}
	opt := Options{Generator: b.Generator, PreserveNumericIDs: preserve, Version: b.Version}
	var ours bytes.Buffer
	if err := Disassemble(b, &ours, DisOptions{RawID: preserve}); err != nil {
		return err
	}
	if err := same(module, ours.String(), opt); err != nil {
		return fmt.Errorf("our disassembly, our assembler: %w\n%s", err, ours.Bytes())
	}
	theirText, err := s.dis(module, preserve)
	if err != nil {
		return err
	}
	if err := same(module, string(theirText), opt); err != nil {
		return fmt.Errorf("spirv-dis' text, our assembler: %w\n%s", err, theirText)
	}
	back, err := s.as(ours.String(), preserve, b.Version)
	if err != nil {
		return fmt.Errorf("our disassembly: %w\n%s", err, ours.Bytes())
	}
	got, err := spirv.Decode(back)
	if err != nil {
		return err
	}
	got.Generator = b.Generator
	if d := difference(b, got); d != "" {
		return fmt.Errorf("our disassembly, spirv-as: %s\n%s", d, ours.Bytes())
	}
	return nil
}

// same reports where Assemble does not make the module of the text.
func same(module []byte, text string, opt Options) error {
	b, err := Assemble([]byte(text), opt)
	if err != nil {
		return err
	}
	ours, err := b.Encode()
	if err != nil || bytes.Equal(ours, module) {
		return err
	}
	want, err := spirv.Decode(module)
	if err != nil {
		return err
	}
	if d := difference(want, b); d != "" || want.Bound == b.Bound {
		return fmt.Errorf("the bytes differ: %s", d)
	}
	return nil // A bound that leaves room is no part of the text.
}

// ask returns what the installed tool knows, by having it assemble every name of the grammar until it objects to none.
func (s toolset) ask(t *testing.T) *vocabulary {
	t.Helper()
	m := newTextMaker(1, newVocabulary(), true)
	m.prelude()
	prelude := m.out.String()
	known := map[[2]string]bool{}
	for {
		lines := m.untried(known)
		if len(lines) == 0 {
			return m.vocabulary
		}
		for len(lines) > 0 {
			accepted := min(len(lines), 100)
			text := prelude
			for _, l := range lines[:accepted] {
				text += l.text
			}
			_, err := s.as(text, false, 0)
			if err != nil {
				accepted = m.learn(t, err, strings.Count(prelude, "\n"), lines)
			}
			for _, l := range lines[:accepted] {
				for _, n := range l.names {
					known[n] = true
				}
			}
			lines = slices.DeleteFunc(lines[accepted:], func(l namedLine) bool {
				return slices.ContainsFunc(l.names, func(n [2]string) bool { return m.unknown[n] })
			})
		}
	}
}

// namedLine is an instruction and the names in it.
type namedLine struct {
	text  string
	names [][2]string
}

// untried returns instructions that hold every name that is not known yet, as far as names have a place.
func (m *textMaker) untried(known map[[2]string]bool) (lines []namedLine) {
	seen := maps.Clone(known)
	all := grammar.Instructions()
	for quiet := 0; quiet < 600; quiet++ { // every name of the longest list, capabilities, has its turn in so many rounds
		for i := range all {
			m.out.Reset()
			names, ok := m.instruction(&all[i])
			if !ok || !slices.ContainsFunc(names, func(n [2]string) bool { return !seen[n] }) {
				continue
			}
			quiet = 0
			for _, n := range names {
				seen[n] = true
			}
			lines = append(lines, namedLine{m.out.String(), names})
		}
	}
	return lines
}

var (
	toolRefused = regexp.MustCompile(`spirv-(as|dis): error`)
	refusal     = regexp.MustCompile(`spirv-as: error: (\d+): \d+: (.*)`)
	invalidName = regexp.MustCompile(`Invalid .*'([^']*)'\.?$`)
)

// otherOperands are names to which the grammar of SPIRV-Tools 2023.1 gave other operands than their extensions do:
// SPV_INTEL_arbitrary_precision_fixed_point and _floating_point, SPV_INTEL_blocking_pipes, SPV_INTEL_fpga_reg,
// SPV_INTEL_fpga_memory_attributes and SPV_INTEL_inline_assembly. Khronos' grammar has them right since, and newer versions must agree.
var otherOperands = []string{
	"BankBitsINTEL",
	"OpAsmTargetINTEL",
	"OpArbitraryFloatPowNINTEL",
	"OpArbitraryFloatSinCosPiINTEL",
	"OpArbitraryFloatCastToIntINTEL",
	"OpFixedSqrtINTEL",
	"OpFixedRecipINTEL",
	"OpFixedRsqrtINTEL",
	"OpFixedSinINTEL",
	"OpFixedCosINTEL",
	"OpFixedSinCosINTEL",
	"OpFixedSinPiINTEL",
	"OpFixedCosPiINTEL",
	"OpFixedSinCosPiINTEL",
	"OpFixedLogINTEL",
	"OpFixedExpINTEL",
	"OpReadPipeBlockingINTEL",
	"OpWritePipeBlockingINTEL",
	"OpFPGARegINTEL",
}

// refusedByDis are what spirv-as 2023.1 takes and spirv-dis 2023.1 then takes for no enumerants.
var refusedByDis = [][2]string{{"ImageOperands", "Nontemporal"}, {"Capability", "UniformDecoration"}}

// misread are two instructions whose memory access SPIRV-Tools up to 2026.4 takes for a single flag, where the grammar has a
// mask with parameters, and a decoration at which its disassembler stops with an internal error.
var misread = [][2]string{{"Op", "OpCooperativeMatrixLoadTensorNV"}, {"Op", "OpCooperativeMatrixStoreTensorNV"}, {"Decoration", "InitModeALTERA"}, {"Decoration", "InitModeINTEL"}}

// learn takes what spirv-as refuses for what it does not know; it returns how many lines it accepted.
func (v *vocabulary) learn(t *testing.T, err error, prelude int, lines []namedLine) (accepted int) {
	t.Helper()
	found := refusal.FindStringSubmatch(err.Error())
	if found == nil {
		t.Fatal(err)
	}
	accepted, _ = strconv.Atoi(found[1])
	accepted -= prelude + 1
	if strings.Contains(found[2], "found the next instruction") {
		accepted-- // the message names the line after
	}
	l := lines[accepted]
	if m := invalidName.FindStringSubmatch(found[2]); m != nil {
		for _, n := range l.names {
			if n[1] == m[1] {
				v.unknown[n] = true
				return accepted
			}
		}
	}
	last := l.names[len(l.names)-1]
	if slices.Contains(otherOperands, last[1]) && tool(t, "spirv-as") == 2023 {
		t.Logf("%s is left out: it has other operands in SPIRV-Tools 2023.1", last[1])
	} else {
		t.Errorf("spirv-as refuses operands of %s: %v\n%s", last[1], err, l.text)
	}
	v.unknown[last] = true
	return accepted
}

// spellings returns the names whose older alias alone the tools know.
func (v *vocabulary) spellings() map[string]string {
	older := map[string]string{}
	add := func(what, name string, aliases []string) {
		if !v.unknown[[2]string{what, name}] {
			return
		}
		for _, a := range aliases {
			if !v.unknown[[2]string{what, a}] {
				older[name] = a
			}
		}
	}
	for _, in := range grammar.Instructions() {
		add("Op", in.Name, in.Aliases)
	}
	for _, k := range grammar.Kinds() {
		for _, e := range k.Enumerants {
			add(k.Name, e.Name, e.Aliases)
		}
	}
	return older
}

// report prints what the tool does not know.
func (v *vocabulary) report(t *testing.T) {
	t.Helper()
	names := map[string][]string{}
	for n := range v.unknown {
		names[n[0]] = append(names[n[0]], n[1])
	}
	t.Logf("the tools do not know %d names", len(v.unknown))
	for _, what := range slices.Sorted(maps.Keys(names)) {
		slices.Sort(names[what])
		t.Logf("%s: %d: %s", what, len(names[what]), strings.Join(names[what], " "))
	}
}

// TestToolsParity: 2,000 random modules and all in the repository are the same to spirv-as and Assemble, and so are both
// disassemblies of them.
func TestToolsParity(t *testing.T) {
	tool(t, "spirv-as")
	tool(t, "spirv-dis")
	s := toolset{}
	v := s.ask(t)
	if tool(t, "spirv-dis") == 2023 {
		for _, n := range refusedByDis {
			t.Logf("%s %s is left out: spirv-as 2023.1 writes it, spirv-dis 2023.1 refuses it", n[0], n[1])
			v.unknown[n] = true
		}
	}
	for _, n := range misread {
		t.Logf("%s %s is left out: the tools misread its operands", n[0], n[1])
		v.unknown[n] = true
	}
	v.report(t)
	s.older = v.spellings()
	t.Run("repository", func(t *testing.T) { s.repository(t, v) })
	t.Run("random", func(t *testing.T) { s.random(t, v) })
}

func (s toolset) random(t *testing.T, v *vocabulary) {
	const modules, instructions = 2000, 30
	work := make(chan uint64)
	var wg sync.WaitGroup
	var failures atomic.Int32
	for range 2 {
		wg.Go(func() {
			for seed := range work {
				// Every module takes up the names where its seed says, so that it is the same in each run.
				mine := &vocabulary{unknown: v.unknown, next: map[string]int{}}
				m := newTextMaker(seed, mine, false)
				mine.start = m.Int
				text := m.module(instructions)
				if err := s.checkText(text, seed%2 == 0, 0); err != nil && failures.Add(1) <= 5 {
					t.Errorf("seed %d: %v\n%s", seed, err, text)
				}
			}
		})
	}
	for seed := range uint64(modules) {
		work <- seed
	}
	close(work)
	wg.Wait()
	t.Logf("%d modules of %d instructions, %d differ", modules, instructions, failures.Load())
}

func (s toolset) repository(t *testing.T, v *vocabulary) {
	newer := map[string]bool{}
	for n := range v.unknown {
		newer[n[1]] = true
	}
	var files []string
	if err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); ext == ".spvasm" || ext == ".spv" {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	left := map[string]int{} // by reason
	work := make(chan string)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for path := range work {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					continue
				}
				reason, err := s.checkFile(data, filepath.Ext(path) == ".spv", newer)
				if err != nil && toolRefused.MatchString(err.Error()) && notForTools(path) {
					reason, err = "refused by the tools, as the module's first lines say", nil
				}
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
				mu.Lock()
				left[reason]++
				mu.Unlock()
			}
		})
	}
	for _, f := range files {
		work <- f
	}
	close(work)
	wg.Wait()
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%d modules: %s", left[reason], cmp.Or(reason, "compared"))
	}
	if n := left[""]; n < 450 {
		t.Errorf("only %d of %d modules were compared", n, len(files))
	}
}

// notForTools reports whether the text that the file belongs to says that spirv-dis or older tools refuse it.
func notForTools(path string) bool {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), base+".spvasm"))
	return err == nil && (testModule{text: text}.directive("dis") != "" || testModule{text: text}.directive("tools") != "")
}

var bitcastShuffle = regexp.MustCompile(`(?m)^ *Op(Capability SubgroupBitcastShuffleINTEL|Extension "SPV_INTEL_subgroup_bitcast_shuffle")\n`)

// checkFile compares a file's module; reason says why it could not be compared. The tools do not know the bitcast
// shuffle: OpBitcast, which takes the same operands, stands for it.
func (s toolset) checkFile(data []byte, binary bool, newer map[string]bool) (reason string, err error) {
	if binary {
		b, err := spirv.Decode(data)
		if err != nil {
			return "is no module: " + err.Error(), nil
		}
		for i := range b.Insts {
			if b.Insts[i].Op == spirv.OpSubgroupBitcastShuffleINTEL {
				b.Insts[i].Op = spirv.OpBitcast
			}
		}
		if data, err = b.Encode(); err != nil {
			return "", err
		}
		err = s.checkModule(data, true)
		return s.refused(err, newer)
	}
	text := bitcastShuffle.ReplaceAllString(string(data), "")
	text = strings.ReplaceAll(text, "OpSubgroupBitcastShuffleINTEL", "OpBitcast")
	var version uint32
	if m := headerVersion.FindStringSubmatch(text); m != nil {
		version = 1<<16 | uint32(m[1][0]-'0')<<8
	}
	forms := []bool{len(text)%2 == 0} // for a text without numeric ids both are the same
	if numericID.MatchString(text) {
		forms = []bool{false, true}
	}
	for _, preserve := range forms {
		err := s.checkText(text, preserve, version)
		if err != nil && refusal.MatchString(err.Error()) {
			if _, ours := Assemble([]byte(text), Options{}); ours != nil {
				return "refused by both, as it should be", nil
			}
		}
		if reason, err = s.refused(err, newer); reason != "" || err != nil {
			return reason, err
		}
	}
	return "", nil
}

var numericID = regexp.MustCompile(`%\d`)

var headerVersion = regexp.MustCompile(`(?m)^; Version: 1\.(\d)$`)

// refused tells a name that the tools do not know yet from other errors.
func (toolset) refused(err error, newer map[string]bool) (reason string, rest error) {
	if err == nil {
		return "", nil
	}
	if m := invalidName.FindStringSubmatch(err.Error()); m != nil {
		for n := range strings.SplitSeq(m[1], "|") {
			if newer[n] {
				return "needs the name " + n, nil
			}
		}
	}
	return "", err
}
