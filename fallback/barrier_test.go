package fallback_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// barriers expands bodies with barriers. In them
//
//	share %x           stores x in the lane's word of local memory
//	%y = neighbour     loads the word of the next lane of the work-group, the last one's being the first
//	barrier            waits for the work-group; sub-barrier for the sub-group
//
// so that a barrier which lets somebody through too early or too late changes what neighbours see.
func barriers(d run.Dialect, body string, local int, functions string) run.Source {
	var b strings.Builder
	n := 0
	expand := func(text string) string {
		b.Reset()
		for line := range strings.Lines(text) {
			n++
			at := fmt.Sprintf("%%at_%d = OpInBoundsAccessChain %%p_Workgroup_u32 %%shared INDEX\n", n)
			f := strings.Fields(line)
			switch {
			case len(f) == 2 && f[0] == "share":
				b.WriteString(strings.Replace(at, "INDEX", "%lid", 1) + fmt.Sprintf("OpStore %%at_%d %s\n", n, f[1]))
			case len(f) == 3 && f[2] == "neighbour":
				fmt.Fprintf(&b, "%%next_%d = OpIAdd %%u32 %%lid %%u32_1\n%%wrapped_%d = OpUMod %%u32 %%next_%d %%u32_%d\n", n, n, n, local)
				b.WriteString(strings.Replace(at, "INDEX", fmt.Sprintf("%%wrapped_%d", n), 1) + fmt.Sprintf("%s = OpLoad %%u32 %%at_%d\n", f[0], n))
			case len(f) == 1 && f[0] == "barrier":
				b.WriteString("OpControlBarrier %u32_2 %u32_2 %u32_264\n")
			case len(f) == 1 && f[0] == "sub-barrier":
				b.WriteString("OpControlBarrier %u32_3 %u32_3 %u32_264\n")
			default:
				b.WriteString(line)
			}
		}
		return b.String()
	}
	sync := "%sync_t = OpTypeFunction %void\n"
	if d == run.Shader { // whose entry point has the same type
		sync, functions = "", strings.ReplaceAll(functions, "%sync_t", "%main_t")
	}
	return run.Source{
		Dialect: d, Ins: 1, Outs: 1, Body: expand(body), Functions: expand(functions), Interface: "%shared",
		Globals: fmt.Sprintf("%%shared = OpVariable %%p_Workgroup_a%d_u32 Workgroup\n", local) + sync,
	}
}

