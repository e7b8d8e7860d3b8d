package gen

import "math"

// addConstants adds the kernels that store constants. Their expected values are written down here as patterns.
func addConstants(a *All) {
	t := a.topic("constants", "literals of every type and form, composite and null constants, specialization constants")

	literals := []uint64{
		0xff, 0x8001, 0xffffffff, 0xffffffffffffffff, 0x0123456789abcdef,
		0x4a00,                 // 16-bit 12 = 1.5*2^3
		0xb800,                 // 16-bit -0.5
		0x7bff,                 // 16-bit 65504, the largest
		0x3e000000,             // 2^-3
		0xbfc00000,             // -1.5
		0x3dcccccd,             // 0.1
		0x7f800000, 0xff800000, // infinities
		0x7fc00000,         // NaN, as its hexadecimal form says it
		0x00000001,         // 2^-149
		0x80000000,         // -0
		0x400921fb54442d18, // pi
		1,                  // 2^-1074
		0x7fefffffffffffff, // the largest
		5, 4,               // selected by true and by false
		3,       // a member of a composite
		0, 0, 0, // of null constants
	}
	k := a.kernel(&Kernel{KernelName: KernelName{"constants/literals", "main"}, Params: []string{"out"},
		Effect: func(_ *Rules, l *Launch) {
			for i, x := range literals {
				putNumber(l.Args["out"], u64, i, x)
			}
		}})
	t.Cases = append(t.Cases, &Case{Name: "literals", Module: k.Module, From: "the literals' patterns, written down by hand",
		Buffers: []*Buffer{out("out", u64.of(1), len(literals))}, Steps: oneStep(k, 1, 1, 0, "out")})

	defaults := []uint64{10, 200, 0x8001, 0x123456789, 0x3e00, 0xbe800000, math.Float64bits(math.Pi), 1, 0}
	k = a.kernel(&Kernel{KernelName: KernelName{"constants/spec", "main"}, Params: []string{"out"},
		Effect: func(_ *Rules, l *Launch) {
			s := append([]uint64{}, defaults...)
			for id, bits := range l.Spec {
				s[id] = bits
			}
			is := func(b bool) uint64 {
				if b {
					return 1
				}
				return 3
			}
			n := uint32(s[0])
			sum := n + 5
			product := sum * 3
			choice := uint64(1)
			if s[7] != 0 {
				choice = s[0]
			}
			for i, x := range []uint64{s[0], s[1], s[2], s[3], s[4], s[5], s[6], is(s[7] != 0), is(s[8] != 0), is(n < product), is(s[8] == 0),
				uint64(sum), uint64(product), uint64(product), choice, uint64(sum), uint64(product)} {
				putNumber(l.Args["out"], u64, i, x)
			}
		}})
	const numbers = 17
	for _, c := range []struct {
		name string
		spec []Spec
	}{
		{"defaults", nil},
		{"one", []Spec{{0, "77", 77}}},
		{"all", []Spec{
			{0, "3", 3}, {1, "7", 7}, {2, "65535", 65535}, {3, "0xfedcba9876543210", 0xfedcba9876543210},
			{4, "-2.5", 0xc100}, {5, "0x7f800000", 0x7f800000}, {6, "0x1p-3", 0x3fc0000000000000}, {7, "false", 0}, {8, "true", 1},
		}},
		{"large", []Spec{{0, "1000", 1000}, {7, "0", 0}}},
	} {
		steps := oneStep(k, 1, 1, 0, "out")
		steps[0].Spec = c.spec
		t.Cases = append(t.Cases, &Case{Name: "spec/" + c.name, Module: k.Module, From: "the defaults and settings, computed with by hand",
			Buffers: []*Buffer{out("out", u64.of(1), numbers)}, Steps: steps})
	}
}
