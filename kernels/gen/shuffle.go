package gen

import (
	"fmt"

	"github.com/sgrun/sgrun/kernels/oracle"
)

const (
	shuffleExtension  = "SPV_INTEL_subgroup_bitcast_shuffle"
	shuffleCapability = "SubgroupBitcastShuffleINTEL"
	shuffleText       = "SPV_INTEL_subgroup_bitcast_shuffle rev 1"
	shuffleFrom       = "oracle: BitcastShuffle, " + shuffleText + ", Instructions, OpSubgroupBitcastShuffleINTEL"
)

// subGroupSizes are those the shuffle is checked at.
var subGroupSizes = []int{1, 2, 4, 8, 16, 32, 64, 128}

// Launches have work-groups of several sub-groups, and several work-groups.
const (
	subGroupsPerGroup = 3
	workGroups        = 2
)

// direction is one use of the table "Supported Types".
type direction struct{ src, dst vec }

func (d direction) String() string { return fmt.Sprintf("%v-to-%v", d.src, d.dst) }

// directions are the 40 directions: both of each row.
func directions() []direction {
	var all []direction
	for _, p := range oracle.SupportedPairs() {
		first, second := fromShuffle(p[0]), fromShuffle(p[1])
		all = append(all, direction{first, second}, direction{second, first})
	}
	return all
}

// shuffleKernel adds the module of one direction and returns its kernel: out[i] = shuffle(in[i]).
func (a *All) shuffleKernel(folder string, d direction, about ...string) *Kernel {
	name := folder + "/" + d.String()
	t := newText(append([]string{name + ":"}, about...)...)
	t.shuffleNeeds()
	t.kernel("bitcast_shuffle", "", []param{pointerTo("in", d.src), pointerTo("out", d.dst)}, func(f *function) {
		i := f.globalID(0)
		x := f.load("in", i)
		f.store("out", i, f.op("shuffled", "OpSubgroupBitcastShuffleINTEL %s %s", f.typ(d.dst), x))
	})
	a.source(name, t)
	return a.kernel(&Kernel{KernelName: KernelName{name, "bitcast_shuffle"}, Params: []string{"in", "out"},
		Effect: shuffleEffect(d)})
}

func (t *text) shuffleNeeds() {
	t.capability(shuffleCapability)
	t.extension(shuffleExtension)
}

func shuffleEffect(d direction) func(r *Rules, l *Launch) {
	return func(r *Rules, l *Launch) {
		l.subgroups(func(items []int) {
			operand := make([][]uint64, len(items))
			for lane, item := range items {
				operand[lane] = l.element("in", d.src, item)
			}
			for lane, x := range r.shuffle(operand, d.src, d.dst) {
				l.setElement("out", d.dst, items[lane], x)
			}
		})
	}
}

// oneStep is a launch of one dimension with the buffers of the same names as arguments.
func oneStep(k *Kernel, global, local, subGroup int, args ...string) []*Step {
	return []*Step{{Kernel: k, Global: []int{global}, Local: []int{local}, SubGroup: subGroup, Args: refs(args...)}}
}

func addBitcastShuffle(a *All) {
	t := a.topic("bitcast-shuffle", "OpSubgroupBitcastShuffleINTEL between all types of the table Supported Types, in both directions")
	for _, d := range directions() {
		k := a.shuffleKernel("bitcast-shuffle", d,
			fmt.Sprintf("OpSubgroupBitcastShuffleINTEL from %v to %v, one element a work-item.", d.src, d.dst))
		t.examples(k, d)
		for _, size := range subGroupSizes {
			local := size * subGroupsPerGroup
			global := local * workGroups
			for _, pattern := range []string{"positions", "bits"} {
				if size == 1 && pattern == "positions" { // with one lane, numbers have no other place to go to
					continue
				}
				c := &Case{Name: fmt.Sprintf("%v/sg%d/%s", d, size, pattern), Module: k.Module, From: shuffleFrom}
				data := iota(d.src, global)
				if pattern == "bits" {
					data = randomBits(d.src, global, seedOf(c.Name))
				}
				c.Buffers = []*Buffer{in("in", data), out("out", d.dst, global)}
				c.Steps = oneStep(k, global, local, size, "in", "out")
				t.Cases = append(t.Cases, c)
			}
		}
	}
}

// examples adds the specification's worked example for the direction, if it has one, as it is printed there.
func (t *Topic) examples(k *Kernel, d direction) {
	for _, e := range workedExamples {
		if e.src != d.src || e.dst != d.dst {
			continue
		}
		operand := iota(d.src.elem.of(d.src.n), e.lanes)
		if d.src.n == 1 { // packed data: part p of the numbers counts up
			operand = newArray(d.src, e.lanes)
			parts := d.dst.n
			for i := range e.lanes {
				var x uint64
				for p := range parts {
					x |= uint64(i*parts+p) << (p * d.dst.bits)
				}
				operand.set(i, x)
			}
		}
		t.Cases = append(t.Cases, &Case{
			Name:   fmt.Sprintf("%v/sg%d/example", d, e.lanes),
			About:  "The specification's example, as it is printed there.",
			From:   shuffleText + ", Examples, " + e.title,
			Module: k.Module,
			Buffers: []*Buffer{
				{Name: "in", Array: operand, printed: fmt.Sprintf("%v[%d]:%s", d.src, e.lanes, e.operand)},
				out("out", d.dst, e.lanes),
			},
			Steps:         oneStep(k, e.lanes, e.lanes, e.lanes, "in", "out"),
			printedExpect: map[string]string{"out": fmt.Sprintf("%v[%d]:%s", d.dst, e.lanes, e.result)},
		})
	}
}