// Lanes of a work-group of n see what their neighbours did before the same barrier in the same iteration.
var legalBarriers = []struct {
	name      string
	body      string
	functions string
	kernels   bool // only: the flow is not structured
	want      func(l, n uint32) uint32
}{
	{
		name: "once",
		body: `share %lid
barrier
%y = neighbour
OpStore %out0 %y
OpReturn`,
		want: func(l, n uint32) uint32 { return (l + 1) % n },
	},
	{
		name: "behind a branch that some lanes take",
		body: `%bit = OpBitwiseAnd %u32 %lid %u32_1
%odd = OpINotEqual %bool %bit %u32_0
OpSelectionMerge %met None
OpBranchConditional %odd %then %met
%then = OpLabel
%tripled = OpIMul %u32 %lid %u32_3
OpBranch %met
%met = OpLabel
%x = OpPhi %u32 %lid %entry %tripled %then
share %x
barrier
%y = neighbour
OpStore %out0 %y
OpReturn`,
		want: func(l, n uint32) uint32 {
			if k := (l + 1) % n; k%2 == 1 {
				return 3 * k
			} else {
				return k
			}
		},
	},
	{
		name: "behind a loop with a trip count for each lane",
		body: `%trips = OpBitwiseAnd %u32 %lid %u32_7
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %next
%x = OpPhi %u32 %u32_1 %entry %x1 %next
%more = OpULessThan %bool %i %trips
OpLoopMerge %end %next None
OpBranchConditional %more %next %end
%next = OpLabel
%x1 = OpIMul %u32 %x %u32_3
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
share %x
barrier
%y = neighbour
OpStore %out0 %y
OpReturn`,
		want: func(l, n uint32) uint32 { return power(3, (l+1)%n%8) },
	},
	{
		// Six rounds; in each, lanes whose number's bit says so do something first.
		name: "in a loop, in the same iteration under guards",
		body: `OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %next
%x = OpPhi %u32 %lid %entry %y %next
%more = OpULessThan %bool %i %u32_6
OpLoopMerge %end %next None
OpBranchConditional %more %round %end
%round = OpLabel
%shifted = OpShiftRightLogical %u32 %lid %i
%bit = OpBitwiseAnd %u32 %shifted %u32_1
%set = OpINotEqual %bool %bit %u32_0
OpSelectionMerge %met None
OpBranchConditional %set %then %met
%then = OpLabel
%grown = OpIAdd %u32 %x %u32_1000
OpBranch %met
%met = OpLabel
%v = OpPhi %u32 %x %round %grown %then
share %v
barrier
%y = neighbour
barrier
OpBranch %next
%next = OpLabel
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
OpStore %out0 %x
OpReturn`,
		want: func(l, n uint32) uint32 {
			x := (l + 6) % n // whose value arrives, having passed the lanes l+6 … l+1 in rounds 0 … 5
			sum := x
			for round := range uint32(6) {
				if (l+6-round)%n>>round&1 == 1 {
					sum += 1000
				}
			}
			return sum
		},
	},
	{
		name: "in nested loops",
		body: `OpBranch %outer
%outer = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %outer_next
%x = OpPhi %u32 %lid %entry %x1 %outer_next
%more = OpULessThan %bool %i %u32_3
OpLoopMerge %end %outer_next None
OpBranchConditional %more %inner_entry %end
%inner_entry = OpLabel
OpBranch %inner
%inner = OpLabel
%j = OpPhi %u32 %u32_0 %inner_entry %j1 %inner_next
%x1 = OpPhi %u32 %x %inner_entry %y %inner_next
%inner_more = OpULessThan %bool %j %i
OpLoopMerge %inner_end %inner_next None
OpBranchConditional %inner_more %inner_next %inner_end
%inner_next = OpLabel
share %x1
barrier
%y = neighbour
barrier
%j1 = OpIAdd %u32 %j %u32_1
OpBranch %inner
%inner_end = OpLabel
OpBranch %outer_next
%outer_next = OpLabel
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %outer
%end = OpLabel
OpStore %out0 %x
OpReturn`,
		want: func(l, n uint32) uint32 { return (l + 3) % n }, // 0 + 1 + 2 turns
	},
	{
		name: "in a function called from two places",
		body: `share %lid
%c1 = OpFunctionCall %void %sync
%y = neighbour
%c2 = OpFunctionCall %void %sync
%z = OpIMul %u32 %y %u32_5
share %z
%c3 = OpFunctionCall %void %sync
%w = neighbour
OpStore %out0 %w
OpReturn`,
		functions: `%sync = OpFunction %void None %sync_t
%sync_entry = OpLabel
barrier
OpReturn
OpFunctionEnd`,
		want: func(l, n uint32) uint32 { return (l + 2) % n * 5 },
	},
	{
		name: "behind a loop that lanes leave early by two ways",
		body: `%limit = OpBitwiseAnd %u32 %lid %u32_3
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %next
OpLoopMerge %end %next None
OpBranch %body
%body = OpLabel
%hit = OpIEqual %bool %i %limit
OpSelectionMerge %on None
OpBranchConditional %hit %first %on
%first = OpLabel
OpBranch %end
%on = OpLabel
%two = OpUGreaterThanEqual %bool %i %u32_2
OpBranchConditional %two %end %next
%next = OpLabel
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
%way = OpPhi %u32 %i %first %u32_100 %on
share %way
barrier
%y = neighbour
OpStore %out0 %y
OpReturn`,
		want: func(l, n uint32) uint32 {
			if k := (l + 1) % n % 4; k < 3 {
				return k
			}
			return 100
		},
	},
	{
		// Odd lanes come by one block, even ones by another; the barrier's block is the same.
		name: "reached from two blocks", kernels: true,
		body: `%bit = OpBitwiseAnd %u32 %lid %u32_1
%odd = OpINotEqual %bool %bit %u32_0
OpBranchConditional %odd %left %right
%left = OpLabel
OpBranch %met
%right = OpLabel
%far = OpUGreaterThan %bool %lid %u32_2
OpBranchConditional %far %further %met
%further = OpLabel
OpBranch %met
%met = OpLabel
%x = OpPhi %u32 %u32_7 %left %u32_8 %right %u32_9 %further
share %x
barrier
%y = neighbour
OpStore %out0 %y
OpReturn`,
		want: func(l, n uint32) uint32 {
			switch k := (l + 1) % n; {
			case k%2 == 1:
				return 7
			case k > 2:
				return 9
			}
			return 8
		},
	},
	{
		// Whole work-groups leave before the barrier, whole ones of those that stay go round more often.
		name: "work-groups on ways of their own",
		body: `%group = OpUDiv %u32 %gid %u32_LOCAL
%leaves = OpIEqual %bool %group %u32_1
OpSelectionMerge %stay None
OpBranchConditional %leaves %gone %stay
%gone = OpLabel
OpStore %out0 %u32_77
OpReturn
%stay = OpLabel
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %stay %i1 %next
%x = OpPhi %u32 %lid %stay %y %next
%more = OpULessThanEqual %bool %i %group
OpLoopMerge %end %next None
OpBranchConditional %more %next %end
%next = OpLabel
share %x
barrier
%y = neighbour
barrier
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
OpStore %out0 %x
OpReturn`,
		want: nil, // by group, below
	},
}

