package asm

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// The modules in testdata come with what SPIRV-Tools 2026.4 makes of them: NAME.spv by spirv-as, NAME.num.spv by spirv-as
// --preserve-numeric-ids, NAME.dis by spirv-dis from NAME.spv. They are written by "go test -run TestTools -update" with
// these tools on PATH.
var update = flag.Bool("update", false, "write what spirv-as and spirv-dis make of testdata's modules, instead of comparing")

// toolGenerator is the generator word of spirv-as.
const toolGenerator = 7 << 16

type testModule struct {
	name string // without extension
	text []byte
}

func (m testModule) path(ext string) string { return filepath.Join("testdata", m.name+ext) }

// directive returns what stands behind "; key: " in the comments before the module.
func (m testModule) directive(key string) string {
	for line := range strings.Lines(string(m.text)) {
		if !strings.HasPrefix(line, ";") {
			break
		}
		if s, ok := strings.CutPrefix(line, "; "+key+": "); ok {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

func testModules(t *testing.T) []testModule {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.spvasm")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no modules in testdata: %v", err)
	}
	var mods []testModule
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		mods = append(mods, testModule{strings.TrimSuffix(filepath.Base(p), ".spvasm"), text})
	}
	return mods
}

func readModule(t *testing.T, path string) *spirv.Binary {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := spirv.Decode(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return b
}

func TestTestdata(t *testing.T) {
	for _, m := range testModules(t) {
		t.Run(m.name, func(t *testing.T) {
			for ext, opt := range map[string]Options{".spv": {}, ".num.spv": {PreserveNumericIDs: true}} {
				opt.Generator = toolGenerator
				b, err := Assemble(m.text, opt)
				if err != nil {
					t.Fatal(err)
				}
				want := readModule(t, m.path(ext))
				if d := difference(want, b); d != "" || b.Bound != want.Bound {
					t.Errorf("not what spirv-as makes of it (%s): %s; bound %d, want %d", ext, d, b.Bound, want.Bound)
				}
				checkLossless(t, b)
			}
			if m.directive("dis") != "" {
				return
			}
			want, err := os.ReadFile(m.path(".dis"))
			if err != nil {
				t.Fatal(err)
			}
			b := readModule(t, m.path(".spv"))
			if got := disText(t, b, DisOptions{}); got != string(want) {
				t.Errorf("not what spirv-dis prints:\n%s", diffLines(string(want), got))
			}
			checkRenamed(t, b, want)
		})
	}
}

// checkRenamed fails where the text of a module with friendly names gives more than other numbers to its ids.
func checkRenamed(t *testing.T, b *spirv.Binary, text []byte) {
	t.Helper()
	back, src, err := AssembleSource(text, Options{})
	if err != nil || len(back.Insts) != len(b.Insts) {
		t.Fatalf("the text with friendly names: %v", err)
	}
	p := NewPrinter(b, DisOptions{})
	for i := range b.Insts {
		w, g := b.Insts[i], back.Insts[i]
		if w.Op != g.Op || len(w.Words) != len(g.Words) {
			t.Fatalf("friendly names make %v of %v", g, w)
		}
		for j := range w.Words {
			if name, ok := src.Name(spirv.ID(g.Words[j])); w.Words[j] != g.Words[j] && (!ok || "%"+name != p.ID(spirv.ID(w.Words[j]))) {
				t.Errorf("instruction %d, word %d: friendly names make %d of %d", i, j, g.Words[j], w.Words[j])
			}
		}
	}
}

// diffLines returns the first lines that differ.
func diffLines(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return "line " + strconv.Itoa(i+1) + "\nwant " + a + "\ngot  " + b
		}
	}
	return ""
}

// TestTestdataCoversEveryKind fails where an operand kind that some instruction takes stands in no module of testdata.
func TestTestdataCoversEveryKind(t *testing.T) {
	seen := map[grammar.Kind]bool{}
	for _, m := range testModules(t) {
		b := readModule(t, m.path(".spv"))
		p := NewPrinter(b, DisOptions{})
		for i := range b.Insts {
			in := &b.Insts[i]
			info, ok := grammar.Lookup(in.Op)
			if !ok {
				continue
			}
			for _, o := range info.Operands {
				seen[o.Kind] = true
			}
			o := operandPrinter{p: p, s: &p.scope, in: in, info: info, r: &rendered{}, words: in.Words}
			o.pattern.push(info.Operands)
			for len(o.words) > 0 {
				e, ok := o.pattern.pop()
				if !ok {
					break
				}
				seen[e.kind] = true
				o.operand(e)
			}
		}
	}
	needed := map[grammar.Kind]bool{}
	for _, in := range grammar.Instructions() {
		for _, o := range in.Operands {
			needed[o.Kind] = true
		}
	}
	for _, k := range grammar.Kinds() {
		for _, e := range k.Enumerants {
			for _, o := range e.Parameters {
				needed[o.Kind] = true
			}
		}
	}
	for k := range needed {
		if !seen[k] {
			t.Errorf("no module in testdata has an operand of kind %v", k)
		}
	}
}

