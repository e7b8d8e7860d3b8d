package fallback_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// A meeting is a kernel with bitcast shuffles in it, written "SHUFFLE name operand [accumulator]". A shuffle needs all lanes
// of the sub-group at the same dynamic instance of it, so it shows who has met whom: by its values, and by what --check
// undefined finds.
type meeting struct {
	name string
	run.Source
	only   []run.Dialect
	shapes []shape // nil: meetingShapes
	// behind names the shuffle on the way out of a loop, if any. In a shader it is part of the iteration; in a kernel the
	// flow graph decides, in which it lies behind the loop: whoever leaves this way meets there.
	behind string
	// visit calls at for every shuffle the lane comes to, in order, with the shuffle's name, what tells the dynamic
	// instance from others (two lanes meet exactly where both are equal), and the operand.
	visit func(id uint32, in []uint32, at func(name, instance string, operand uint32))
}

var shuffleLine = regexp.MustCompile(`(?m)^\s*SHUFFLE (\w+) (%\w+)(?: (%\w+))?$`)

// expand replaces SHUFFLE lines by a shuffle from u32 to v2u16 that adds its result to the accumulator.
func expand(text string) string {
	return shuffleLine.ReplaceAllStringFunc(text, func(line string) string {
		m := shuffleLine.FindStringSubmatch(line)
		acc := m[3]
		if acc == "" {
			acc = "%acc"
		}
		return strings.NewReplacer("NAME", m[1], "OPERAND", m[2], "ACC", acc).Replace(`
			%NAME = OpSubgroupBitcastShuffleINTEL %v2u16 OPERAND
			%NAME_b = OpBitcast %u32 %NAME
			%NAME_o = OpLoad %u32 ACC
			%NAME_m = OpIMul %u32 %NAME_o %u32_31
			%NAME_s = OpIAdd %u32 %NAME_m %NAME_b
			OpStore ACC %NAME_s`)
	})
}

// event is one lane at one shuffle.
type event struct {
	name, instance string
	operand        uint32
}

// expectation is what a meeting must give: what each lane has accumulated, and how often sub-groups were found apart at
// each shuffle.
type expectation struct {
	acc      []uint32
	diverged map[string]uint64
	partial  map[string]uint64
}

// expect works out sub-group by sub-group what the lanes' visits come to.
func (m *meeting) expect(in []uint32, items, local, subGroup int) expectation {
	e := expectation{acc: make([]uint32, items), diverged: map[string]uint64{}, partial: map[string]uint64{}}
	for group := 0; group < items; group += local {
		groupEnd := min(group+local, items)
		for lo := group; lo < groupEnd; lo += subGroup {
			hi := min(lo+subGroup, groupEnd)
			visits := make([][]event, subGroup) // by lane
			operands := map[[2]string][]uint32{}
			for id := lo; id < hi; id++ {
				m.visit(uint32(id), in[id*m.Ins:][:m.Ins], func(name, instance string, operand uint32) {
					if name == m.behind && m.Dialect == run.Kernel {
						instance = ""
					}
					visits[id-lo] = append(visits[id-lo], event{name, instance, operand})
					key := [2]string{name, instance}
					if operands[key] == nil {
						operands[key] = make([]uint32, subGroup)
					}
					operands[key][id-lo] = operand
				})
			}
			here := map[[2]string]int{}
			for _, list := range visits {
				for _, v := range list {
					here[[2]string{v.name, v.instance}]++
				}
			}
			for key, n := range here {
				if n < hi-lo {
					e.diverged[key[0]]++
				}
				if hi-lo < subGroup {
					e.partial[key[0]]++
				}
			}
			for id := lo; id < hi; id++ {
				e.acc[id] = 1
				for _, v := range visits[id-lo] {
					e.acc[id] = e.acc[id]*31 + shuffled(operands[[2]string{v.name, v.instance}], id-lo)
				}
			}
		}
	}
	return e
}

// shuffled is what a lane gets from a shuffle of one 32-bit operand a lane to two 16-bit components: component c of lane l is
// piece c×N+l of all operands strung together (SPV_INTEL_subgroup_bitcast_shuffle). Lanes that do not take part count as 0.
func shuffled(operands []uint32, lane int) uint32 {
	n := len(operands)
	piece := func(i int) uint32 { return operands[i/2] >> (16 * (i % 2)) & 0xffff }
	return piece(lane) | piece(n+lane)<<16
}