func power(x, n uint32) uint32 {
	y := uint32(1)
	for range n {
		y *= x
	}
	return y
}

func TestLegalBarriers(t *testing.T) {
	for _, c := range legalBarriers {
		for _, d := range run.Dialects {
			if c.kernels && d == run.Shader {
				continue
			}
			t.Run(c.name+"/"+d.String(), func(t *testing.T) {
				for _, shape := range [][2]int{{1, 1}, {5, 4}, {32, 8}, {33, 16}, {300, 32}, {1000, 128}} {
					local := shape[0]
					src := barriers(d, strings.ReplaceAll(c.body, "LOCAL", fmt.Sprint(local)), local, c.functions)
					m := run.Module(t, src.Text())
					for seed := range uint64(4) { // 0: in parallel; 3: lanes give way to each other all the time
						dev := run.Device(t, fallback.Options{})
						if seed == 3 {
							dev = run.Device(t, fallback.Impatient)
						}
						got := run.Launch(t, m, &src, run.Options{Items: 3 * local, Local: local, SubGroup: shape[1], In: make([]uint32, 3*local), Device: dev, Seed: seed, Deterministic: seed > 0})
						if got.Err != nil {
							t.Fatalf("%d work-items: %v", local, got.Err)
						}
						for i, y := range got.Out {
							l, n, group := uint32(i%local), uint32(local), uint32(i/local)
							var want uint32
							switch {
							case c.want != nil:
								want = c.want(l, n)
							case group == 1:
								want = 77
							default:
								want = (l + group + 1) % n
							}
							if y != want {
								t.Fatalf("%d work-items, sub-groups of %d, seed %d: work-item %d has %d, want %d", local, shape[1], seed, i, y, want)
							}
						}
					}
				}
			})
		}
	}
}

