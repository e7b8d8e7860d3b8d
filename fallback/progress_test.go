package fallback_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// atomics expands bodies whose words lie in the buffer "in", which all work-items share: word N is word N of it.
//
//	%x = load WORD          %x = exchange WORD %y       store WORD %y
//	%x = add WORD %y        %x = compare WORD %new %old
func atomics(body string) run.Source {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(body) {
		f := strings.Fields(line)
		at := func(word string) string {
			n++
			if !strings.HasPrefix(word, "%") {
				word = "%u32_" + word
			}
			fmt.Fprintf(&b, "%%at_%d = OpInBoundsPtrAccessChain %%p_CrossWorkgroup_u32 %%in_buf %s\n", n, word)
			return fmt.Sprintf("%%at_%d", n)
		}
		const all = " %u32_1 %u32_528" // device scope; sequentially consistent, cross-work-group memory
		switch {
		case len(f) == 3 && f[0] == "store":
			fmt.Fprintf(&b, "OpAtomicStore %s%s %s\n", at(f[1]), all, f[2])
		case len(f) == 4 && f[2] == "load":
			fmt.Fprintf(&b, "%s = OpAtomicLoad %%u32 %s%s\n", f[0], at(f[3]), all)
		case len(f) == 5 && f[2] == "exchange":
			fmt.Fprintf(&b, "%s = OpAtomicExchange %%u32 %s%s %s\n", f[0], at(f[3]), all, f[4])
		case len(f) == 5 && f[2] == "add":
			fmt.Fprintf(&b, "%s = OpAtomicIAdd %%u32 %s%s %s\n", f[0], at(f[3]), all, f[4])
		case len(f) == 6 && f[2] == "compare":
			fmt.Fprintf(&b, "%s = OpAtomicCompareExchange %%u32 %s%s %%u32_528 %s %s\n", f[0], at(f[3]), all, f[4], f[5])
		default:
			b.WriteString(line)
		}
	}
	return run.Source{Ins: 0, Outs: 1, Body: b.String()}
}