// tool skips the test where the tool is not installed; it returns the year of its version.
func tool(t *testing.T, name string) int {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("not run: %s is not installed", name)
	}
	out, err := exec.Command(name, "--version").Output()
	m := regexp.MustCompile(`v(\d{4})\.`).FindSubmatch(out)
	if err != nil || m == nil {
		t.Skipf("not run: %s does not say its version: %v", name, err)
	}
	year, _ := strconv.Atoi(string(m[1]))
	return year
}

func runTool(t *testing.T, stdin []byte, name string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Logf("%s: %v: %s", name, err, errs.Bytes())
	}
	return out, err
}

// TestTools compares with the spirv-as and spirv-dis that are installed.
func TestTools(t *testing.T) {
	year := min(tool(t, "spirv-as"), tool(t, "spirv-dis"))
	for _, m := range testModules(t) {
		t.Run(m.name, func(t *testing.T) {
			if need := m.directive("tools"); need != "" && strconv.Itoa(year) < need[:4] {
				t.Skipf("not run: spirv-as of %d is installed, the module needs %s or later", year, need[:4])
			}
			compareAssembler(t, m, ".spv", Options{Generator: toolGenerator})
			compareAssembler(t, m, ".num.spv", Options{Generator: toolGenerator, PreserveNumericIDs: true}, "--preserve-numeric-ids")
			compareDisassembler(t, m, ".dis", DisOptions{})
			compareDisassembler(t, m, "", DisOptions{RawID: true, NoHeader: true, NoIndent: true}, "--raw-id", "--no-header", "--no-indent")
			if year >= 2026 { // Older versions do not align the comments.
				compareDisassembler(t, m, "", DisOptions{Offsets: true}, "--offsets")
			}
		})
	}
}

func compareAssembler(t *testing.T, m testModule, ext string, opt Options, args ...string) {
	t.Helper()
	theirs, err := runTool(t, m.text, "spirv-as", append(args, "-", "-o", "-")...)
	if err != nil {
		t.Fatal("spirv-as refuses the module")
	}
	if *update {
		if err := os.WriteFile(m.path(ext), theirs, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := Assemble(m.text, opt)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ours, theirs) {
		want, _ := spirv.Decode(theirs)
		t.Errorf("spirv-as %v: the bytes differ: %s", args, difference(want, b))
	}
}

func compareDisassembler(t *testing.T, m testModule, ext string, opt DisOptions, args ...string) {
	t.Helper()
	b, err := Assemble(m.text, Options{Generator: toolGenerator})
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := runTool(t, data, "spirv-dis", append(args, "-")...)
	if refused := m.directive("dis") != ""; refused != (err != nil) {
		t.Fatalf("spirv-dis refuses the module: %v, its comment says %v", err != nil, refused)
	}
	if err != nil {
		return
	}
	if *update && ext != "" {
		if err := os.WriteFile(m.path(ext), theirs, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if ours := disText(t, b, opt); ours != string(theirs) {
		t.Errorf("spirv-dis %v: %s", args, diffLines(string(theirs), ours))
	}
}

// TestToolsGrammar holds the spelling of the grammar against the tool: an instruction of each opcode, with random
// operands, must give the same bytes.
func TestToolsGrammar(t *testing.T) {
	if year := tool(t, "spirv-as"); year < 2026 {
		t.Skipf("not run: spirv-as of %d is installed, its grammar is older than ours", year)
	}
	// What SPIRV-Tools 2026.4 does not know or takes for something else: OpSpecConstantOp and OpTypeFloat, where it
	// refuses operations and widths; two instructions whose memory access it takes for a single flag; a new extension.
	left := []spirv.Op{spirv.OpSpecConstantOp, spirv.OpTypeFloat, spirv.OpCooperativeMatrixLoadTensorNV, spirv.OpCooperativeMatrixStoreTensorNV, spirv.OpSubgroupBitcastShuffleINTEL}
	// What needs more around it than a list of instructions has.
	left = append(left, spirv.OpConstant, spirv.OpSpecConstant, spirv.OpSwitch, spirv.OpExtInst, spirv.OpExtInstWithForwardRefsKHR, spirv.OpExtInstImport)
	m := newInstMaker(3)
	b := &spirv.Binary{Version: DefaultVersion, Generator: toolGenerator, Bound: 1}
	for _, in := range grammar.Instructions() {
		for range 3 {
			if !slices.Contains(left, in.Op) {
				b.Insts = append(b.Insts, spirv.Instruction{Op: in.Op, Words: m.operands(nil, in.Op, in.Operands)})
			}
		}
	}
	text := disText(t, b, DisOptions{RawID: true})
	if strings.Contains(text, "OpUnknown") {
		t.Fatalf("an instruction has no text:\n%s", text)
	}
	theirs, err := runTool(t, []byte(text), "spirv-as", "--preserve-numeric-ids", "-", "-o", "-")
	if err != nil {
		t.Fatal("spirv-as refuses the module")
	}
	want, err := spirv.Decode(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if d := difference(b, want); d != "" {
		t.Error(d)
	}
}