// Sub-groups wait for themselves alone: each turns its words around as often as its number says.
func TestSubGroupBarriers(t *testing.T) {
	for _, d := range run.Dialects {
		src := barriers(d, `%number = OpUDiv %u32 %lid %u32_8
%lane = OpUMod %u32 %lid %u32_8
%back = OpISub %u32 %u32_7 %lane
%first = OpISub %u32 %lid %lane
%mirror = OpIAdd %u32 %first %back
%at = OpInBoundsAccessChain %p_Workgroup_u32 %shared %mirror
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %next
%x = OpPhi %u32 %lid %entry %y %next
%more = OpULessThan %bool %i %number
OpLoopMerge %end %next None
OpBranchConditional %more %next %end
%next = OpLabel
share %x
sub-barrier
%y = OpLoad %u32 %at
sub-barrier
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
OpStore %out0 %x
OpReturn`, 320, "")
		for seed := range uint64(3) {
			got := src.Run(t, run.Options{Items: 320, Local: 320, SubGroup: 8, In: make([]uint32, 320), Seed: seed, Deterministic: seed > 0})
			if got.Err != nil {
				t.Fatal(got.Err)
			}
			for i, y := range got.Out {
				want := i
				if i/8%2 == 1 {
					want = i/8*8 + 7 - i%8
				}
				if int(y) != want {
					t.Fatalf("%v: work-item %d has %d, want %d", d, i, y, want)
				}
			}
		}
	}
}

// What can never go on is an error that says how many wait where and how many have left.
func TestIllegalBarriers(t *testing.T) {
	const half = `%few = OpULessThan %bool %lid %u32_10
`
	cases := []struct {
		name, body, functions string
		says                  []string
		shader                []string // what it says in shaders, if that is something else
		released              bool     // --barrier-exited=release makes it legal in kernels
	}{
		{
			name: "some have left", released: true,
			body: half + `OpSelectionMerge %met None
OpBranchConditional %few %stay %met
%stay = OpLabel
barrier
OpStore %out0 %u32_5
OpBranch %met
%met = OpLabel
OpReturn`,
			says:   []string{"10 of 32 wait here", "have left the kernel: 22", "--barrier-exited=release"},
			shader: []string{"10 of 32 wait here", "waiting for these: 22"}, // at the merge block, and have not left
		},
		{
			name: "two barriers on two ways",
			body: half + `OpSelectionMerge %met None
OpBranchConditional %few %left %right
%left = OpLabel
barrier
OpBranch %met
%right = OpLabel
barrier
OpBranch %met
%met = OpLabel
OpStore %out0 %u32_5
OpReturn`,
			says: []string{"22 of 32 wait here", "waiting elsewhere: 10 at the barrier at word offset"},
		},
		{
			// A lane goes round as often as its number's low bits say. Those with 0 wait behind the loop, the others inside.
			name: "in iterations that not all execute",
			body: `%trips = OpBitwiseAnd %u32 %lid %u32_3
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %next
%more = OpULessThan %bool %i %trips
OpLoopMerge %end %next None
OpBranchConditional %more %next %end
%next = OpLabel
barrier
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
barrier
OpStore %out0 %u32_5
OpReturn`,
			says: []string{"24 of 32 wait here", "waiting for these: 8"},
		},
		{
			name: "in two calls of a function",
			body: half + `OpSelectionMerge %met None
OpBranchConditional %few %left %right
%left = OpLabel
%c1 = OpFunctionCall %void %sync
OpBranch %met
%right = OpLabel
%c2 = OpFunctionCall %void %sync
OpBranch %met
%met = OpLabel
OpStore %out0 %u32_5
OpReturn`,
			functions: `%sync = OpFunction %void None %sync_t
%sync_entry = OpLabel
barrier
OpReturn
OpFunctionEnd`,
			says:   []string{"22 of 32 wait here", "waiting for these: 10"},
			shader: []string{"22 of 32 wait here", "waiting elsewhere: 10 at another execution of it"},
		},
		{
			name: "of a sub-group that is not complete", released: true,
			body: half + `OpSelectionMerge %met None
OpBranchConditional %few %stay %met
%stay = OpLabel
sub-barrier
OpStore %out0 %u32_5
OpBranch %met
%met = OpLabel
OpReturn`,
			says:   []string{"2 of 32 wait here", "have left the kernel: 30", "--barrier-exited=release"},
			shader: []string{"2 of 32 wait here", "waiting for these:"},
		},
		{
			name: "of the sub-group here, of the work-group there",
			body: half + `OpSelectionMerge %met None
OpBranchConditional %few %left %right
%left = OpLabel
sub-barrier
OpBranch %met
%right = OpLabel
barrier
OpBranch %met
%met = OpLabel
OpStore %out0 %u32_5
OpReturn`,
			says: []string{"22 of 32 wait here", "waiting elsewhere: 2 at the barrier at word offset"},
		},
	}
	for _, c := range cases {
		for _, d := range run.Dialects {
			t.Run(c.name+"/"+d.String(), func(t *testing.T) {
				src := barriers(d, c.body, 32, c.functions)
				for seed := range uint64(3) {
					opt := run.Options{Items: 64, Local: 32, SubGroup: 8, In: make([]uint32, 64), Seed: seed, Deterministic: seed > 0}
					got := src.Run(t, opt)
					says := c.says
					if d == run.Shader && c.shader != nil {
						says = c.shader
					}
					wantError(t, got.Err, device.Fault, "divergent-barrier", says...)
					opt.ReleaseExited = true
					got = src.Run(t, opt)
					if !c.released || d == run.Shader {
						wantError(t, got.Err, device.Fault, "divergent-barrier")
						continue
					}
					if got.Err != nil {
						t.Fatal(got.Err)
					}
					for i, y := range got.Out {
						want := uint32(run.Poison)
						if i%32 < 10 {
							want = 5
						}
						if y != want {
							t.Fatalf("work-item %d has %d, want %d", i, y, want)
						}
					}
				}
			})
		}
	}
}