// Kernels whose work-items wait for each other, without a barrier. Each comes to its end however lanes, sub-groups and
// work-groups are run, with the values that waiting in the right way gives.
var progress = []struct {
	name  string
	words int // of the shared buffer
	body  string
	// check gets the shared words, what each work-item stored, and the work-group's size.
	check func(shared, out []uint32, local int) error
}{
	{
		// The textbook's spin lock: lanes of one sub-group contend, and the holder must get out of the loop to release it.
		name: "spin lock", words: 2,
		body: `OpBranch %try
%try = OpLabel
%was = compare 0 %u32_1 %u32_0
%got = OpIEqual %bool %was %u32_0
OpBranchConditional %got %mine %try
%mine = OpLabel
%at = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %in_buf %u32_1
%old = OpLoad %u32 %at
%new = OpIAdd %u32 %old %u32_1
OpStore %at %new
store 0 %u32_0
OpStore %out0 %old
OpReturn`,
		check: countsUp,
	},
	{
		// The same, with the critical section in the loop and a flag that ends it.
		name: "spin lock with a flag", words: 2,
		body: `OpBranch %head
%head = OpLabel
%did = OpPhi %bool %false %entry %does %next
OpBranchConditional %did %end %try
%try = OpLabel
%was = exchange 0 %u32_1
%got = OpIEqual %bool %was %u32_0
OpBranchConditional %got %mine %next
%mine = OpLabel
%at = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %in_buf %u32_1
%old = OpLoad %u32 %at
%new = OpIAdd %u32 %old %u32_1
OpStore %at %new
OpStore %out0 %old
store 0 %u32_0
OpBranch %next
%next = OpLabel
%does = OpPhi %bool %false %try %true %mine
OpBranch %head
%end = OpLabel
OpReturn`,
		check: countsUp,
	},
	{
		// Each draws a number and waits until it is called: the one that holds the lock may be any lane anywhere.
		name: "ticket lock", words: 3,
		body: `%ticket = add 0 %u32_1
OpBranch %wait
%wait = OpLabel
%called = load 1
%mine = OpIEqual %bool %called %ticket
OpBranchConditional %mine %enter %wait
%enter = OpLabel
%at = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %in_buf %u32_2
%old = OpLoad %u32 %at
%new = OpIAdd %u32 %old %u32_1
OpStore %at %new
%next = OpIAdd %u32 %ticket %u32_1
OpStore %out0 %old
store 1 %next
OpReturn`,
		check: func(shared, out []uint32, local int) error {
			return countsUp(shared[1:], out, local)
		},
	},
	{
		// Lane by lane: each waits for the one before it, the first for nobody. Lanes that come first in every order spin.
		name: "a chain through all work-items, backwards", words: 1,
		body: `%n = OpIAdd %u32 %u32_0 %u32_TOTAL
%last = OpISub %u32 %n %u32_1
%turn = OpISub %u32 %last %gid
OpBranch %wait
%wait = OpLabel
%now = load 0
%mine = OpIEqual %bool %now %turn
OpBranchConditional %mine %go %wait
%go = OpLabel
%then = OpIAdd %u32 %turn %u32_1
OpStore %out0 %turn
store 0 %then
OpReturn`,
		check: func(shared, out []uint32, _ int) error {
			for i, y := range out {
				if int(y) != len(out)-1-i {
					return fmt.Errorf("work-item %d had turn %d", i, y)
				}
			}
			return nil
		},
	},
	{
		// A scan over all work-groups with look-back: the first work-item of each publishes its sum, after having waited for
		// the one before. Flags and sums are pairs of words from 0 on.
		name: "look-back scan", words: 4096,
		body: `%group = OpUDiv %u32 %gid %u32_LOCAL
%first = OpIEqual %bool %lid %u32_0
OpBranchConditional %first %lead %end
%lead = OpLabel
%own = OpIAdd %u32 %group %u32_3
%flag = OpIMul %u32 %group %u32_2
%sum = OpIAdd %u32 %flag %u32_1
%none = OpIEqual %bool %group %u32_0
OpBranchConditional %none %publish %wait
%wait = OpLabel
%flag_before = OpISub %u32 %flag %u32_2
%is = load %flag_before
%set = OpINotEqual %bool %is %u32_0
OpBranchConditional %set %take %wait
%take = OpLabel
%sum_before = OpISub %u32 %flag %u32_1
%before = load %sum_before
OpBranch %publish
%publish = OpLabel
%base = OpPhi %u32 %u32_0 %lead %before %take
%total = OpIAdd %u32 %base %own
store %sum %total
store %flag %u32_1
OpBranch %end
%end = OpLabel
%y = OpPhi %u32 %u32_0 %entry %base %publish
OpStore %out0 %y
OpReturn`,
		check: func(_, out []uint32, local int) error {
			for i, y := range out {
				want := 0
				if g := i / local; i%local == 0 {
					want = g*(g-1)/2 + 3*g
				}
				if int(y) != want {
					return fmt.Errorf("work-item %d has %d, want %d", i, y, want)
				}
			}
			return nil
		},
	},
	{
		// Odd lanes wait for what even lanes write behind their own wait for odd ones: a conversation of 10 turns in pairs.
		name: "ping-pong", words: 2048,
		body: `%parity = OpBitwiseAnd %u32 %gid %u32_1
%pair = OpShiftRightLogical %u32 %gid %u32_1
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %u32_0 %entry %i1 %said
%more = OpULessThan %bool %i %u32_10
OpBranchConditional %more %turn %end
%turn = OpLabel
%twice = OpShiftLeftLogical %u32 %i %u32_1
%mine = OpIAdd %u32 %twice %parity
OpBranch %wait
%wait = OpLabel
%now = load %pair
%go = OpIEqual %bool %now %mine
OpBranchConditional %go %said %wait
%said = OpLabel
%after = OpIAdd %u32 %mine %u32_1
store %pair %after
%i1 = OpIAdd %u32 %i %u32_1
OpBranch %head
%end = OpLabel
OpStore %out0 %i
OpReturn`,
		check: func(shared, out []uint32, _ int) error {
			for i, y := range out {
				if y != 10 || shared[i/2] != 20 {
					return fmt.Errorf("work-item %d made %d turns, its pair %d", i, y, shared[i/2])
				}
			}
			return nil
		},
	},
	{
		// Sub-groups wait for the one behind them in their work-group, behind a barrier they all pass.
		name: "sub-groups in reverse, behind a barrier", words: 2048,
		body: `%group = OpUDiv %u32 %gid %u32_LOCAL
%sub = OpUDiv %u32 %lid %u32_8
%count = OpUDiv %u32 %u32_LOCAL %u32_8
OpControlBarrier %u32_2 %u32_2 %u32_264
%last = OpISub %u32 %count %u32_1
%turn = OpISub %u32 %last %sub
OpBranch %wait
%wait = OpLabel
%now = load %group
%mine = OpUGreaterThanEqual %bool %now %turn
OpBranchConditional %mine %go %wait
%go = OpLabel
%lane = OpUMod %u32 %lid %u32_8
%lead = OpIEqual %bool %lane %u32_0
OpBranchConditional %lead %say %end
%say = OpLabel
%did = add %group %u32_1
OpBranch %end
%end = OpLabel
OpStore %out0 %now
OpReturn`,
		check: func(shared, out []uint32, local int) error {
			for i, y := range out {
				if turn := local/8 - 1 - i%local/8; int(y) < turn {
					return fmt.Errorf("work-item %d did not wait: %d", i, y)
				}
				if int(shared[i/local]) != local/8 {
					return fmt.Errorf("%d sub-groups of work-group %d took turns", shared[i/local], i/local)
				}
			}
			return nil
		},
	},
}