// workedExamples are those of the specification. operand and result are written as printed there; the generator and the
// tests compute the same numbers without reading these.
var workedExamples = []struct {
	title           string
	src, dst        vec
	lanes           int
	operand, result string
}{
	{"32-bit Scalar to Vector of 16-bit Data", u32.of(1), u16.of(2), 8,
		"0|1,2|3,4|5,6|7,8|9,10|11,12|13,14|15",
		"<0,8>,<1,9>,<2,10>,<3,11>,<4,12>,<5,13>,<6,14>,<7,15>"},
	{"Vector of 16-bit Data to 32-bit Scalar", u16.of(2), u32.of(1), 8,
		"<0,1>,<2,3>,<4,5>,<6,7>,<8,9>,<10,11>,<12,13>,<14,15>",
		"0|2,4|6,8|10,12|14,1|3,5|7,9|11,13|15"},
	{"32-bit Scalar to Vector of 8-bit Data", u32.of(1), u8.of(4), 4,
		"0|1|2|3,4|5|6|7,8|9|10|11,12|13|14|15",
		"<0,4,8,12>,<1,5,9,13>,<2,6,10,14>,<3,7,11,15>"},
	{"Vector of 8-bit Data to 32-bit Scalar", u8.of(4), u32.of(1), 4,
		"<0,1,2,3>,<4,5,6,7>,<8,9,10,11>,<12,13,14,15>",
		"0|4|8|12,1|5|9|13,2|6|10|14,3|7|11|15"},
}

// sameCounts are bitcasts between types of equal component counts, for which the instruction is a plain bitcast.
var sameCounts = []direction{
	{f32.of(1), u32.of(1)}, {u32.of(1), f32.of(1)},
	{f16.of(1), u16.of(1)}, {u16.of(1), f16.of(1)},
	{f64.of(1), u64.of(1)}, {u64.of(1), f64.of(1)},
	{f32.of(2), u32.of(2)}, {u32.of(2), f32.of(2)},
	{f16.of(2), u16.of(2)}, {u16.of(4), f16.of(4)},
	{f32.of(3), u32.of(3)}, {u16.of(3), f16.of(3)},
	{f32.of(4), u32.of(4)}, {u64.of(4), f64.of(4)},
	{f16.of(8), u16.of(8)}, {u32.of(8), f32.of(8)},
	{f16.of(16), u16.of(16)}, {f32.of(16), u32.of(16)}, {u64.of(16), f64.of(16)},
}

func addSameCount(a *All) {
	t := a.topic("bitcast-same-count", "OpSubgroupBitcastShuffleINTEL between types of equal component counts: a plain bitcast")
	for _, d := range sameCounts {
		k := a.shuffleKernel("bitcast-same-count", d,
			fmt.Sprintf("OpSubgroupBitcastShuffleINTEL from %v to %v: with as many components, a plain bitcast.", d.src, d.dst))
		for _, size := range []int{8, 32} {
			local, global := 2*size, 4*size
			if d.src.n > 3 && size > 8 {
				continue
			}
			name := fmt.Sprintf("%v/sg%d", d, size)
			t.Cases = append(t.Cases, &Case{
				Name: name, Module: k.Module, From: shuffleFrom + " (same number of components)",
				Buffers: []*Buffer{in("in", randomBits(d.src, global, seedOf(name))), out("out", d.dst, global)},
				Steps:   oneStep(k, global, local, size, "in", "out"),
			})
		}
	}
}

func addThereAndBack(a *All) {
	t := a.topic("there-and-back", "OpSubgroupBitcastShuffleINTEL to another type and back gives the original data")
	for i, d := range directions() {
		name := fmt.Sprintf("there-and-back/%v-via-%v", d.src, d.dst)
		m := newText(name+":", fmt.Sprintf("OpSubgroupBitcastShuffleINTEL from %v to %v and back: out = in.", d.src, d.dst))
		m.shuffleNeeds()
		m.kernel("there_and_back", "", []param{pointerTo("in", d.src), pointerTo("out", d.src)}, func(f *function) {
			i := f.globalID(0)
			there := f.op("there", "OpSubgroupBitcastShuffleINTEL %s %s", f.typ(d.dst), f.load("in", i))
			f.store("out", i, f.op("back", "OpSubgroupBitcastShuffleINTEL %s %s", f.typ(d.src), there))
		})
		a.source(name, m)
		k := a.kernel(&Kernel{KernelName: KernelName{name, "there_and_back"}, Params: []string{"in", "out"},
			Effect: func(r *Rules, l *Launch) {
				l.subgroups(func(items []int) {
					operand := make([][]uint64, len(items))
					for lane, item := range items {
						operand[lane] = l.element("in", d.src, item)
					}
					back := r.shuffle(r.shuffle(operand, d.src, d.dst), d.dst, d.src)
					for lane, x := range back {
						l.setElement("out", d.src, items[lane], x)
					}
				})
			}})
		size := []int{8, 32}[i%2] // both for each pair of types, which come in both orders
		local := size * subGroupsPerGroup
		global := local * workGroups
		c := fmt.Sprintf("%v-via-%v/sg%d", d.src, d.dst, size)
		t.Cases = append(t.Cases, &Case{
			Name: c, Module: k.Module,
			From:    shuffleText + ", Instructions: the bitcast and shuffle operation is reversible",
			Buffers: []*Buffer{in("in", randomBits(d.src, global, seedOf(c))), out("out", d.src, global)},
			Steps:   oneStep(k, global, local, size, "in", "out"),
		})
	}
}
