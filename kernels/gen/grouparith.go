package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// groupOperations are the operations of reductions and scans on a type.
func groupOperations(e elem) []string {
	switch e.kind {
	case 'b':
		return []string{"LogicalAnd", "LogicalOr", "LogicalXor"}
	case 'f':
		return []string{"FAdd", "FMul", "FMin", "FMax"}
	case 'i': // the unsigned minimum and maximum are for types without a sign
		return []string{"IAdd", "IMul", "SMin", "SMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}
	}
	return []string{"IAdd", "IMul", "SMin", "UMin", "SMax", "UMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"}
}

// joinOf is what joins two values, with the identity. Booleans are 0 and 1.
func joinOf(e elem, name string) (identity uint64, join func(a, b uint64) uint64) {
	switch name {
	case "LogicalAnd":
		return 1, func(a, b uint64) uint64 { return a & b }
	case "LogicalOr":
		return 0, func(a, b uint64) uint64 { return a | b }
	case "LogicalXor":
		return 0, func(a, b uint64) uint64 { return a ^ b }
	}
	return oracle.Identity(e.bits, name), oracle.Joins(e.bits)[name]
}

// joined is joinOf for an instruction, by the rules.
func (r *Rules) joined(prefix, name, suffix string, e elem) (uint64, func(a, b uint64) uint64) {
	instead := r.instead(prefix + name + suffix)
	return joinOf(e, strings.TrimSuffix(strings.TrimPrefix(instead, prefix), suffix))
}

// arithmeticData are random integers; floats are small whole numbers, so that sums are exact in any order, and for
// products ones, minus ones and twos.
func arithmeticData(v vec, c groupCase, products bool) *Array {
	n := c.items()
	if v.kind != 'f' {
		return randomBits(v, n, seedOf("arithmetic"+v.String()))
	}
	x := newArray(v, n)
	for k := range n * v.n {
		_, lane := c.groupOf(k / v.n)
		y := int64(splitMix64(77, uint64(k))%9) - 4
		if products {
			y = []int64{1, -1}[splitMix64(78, uint64(k))%2]
			if lane == c.size/2 || lane == 1 {
				y = 2
			}
		}
		x.set(k, v.format().FromSigned(64, uint64(y), oracle.RTE))
	}
	return x
}

// groupArithmetic adds reductions and scans of all types.
func (a *All) groupArithmetic() {
	t := a.topic("group-arithmetic", "reductions, scans, clustered and partitioned ones, with all operations on all types, under divergence and in partial sub-groups; floats are such that every order of addition is exact, or compared within what any order gives")
	for _, shader := range []bool{false, true} {
		for _, v := range movedTypes(shader) {
			a.groupReductions(t, v, shader, false)
			a.groupReductions(t, v, shader, true)
		}
	}
}

// groupReductions adds reductions and scans, or, with parts, those of clusters and partitions.
func (a *All) groupReductions(t *Topic, v vec, shader, parts bool) {
	ops, s := groupOperations(v.elem), v.stored()
	params := []param{pointerTo("x", s)}
	if v.kind == 'f' {
		params = append(params, pointerTo("factors", s))
	}
	operand := func(op string) string {
		if op == "FMul" {
			return "factors"
		}
		return "x"
	}
	g := groupKernel{name: "arithmetic-" + v.String(), about: "Reduction and scans with " + strings.Join(ops, ", ") + ".",
		capabilities: []string{"GroupNonUniformArithmetic"}, params: params, out: s, results: 3 * len(ops)}
	if parts {
		g.name, g.about = "parts-"+v.String(), "Reduction of clusters, reduction and scans of the lanes with the same key, with "+strings.Join(ops, ", ")+"."
		g.capabilities, g.extensions = []string{"GroupNonUniformClustered", "GroupNonUniformPartitionedEXT"}, []string{"SPV_NV_shader_subgroup_partitioned"}
		g.params, g.results = append(g.params, pointerTo("key", u32.of(1))), 4*len(ops)
	}
	g.body = func(f *function, in func(string) string) (list []string) {
		names, last := scanNames[:3], make([]string, 4)
		if parts {
			set := f.op("set", "OpGroupNonUniformPartitionNV %s %s", f.typ(u32.of(4)), in("key"))
			names = []string{"ClusteredReduce", "PartitionedReduceNV", "PartitionedInclusiveScanNV", "PartitionedExclusiveScanNV"}
			last = []string{" " + f.clusterSize(), " " + set, " " + set, " " + set}
		}
		for i, scan := range names {
			for _, op := range ops {
				x := f.taken(v, in(operand(op)))
				list = append(list, f.kept(v, f.op("y", "OpGroupNonUniform%s %s %s %s %s%s", op, f.typ(v), f.subgroupScope(), scan, x, last[i])))
			}
		}
		return list
	}
	g.want = func(l groupLane) (list []uint64) {
		how, lanes, keys := scans, [][]int{l.group.Lanes(), l.group.Lanes(), l.group.Lanes()}, []string{"", "", ""}
		if parts {
			like := l.group.Like(l.lane, func(i int) uint64 { return l.in("key", i, 0) })
			how, lanes = append([]oracle.Scan{oracle.Reduce}, how...), [][]int{l.group.Cluster(l.lane, l.cluster), like, like, like}
			keys = []string{"cluster", "part", "part", "part"}
		}
		for i, scan := range how {
			for _, op := range ops {
				identity, join := l.rules.joined("OpGroupNonUniform", op, "", v.elem)
				for c := range v.n {
					value := func(lane int) uint64 { return l.taken(v, operand(op), lane, c) }
					list = append(list, l.results(fmt.Sprint(keys[i], op, c), scan, lanes[i], identity, value, join)[l.lane])
				}
			}
		}
		return list
	}
	data := func(name string, c groupCase) *Array {
		if name == "key" {
			return fewValues(name, c)
		}
		return arithmeticData(s, c, name == "factors")
	}
	cases := turn(v)
	if parts {
		for i := range cases { // clusters of one lane, of all lanes, and between
			cases[i].cluster = []int{max(cases[i].size/4, 1), cases[i].size, max(cases[i].size/2, 1)}[i%3]
		}
	}
	g.addTo(a, t, shader, cases, data)
	if !parts && v.kind == 'f' && v.n == 1 {
		a.groupOrder(t, &g, v, shader)
	}
}

// groupOrder adds a case whose sums and products are rounded differently in different orders, which the specification
// leaves open. All numbers are positive, so that the sum of n numbers S is off by at most (n-1)·S·2^-p (p: significant
// bits) in any order, to first order, which is (n-1) units in the last place at most; two orders differ by twice that. The
// product likewise.
func (a *All) groupOrder(t *Topic, g *groupKernel, v vec, shader bool) {
	const size = 16
	c := full(size)
	c.name = "any-order"
	f := v.format()
	number := func(from int, i int) uint64 { // in [1,2) and [1, 1+1/16), of random fractions
		return f.FromUnsigned(64, 1, oracle.RTE) | splitMix64(81, uint64(2*i+from))&(1<<f.Fraction-1)>>(4*from)
	}
	added := g.launch(t, a.Kernels[KernelName{g.module(shader), "main"}], shader, c, func(name string, c groupCase) *Array {
		x := newArray(v, c.items())
		for i := range x.count {
			x.set(i, number(map[string]int{"x": 0, "factors": 1}[name], i))
		}
		return x
	})
	added.About = "Different orders round differently; all of them are within the bound."
	added.Compare = fmt.Sprintf(`{"mode": "ulp", "max": %d}`, 2*(size-1))
	added.Check = func(buffers map[string][]byte) error {
		return checkOrders(f, v, added.Buffers[0].Array, buffers["out"], size)
	}
}

// checkOrders compares the first sub-group's sums with those in the opposite order and with those by halves: they are
// within the bound, and not all the same.
func checkOrders(f oracle.Format, v vec, x *Array, out []byte, size int) error {
	var list []uint64
	for i := range size {
		list = append(list, x.at(i))
	}
	sum := number(out, v.elem, 0) // FAdd is the first operation of the reduction
	backwards := slices.Clone(list)
	slices.Reverse(backwards)
	others := []uint64{oracle.Reduce.Results(lanesTo(size), 0, func(i int) uint64 { return backwards[i] }, f.FAdd)[0], byHalves(list, f.FAdd)}
	differ := false
	for _, y := range others {
		distance := max(y, sum) - min(y, sum) // of positive numbers, in units in the last place
		if distance > uint64(2*(size-1)) {
			return fmt.Errorf("another order gives 0x%x, not 0x%x", y, sum)
		}
		differ = differ || distance > 0
	}
	if !differ {
		return fmt.Errorf("the order makes no difference")
	}
	return nil
}

// byHalves joins the two halves of a list, each joined in the same way.
func byHalves(list []uint64, join func(a, b uint64) uint64) uint64 {
	if len(list) == 1 {
		return list[0]
	}
	middle := len(list) / 2
	return join(byHalves(list[:middle], join), byHalves(list[middle:], join))
}

func lanesTo(n int) []int {
	lanes := make([]int, n)
	for i := range lanes {
		lanes[i] = i
	}
	return lanes
}