// countsUp: every work-item has been alone with the counter, shared word 1.
func countsUp(shared, out []uint32, _ int) error {
	seen := make([]bool, len(out))
	for i, y := range out {
		if int(y) >= len(out) || seen[y] {
			return fmt.Errorf("work-item %d found the counter at %d, as another one did, or never", i, y)
		}
		seen[y] = true
	}
	if int(shared[1]) != len(out) {
		return fmt.Errorf("the counter is %d, want %d", shared[1], len(out))
	}
	return nil
}

// launchShared launches a source of atomics and returns the shared words with what was stored.
func launchShared(t *testing.T, src *run.Source, words int, opt run.Options) (shared []uint32, got run.Result) {
	t.Helper()
	d := run.Device(t, fallback.Options{})
	if opt.Seed == 2 {
		d = run.Device(t, fallback.Impatient)
	}
	in := run.Buffer(t, d, make([]byte, 4*words))
	defer in.Close()
	out := run.Buffer(t, d, make([]byte, 4*opt.Items))
	defer out.Close()
	opt.Device = d
	opt.Args = []device.Arg{{Kind: device.ArgBuffer, Index: 0, Buffer: in, Name: "in"}, {Kind: device.ArgBuffer, Index: 1, Buffer: out, Name: "out"}}
	got = src.Run(t, opt)
	read := func(b device.Buffer) []uint32 {
		data := make([]byte, b.Size())
		if err := b.Read(data, 0); err != nil {
			t.Fatal(err)
		}
		return run.FromWords(data)
	}
	got.Out = read(out)
	return read(in), got
}

func TestProgress(t *testing.T) {
	for _, c := range progress {
		t.Run(c.name, func(t *testing.T) {
			for _, shape := range [][3]int{{8, 8, 8}, {32, 32, 8}, {128, 32, 8}, {320, 320, 32}, {256, 8, 8}, {60, 20, 1}} {
				items, local := shape[0], shape[1]
				if strings.HasPrefix(c.name, "sub-groups") && (shape[2] != 8 || local%8 != 0) {
					continue
				}
				src := atomics(strings.NewReplacer("LOCAL", fmt.Sprint(local), "TOTAL", fmt.Sprint(items)).Replace(c.body))
				for seed := range uint64(3) { // 0: in parallel
					shared, got := launchShared(t, &src, c.words, run.Options{Items: items, Local: local, SubGroup: shape[2], Seed: seed, Deterministic: seed > 0, Budget: 200_000_000})
					if got.Err != nil {
						t.Fatalf("%v, seed %d: %v", shape, seed, got.Err)
					}
					if err := c.check(shared, got.Out, local); err != nil {
						t.Fatalf("%v, seed %d: %v", shape, seed, err)
					}
				}
			}
		})
	}
}

// What waits for something that never comes is stopped, and the error says where it went round.
func TestDeadlocks(t *testing.T) {
	for _, c := range []struct {
		name, body string
		says       []string
	}{
		{
			// Work-item 0 takes lock 0 and then wants lock 1, work-item 1 the other way round, once both hold one.
			name: "two locks in opposite order",
			body: `%second = OpBitwiseXor %u32 %gid %u32_1
%was = exchange %gid %u32_1
%here = add 2 %u32_1
OpBranch %both
%both = OpLabel
%n = load 2
%all = OpIEqual %bool %n %u32_2
OpBranchConditional %all %want %both
%want = OpLabel
%is = exchange %second %u32_1
%got = OpIEqual %bool %is %u32_0
OpBranchConditional %got %end %want
%end = OpLabel
store %gid %u32_0
store %second %u32_0
OpStore %out0 %gid
OpReturn`,
			says: []string{"exceeded its budget of instructions", "endless loop", "work-item"},
		},
		{
			name: "a flag nobody sets, and all others at a barrier",
			body: `%first = OpIEqual %bool %gid %u32_0
OpBranchConditional %first %wait %meet
%wait = OpLabel
%flag = load 3
%set = OpINotEqual %bool %flag %u32_0
OpBranchConditional %set %meet %wait
%meet = OpLabel
OpControlBarrier %u32_2 %u32_2 %u32_264
store 3 %u32_1
OpStore %out0 %gid
OpReturn`,
			says: []string{"exceeded its budget of instructions", "global (0,0,0)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, shape := range [][3]int{{2, 2, 2}, {2, 1, 1}} {
				if strings.HasPrefix(c.name, "a flag") && shape[1] == 1 {
					continue // without the others there is nothing to wait for
				}
				src := atomics(c.body)
				for seed := range uint64(3) {
					_, got := launchShared(t, &src, 4, run.Options{Items: shape[0], Local: shape[1], SubGroup: shape[2], Seed: seed, Deterministic: seed > 0, Budget: 2_000_000})
					wantError(t, got.Err, device.Fault, "instruction-budget", c.says...)
				}
			}
		})
	}
}