func runMeetings(t *testing.T, list []meeting) {
	for _, m := range list {
		dialects := m.only
		if dialects == nil {
			dialects = run.Dialects
		}
		body := m.Body + m.Functions
		m.Body, m.Functions = "%acc = OpVariable %p_Function_u32 Function\nOpStore %acc %u32_1\n"+expand(m.Body), expand(m.Functions)
		m.Outs = 1
		for _, s := range shuffleLine.FindAllStringSubmatch(body, -1) {
			m.Annotate += fmt.Sprintf("OpName %%%s %q\n", s[1], s[1])
		}
		for _, d := range dialects {
			t.Run(fmt.Sprintf("%s/%v", m.name, d), func(t *testing.T) {
				t.Parallel()
				m := m
				m.Dialect = d
				m.test(t)
			})
		}
	}
}

var meetingShapes = []shape{
	{64, 64, 1}, {64, 64, 2}, {64, 32, 4}, {100, 100, 8}, {48, 48, 16}, {300, 300, 32}, {700, 350, 64}, {512, 512, 128}, {700, 700, 128}, {5, 5, 16},
}

// longShapes are a few, for kernels that run for long.
var longShapes = []shape{{40, 40, 8}, {64, 64, 32}, {130, 130, 64}}

func (m *meeting) test(t *testing.T) {
	mod := run.Module(t, m.Text())
	dev := run.Device(t, fallback.Options{})
	list := m.shapes
	if list == nil {
		list = meetingShapes
	}
	for _, s := range list {
		for _, p := range patterns {
			r := rand.New(rand.NewPCG(2, uint64(s.items)))
			in := make([]uint32, s.items*m.Ins)
			for i := range in {
				in[i] = p.get(i/m.Ins, i%m.Ins, r)
			}
			where := fmt.Sprintf("%d lanes in work-groups of %d, sub-groups of %d, inputs %s", s.items, s.local, s.subGroup, p.name)
			want := m.expect(in, s.items, s.local, s.subGroup)
			opt := run.Options{Items: s.items, Local: s.local, SubGroup: s.subGroup, In: in, Device: dev}
			plain := run.Launch(t, mod, &m.Source, opt)
			opt.Check = true
			checked := run.Launch(t, mod, &m.Source, opt)
			if plain.Err != nil || checked.Err != nil {
				t.Fatalf("%s: %v %v\n%s", where, plain.Err, checked.Err, m.Text())
			}
			if len(plain.Report.Findings) > 0 {
				t.Errorf("%s: findings without a check", where)
			}
			for id := range s.items {
				if plain.Out[id] != want.acc[id] || checked.Out[id] != want.acc[id] {
					t.Fatalf("%s: lane %d with inputs %v gives %#x, with --check %#x; want %#x\n%s",
						where, id, in[id*m.Ins:][:m.Ins], plain.Out[id], checked.Out[id], want.acc[id], m.Text())
				}
			}
			compareCounts(t, where, "divergent-sub-group", counts(checked.Report, "divergent-sub-group"), want.diverged)
			compareCounts(t, where, "partial-sub-group", counts(checked.Report, "partial-sub-group"), want.partial)
			if t.Failed() {
				t.Fatal(m.Text())
			}
		}
	}
}

// counts returns how often a kind was found, by the result id of the shuffle.
func counts(r *device.Report, kind string) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range r.Findings {
		if f.Kind == kind {
			out[f.Instruction] += f.Count
		}
	}
	return out
}

func compareCounts(t *testing.T, where, kind string, got, want map[string]uint64) {
	t.Helper()
	for inst, n := range got {
		name := strings.TrimPrefix(strings.Fields(inst)[0], "%")
		if want[name] != n {
			t.Errorf("%s: %d times %s at %s, want %d", where, n, kind, inst, want[name])
		}
		delete(want, name)
	}
	for name, n := range want {
		t.Errorf("%s: never %s at %%%s, want %d times", where, kind, name, n)
	}
}
