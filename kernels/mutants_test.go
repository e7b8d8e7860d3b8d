package kernels_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/kernels/gen"
	"github.com/sgrun/sgrun/kernels/oracle"
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
)

// verify runs the vectors on a device and returns the outcome of every case, by "topic/name".
func verify(t *testing.T, s *suite, d device.Device, patterns ...string) map[string]runner.VerifyRow {
	t.Helper()
	report, err := runner.VerifyCases(context.Background(), d, s.files, kernels.Catalogue(), patterns, runner.VerifyOptions{Parallel: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]runner.VerifyRow{}
	for _, r := range report.Rows {
		rows[r.Topic+"/"+r.Name] = r
	}
	return rows
}

// A device that does what the specifications say passes every case: the files say what the generator means, and the runner
// reads them so.
func TestTrueRulesPass(t *testing.T) {
	s := getSuite(t)
	for name, row := range verify(t, s, &effectDevice{suite: s}) {
		if row.Outcome != runner.Passed {
			t.Errorf("%s: %s: %s", name, row.Outcome, row.Reason)
		}
	}
}

// No case passes on a device that does nothing.
func TestNothingFails(t *testing.T) {
	s := getSuite(t)
	for name, row := range verify(t, s, &effectDevice{suite: s, nothing: true}) {
		if row.Outcome != runner.Failed {
			t.Errorf("%s: %s on a device that does nothing (%s)", name, row.Outcome, row.Reason)
		}
	}
}

// mutant is a planted error.
type mutant struct {
	name  string
	rules gen.Rules
	// topics are those that must notice it.
	topics []string
	// only are the topics that can notice an error of the instructions between work-items, by the beginning of their names.
	only []string
	// least is how many cases must notice it.
	least int
}

var shuffleTopics = []string{"bitcast-shuffle", "shader", "shuffle-flow", "there-and-back", "vnni"}

func mutants() []mutant {
	shuffle := func(f func(operand [][]uint64, src, dst oracle.Type) [][]uint64) gen.Rules {
		return gen.Rules{Shuffle: f}
	}
	xor := func(f func(s oracle.SubGroup, lane int, mask uint64) (int, bool)) gen.Rules {
		return gen.Rules{ShuffleXor: f}
	}
	xorTopic := []string{"shuffle-xor"}
	return append([]mutant{
		{name: "plain per-lane bitcast", rules: shuffle(oracle.Bitcast), topics: []string{"bitcast-shuffle", "shader", "shuffle-flow", "vnni"}, least: 500},
		{name: "halves swapped", rules: shuffle(halvesSwapped), topics: shuffleTopics[:1], least: 500},
		{name: "lanes reversed", rules: shuffle(lanesReversed), topics: []string{"bitcast-shuffle", "bitcast-same-count", "shader", "shuffle-flow", "vnni"}, least: 500},
		{name: "one direction for the other", rules: shuffle(otherDirection), topics: []string{"bitcast-shuffle", "shader", "shuffle-flow", "vnni"}, least: 300},
		{name: "operand taken lane by lane", rules: shuffle(operandByLane), topics: []string{"bitcast-shuffle", "shader", "shuffle-flow", "vnni"}, least: 300},
		{name: "result given lane by lane", rules: shuffle(resultByLane), topics: []string{"bitcast-shuffle", "shader", "shuffle-flow", "vnni"}, least: 300},
		{name: "half sub-groups", rules: shuffle(halfSubGroups), topics: []string{"bitcast-shuffle", "shader", "shuffle-flow", "vnni"}, least: 500},
		{name: "unpacked B", rules: gen.Rules{UnpackedB: true}, topics: []string{"vnni"}, least: 30},
		{name: "signedness ignored: unsigned for signed", rules: gen.Rules{Instead: swaps(true)}, topics: []string{"integer", "bits", "compare", "convert", "shader"}, least: 80},
		{name: "signedness ignored: signed for unsigned", rules: gen.Rules{Instead: swaps(false)}, topics: []string{"integer", "bits", "compare", "convert", "shader"}, least: 70},
		{name: "mask taken for a lane", rules: xor(func(s oracle.SubGroup, _ int, mask uint64) (int, bool) { return s.ShuffleXor(0, mask) }), topics: xorTopic, least: 160, only: xorTopic},
		{name: "mask added", rules: xor(maskAdded), topics: xorTopic, least: 160, only: xorTopic},
		{name: "inactive lanes read", rules: xor(func(s oracle.SubGroup, lane int, mask uint64) (int, bool) {
			return oracle.Full(len(s)).ShuffleXor(lane, mask)
		}), topics: xorTopic, least: 90, only: xorTopic}, // all patterns but the one without divergence
	}, workItemMutants()...)
}

// Each planted error is noticed by every case in which it makes a difference. A case in which it makes none (a sub-group of
// one lane, data that are the same either way) is known by computing both results, and must pass.
func TestMutantsFail(t *testing.T) {
	s := getSuite(t)
	planted := mutants()
	if raceDetector { // races do not depend on which error is planted
		planted = []mutant{planted[0], planted[7], planted[10]}
	}
	right := map[string]map[string][]byte{}
	for _, topic := range s.all.Topics {
		for _, c := range topic.Cases {
			right[topic.Name+"/"+c.Name] = expected(c)
		}
	}
	for _, m := range planted {
		t.Run(m.name, func(t *testing.T) {
			topics, patterns := s.concerned(m)
			rows := verify(t, s, &effectDevice{suite: s, rules: m.rules}, patterns...)
			caught, exempt := map[string]int{}, 0
			for _, topic := range topics {
				for _, c := range topic.Cases {
					name := topic.Name + "/" + c.Name
					differs := false
					for buffer, data := range run(t, c, &m.rules) {
						differs = differs || !bytes.Equal(data, right[name][buffer])
					}
					switch outcome := rows[name].Outcome; {
					case differs && outcome == runner.Failed:
						caught[topic.Name]++
						caught[""]++
					case !differs && outcome == runner.Passed:
						exempt++
					default:
						t.Errorf("%s: %s, and the results differ: %v (%s)", name, outcome, differs, rows[name].Reason)
					}
				}
			}
			all := caught[""]
			delete(caught, "")
			t.Logf("caught by %d cases, of which %v; %d cases have the same result either way", all, caught, exempt)
			if all < m.least {
				t.Errorf("caught by %d cases only, fewer than %d", all, m.least)
			}
			for _, name := range m.topics {
				if caught[name] == 0 {
					t.Errorf("no case of %s notices it", name)
				}
			}
		})
	}
}

// concerned returns the topics whose kernels can have the error: those it names, or those with a bitcast shuffle for the
// errors in it, all others for errors in other instructions.
func (s *suite) concerned(m mutant) (topics []*gen.Topic, patterns []string) {
	inShuffle := m.rules.Instead == nil
	for _, topic := range s.all.Topics {
		if m.only != nil {
			if slices.ContainsFunc(m.only, func(name string) bool { return strings.HasPrefix(topic.Name, name) }) {
				topics, patterns = append(topics, topic), append(patterns, topic.Name+"/*")
			}
			continue
		}
		if slices.ContainsFunc([]string{"group-", "atomic", "barrier", "shuffle-xor"}, func(name string) bool { return strings.HasPrefix(topic.Name, name) }) {
			continue // they have errors of their own
		}
		has := false
		for _, c := range topic.Cases {
			has = has || slices.Contains(c.Requires, "SubgroupBitcastShuffleINTEL") == inShuffle
		}
		if has {
			topics = append(topics, topic)
			patterns = append(patterns, topic.Name+"/*")
		}
	}
	return topics, patterns
}

// expected are the contents of a case's buffers after the steps, by the true rules.
func expected(c *gen.Case) map[string][]byte {
	buffers := map[string][]byte{}
	for _, b := range c.Buffers {
		buffers[b.Name] = b.Array.Data
	}
	for _, e := range c.Expect { // all that change, so all outputs
		buffers[e.Buffer] = e.Array.Data
	}
	return buffers
}

func run(t *testing.T, c *gen.Case, r *gen.Rules) map[string][]byte {
	t.Helper()
	buffers, err := c.Run(r, 0xa5)
	if err != nil {
		t.Fatal(err)
	}
	return buffers
}

// swaps replaces each instruction whose result depends on the sign by the one of the other kind.
func swaps(unsignedForSigned bool) map[string]string {
	m := map[string]string{}
	for _, pair := range [][2]string{
		{"OpSDiv", "OpUDiv"}, {"OpSRem", "OpUMod"}, {"OpSMod", "OpUMod"}, {"OpSMulExtended", "OpUMulExtended"},
		{"OpShiftRightArithmetic", "OpShiftRightLogical"}, {"OpBitFieldSExtract", "OpBitFieldUExtract"},
		{"OpSGreaterThan", "OpUGreaterThan"}, {"OpSGreaterThanEqual", "OpUGreaterThanEqual"},
		{"OpSLessThan", "OpULessThan"}, {"OpSLessThanEqual", "OpULessThanEqual"},
		{"OpSConvert", "OpUConvert"}, {"OpConvertSToF", "OpConvertUToF"}, {"OpConvertFToS", "OpConvertFToU"},
		{"OpSatConvertSToU", "OpSatConvertUToS"},
	} {
		if unsignedForSigned {
			m[pair[0]] = pair[1]
		} else {
			m[pair[1]] = pair[0]
		}
	}
	return m
}

// maskAdded takes the sum of lane and mask for their exclusive or.
func maskAdded(s oracle.SubGroup, lane int, mask uint64) (int, bool) {
	if mask >= uint64(len(s)) {
		return 0, false
	}
	source := (lane + int(mask)) % len(s)
	return source, s[source]
}

func shuffled(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	result, err := oracle.BitcastShuffle(operand, src, dst)
	if err != nil {
		panic(err)
	}
	return result
}

// halvesSwapped takes the high half of each wide component for the low one.
func halvesSwapped(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	if src.Width > dst.Width {
		return shuffled(swapHalves(operand, src.Width), src, dst)
	}
	return swapHalves(shuffled(operand, src, dst), dst.Width)
}

func swapHalves(data [][]uint64, width int) [][]uint64 {
	swapped := make([][]uint64, len(data))
	for lane, components := range data {
		for _, c := range components {
			all := uint64(1)<<width - 1
			swapped[lane] = append(swapped[lane], (c<<(width/2)|c>>(width/2))&all)
		}
	}
	return swapped
}

// lanesReversed takes the last lane for the first.
func lanesReversed(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	reversed := slices.Clone(operand)
	slices.Reverse(reversed)
	return shuffled(reversed, src, dst)
}

// otherDirection does to the bits of src what the shuffle from dst to src does.
func otherDirection(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	there := oracle.Bitcast(operand, src, dst)
	return oracle.Bitcast(shuffled(there, dst, src), src, dst)
}

// operandByLane concatenates all components of the first lane, then those of the next.
func operandByLane(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	if src.Count == dst.Count {
		return oracle.Bitcast(operand, src, dst)
	}
	one := oracle.Type{Width: 1, Count: src.Bits()}
	var bits []uint64
	for _, lane := range oracle.Bitcast(operand, src, one) {
		bits = append(bits, lane...)
	}
	result := make([][]uint64, len(operand))
	for c := range dst.Count {
		for lane := range operand {
			at := (c*len(operand) + lane) * dst.Width
			result[lane] = append(result[lane], oracle.Bitcast([][]uint64{bits[at : at+dst.Width]},
				oracle.Type{Width: 1, Count: dst.Width}, oracle.Type{Width: dst.Width, Count: 1})[0][0])
		}
	}
	return result
}

// resultByLane gives the first lane all its components before the next lane gets any.
func resultByLane(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	right := shuffled(operand, src, dst)
	if src.Count == dst.Count {
		return right
	}
	var stream []uint64
	for c := range dst.Count {
		for lane := range right {
			stream = append(stream, right[lane][c])
		}
	}
	result := make([][]uint64, len(operand))
	for lane := range result {
		result[lane] = stream[lane*dst.Count : (lane+1)*dst.Count]
	}
	return result
}

// halfSubGroups shuffles each half of the sub-group for itself.
func halfSubGroups(operand [][]uint64, src, dst oracle.Type) [][]uint64 {
	if len(operand) == 1 {
		return shuffled(operand, src, dst)
	}
	middle := len(operand) / 2
	return append(shuffled(operand[:middle], src, dst), shuffled(operand[middle:], src, dst)...)
}

// The vectors print the specification's worked examples as it does.
func TestWorkedExamplesAreCases(t *testing.T) {
	s := getSuite(t)
	var titles []string
	for _, f := range s.files {
		for _, c := range f.Cases {
			if _, title, ok := strings.Cut(c.From, "Examples, "); ok {
				titles = append(titles, title)
			}
		}
	}
	slices.Sort(titles)
	want := []string{"32-bit Scalar to Vector of 16-bit Data", "32-bit Scalar to Vector of 8-bit Data",
		"Vector of 16-bit Data to 32-bit Scalar", "Vector of 8-bit Data to 32-bit Scalar"}
	if !slices.Equal(titles, want) {
		t.Errorf("the examples that are cases: %q", titles)
	}
}