// With work-items that have left counted as arrived, the others still get their asynchronous copy, and a broadcast from one
// that has left is undefined rather than what it once had.
func TestReleasedGroupOperations(t *testing.T) {
	src := barriers(run.Kernel, `%events = OpVariable %p_Function_event_t Function
%few = OpULessThan %bool %lid %u32_3
OpBranchConditional %few %leave %stay
%leave = OpLabel
OpReturn
%stay = OpLabel
%first = OpInBoundsAccessChain %p_Workgroup_u32 %shared %u32_0
%event = OpGroupAsyncCopy %event_t %u32_2 %first %in_buf %u64_8 %u64_1 %none
OpStore %events %event
OpGroupWaitEvents %u32_2 %u32_1 %events
%index = OpBitwiseAnd %u32 %lid %u32_7
%at = OpInBoundsAccessChain %p_Workgroup_u32 %shared %index
%copied = OpLoad %u32 %at
%gone = OpGroupBroadcast %u32 %u32_2 %lid %u64_1
%y = OpIAdd %u32 %copied %gone
OpStore %out0 %y
OpReturn`, 16, "")
	src.Caps = []string{"Groups"}
	src.Globals += "%event_t = OpTypeEvent\n%none = OpConstantNull %event_t\n"
	in := make([]uint32, 16)
	for i := range in {
		in[i] = uint32(100 + i)
	}
	got := src.Run(t, run.Options{Items: 16, Local: 16, SubGroup: 8, In: in, ReleaseExited: true, Check: true})
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	for i, y := range got.Out {
		want := uint32(run.Poison)
		if i >= 3 {
			want = uint32(100 + i%8)
		}
		if y != want {
			t.Errorf("work-item %d has %d, want %d", i, y, want)
		}
	}
	if !slices.ContainsFunc(got.Report.Findings, func(f device.Finding) bool { return f.Kind == "inactive-lane" }) {
		t.Errorf("the broadcast is not reported: %v", got.Report.Findings)
	}
}
