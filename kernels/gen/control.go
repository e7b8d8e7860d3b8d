package gen

// addControl adds the kernels on branches, loops, switches and function calls. Neighbouring lanes go different ways.
func addControl(a *All) {
	t := a.topic("control", "branches, switches, loops, early return and function calls, with lanes that part")
	always := func(rule func(x uint32) uint32) func(x uint32) (uint32, bool) {
		return func(x uint32) (uint32, bool) { return rule(x), true }
	}
	large := []uint64{0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff}
	for _, c := range []struct {
		name  string
		input *Array
		rule  func(x uint32) uint32
	}{
		{"if-else", upTo(100, large...), func(x uint32) uint32 {
			if x%2 == 1 {
				return 3*x + 1
			}
			return x / 2
		}},
		{"nested-if", upTo(100, large...), func(x uint32) uint32 {
			switch {
			case x == 0:
				return 1
			case x < 10:
				return 2
			case x%16 == 0:
				return 3
			case x%2 == 1:
				return 4
			}
			return 5
		}},
		{"switch", upTo(96, append(large, 7, 7, 2, 3)...), func(x uint32) uint32 {
			switch x {
			case 0, 1:
				return x + 100
			case 2:
				return 1000 + x
			case 3:
				return 1 + x
			case 7:
				return 77
			case 0xffffffff:
				return 0
			}
			return x * 100
		}},
		{"collatz", upTo(128, 97, 871, 6171, 27), func(x uint32) uint32 {
			steps := uint32(0)
			for ; x > 1; steps++ {
				if x%2 == 1 {
					x = 3*x + 1
				} else {
					x /= 2
				}
			}
			return steps
		}},
		{"break-continue", upTo(64, 100, 3, 1000), breakContinue},
		{"phi-swap", upTo(64, 5, 93, 0, 48), func(x uint32) uint32 {
			p, q := uint32(0), uint32(1)
			for ; x != 0; x-- {
				p, q = q, p+q
			}
			return p
		}},
		{"irreducible", randomBits(u32.of(1), 96, 81), func(x uint32) uint32 {
			add := x%2 == 0
			y := x
			for turns := x & 15; turns > 0; turns-- {
				if add {
					y += 3
				} else {
					y *= 2
				}
				add = !add
			}
			return y
		}},
		{"unreachable", upTo(64, large...), func(x uint32) uint32 { return 10 + x%3*10 }},
		{"calls", upTo(128, large...), func(x uint32) uint32 {
			if x%2 == 1 {
				return 2 * min(x, 50)
			}
			p, q := x, x/2+12
			for q != 0 {
				p, q = q, p%q
			}
			return p
		}},
		{"call-struct", upTo(64, large...), func(x uint32) uint32 { return x/7*1000 + x%7 }},
	} {
		k := a.wordKernel("control/"+c.name, always(c.rule))
		t.Cases = append(t.Cases, wordCase(c.name, k, c.input, out("out", u32.of(1), c.input.count)))
	}

	early := a.wordKernel("control/early-return", earlyReturn)
	t.Cases = append(t.Cases, wordCase("early-return", early, upTo(128, large...), in("out", randomBits(u32.of(1), 128, 82))))
	one := upTo(1)
	one.set(0, 12)
	one.fill = ""
	t.Cases = append(t.Cases, wordCase("early-return/one-work-item", early, one, out("out", u32.of(1), 1)))

	for _, e := range []elem{u8, u16, u64} {
		top, all := uint64(1)<<(e.bits-1), uint64(1)<<(e.bits-1)|(1<<(e.bits-1)-1)
		k := a.kernel(&Kernel{KernelName: KernelName{"control/switch-widths", "switch_" + e.String()}, Params: []string{"in", "out"},
			Effect: func(_ *Rules, l *Launch) {
				for i := range l.Items() {
					y := map[uint64]uint64{all: 1, top: 2, 5: 3}[number(l.Args["in"], e, i)]
					putNumber(l.Args["out"], u32, i, y)
				}
			}})
		input := newArray(e.of(1), 32)
		for i := range input.count {
			input.set(i, append(edges(e), 5, 6, 4, all&^5)[i%13])
		}
		t.Cases = append(t.Cases, &Case{Name: "switch-widths/" + e.String(), Module: k.Module, From: handFrom,
			Buffers: []*Buffer{in("in", input), out("out", u32.of(1), 32)}, Steps: oneStep(k, 32, 16, 0, "in", "out")})
	}
}

func breakContinue(x uint32) uint32 {
	sum := uint32(0)
	for r := uint32(0); r < x; r++ {
		for c := uint32(0); c <= r; c++ {
			if c == 6 {
				break
			}
			if (r+c)%3 == 0 {
				continue
			}
			sum += r*c + 1
			if sum > 500 {
				break
			}
		}
		if sum > 500 {
			break
		}
	}
	return sum
}

func earlyReturn(x uint32) (uint32, bool) {
	if x == 0 {
		return 0, false
	}
	if x%7 == 0 {
		return 7, true
	}
	for k := uint32(1); k < 10; k++ {
		if k*k > x {
			return k + 100, true
		}
	}
	return x, true
}
