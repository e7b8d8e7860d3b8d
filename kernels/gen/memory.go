package gen

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/sgrun/sgrun/kernels/oracle"
)

// addMemory adds the kernels on variables and pointers in the storage classes of kernels.
func addMemory(a *All) {
	t := a.topic("memory", "variables, pointers, copies and layouts in the storage classes of kernels")
	large := []uint64{0x10001, 0x80000000, 0xfffffffe, 0xffffffff}
	word := func(name string, count int, rule func(x uint32) uint32) {
		k := a.wordKernel("memory/"+name, func(x uint32) (uint32, bool) { return rule(x), true })
		t.Cases = append(t.Cases, wordCase(name, k, upTo(count, large...), out("out", u32.of(1), count)))
	}
	word("function-variables", 96, func(x uint32) uint32 {
		table := [4]uint32{1, 4, 9, 16}
		old := table[x%4]
		table[x%4] = x
		return table[0] + table[1] + table[2] + table[3] + old + uint32(uint16(x))
	})
	word("pointer-casts", 64, bits.ReverseBytes32)
	word("generic", 64, func(x uint32) uint32 {
		if x%2 == 1 {
			return x + 1 + x
		}
		return 1000 + 1 + x
	})
	word("generic-explicit", 64, func(x uint32) uint32 {
		if x%2 == 1 {
			return x + 700
		}
		return 7 + 500
	})

	// Kernels whose results depend on more than the element.
	add := func(name string, params []string, effect func(l *Launch)) *Kernel {
		return a.kernel(&Kernel{KernelName: KernelName{"memory/" + name, "main"}, Params: params,
			Effect: func(_ *Rules, l *Launch) { effect(l) }})
	}
	group := add("workgroup", []string{"in", "out", "scratch"}, func(l *Launch) {
		wordEffect("in", "out", func(x uint32) (uint32, bool) { return (x + 1) * (2 * x), true })(nil, l)
	})
	c := wordCase("workgroup", group, upTo(128, large...), out("out", u32.of(1), 128))
	c.Steps[0].Args["scratch"] = "local[128]"
	c.Steps[0].Values = map[string][]byte{"scratch": make([]byte, 128)}
	t.Cases = append(t.Cases, c)

	tables := add("constant-tables", []string{"in", "out", "factors"}, func(l *Launch) {
		primes := [8]uint32{2, 3, 5, 7, 11, 13, 17, 19}
		wordEffect("in", "out", func(x uint32) (uint32, bool) {
			return primes[x%8] * uint32(number(l.Args["factors"], u32, int(x%4))), true
		})(nil, l)
	})
	c = wordCase("constant-tables", tables, upTo(64, large...), out("out", u32.of(1), 64))
	c.Buffers = append(c.Buffers, in("factors", words(1, 10, 100, 1000)))
	c.Steps[0].Args["factors"] = "&factors"
	t.Cases = append(t.Cases, c)

	global := add("program-global", []string{"in", "out"}, func(l *Launch) {
		for i := range l.Items() {
			putNumber(l.Args["out"], u32, i, oracle.IAdd(32, uint64(100+i), number(l.Args["in"], u32, i)))
		}
	})
	t.Cases = append(t.Cases, wordCase("program-global", global, randomBits(u32.of(1), 8, 91), out("out", u32.of(1), 8)))

	compare := add("pointer-compare", []string{"in", "out"}, func(l *Launch) {
		for i := range l.Items() {
			j := int(number(l.Args["in"], u32, i)) % l.Items()
			y := uint32(2)
			if i == j {
				y = 1
			}
			putNumber(l.Args["out"], u32, i, uint64(y+4*uint32(i-j)))
		}
	})
	t.Cases = append(t.Cases, wordCase("pointer-compare", compare, upTo(32, 5, 0, 31, 64, 30), out("out", u32.of(1), 32)))

	narrow := add("physical32", []string{"in", "out"}, func(l *Launch) {
		wordEffect("in", "out", func(x uint32) (uint32, bool) { return x + uint32(l.Items()), true })(nil, l)
	})
	t.Cases = append(t.Cases, wordCase("physical32", narrow, upTo(64, large...), out("out", u32.of(1), 64)))

	const record = 20 // bytes of {u32; u32[4]}
	copies := add("copy", []string{"in", "out", "tail"}, func(l *Launch) {
		for i := range l.Items() {
			copy(l.Args["out"][record*i:], l.Args["in"][record*i:record*(i+1)])
			copy(l.Args["tail"][12*i:], l.Args["in"][record*i+8:record*(i+1)])
		}
	})
	t.Cases = append(t.Cases, &Case{Name: "copy", Module: copies.Module, From: handFrom,
		Buffers: []*Buffer{in("in", randomBits(u32.of(1), 16*5, 92)), out("out", u32.of(1), 16*5), out("tail", u32.of(1), 16*3)},
		Steps:   oneStep(copies, 16, 8, 0, "in", "out", "tail")})

	addLinkedList(a, t)
	addAccessChains(a, t)
	addLayouts(a, t)
	addStructByValue(a, t)
}

// addLinkedList: nodes of {u32 value; pointer next} take 16 bytes, the pointer at 8. What a pointer looks like is not for a
// vector file to say, so the last step takes them away.
func addLinkedList(a *All, t *Topic) {
	const size, count = 16, 32
	kernel := func(entry string, params []string, effect func(l *Launch, i int)) *Kernel {
		return a.kernel(&Kernel{KernelName: KernelName{"memory/linked-list", entry}, Params: params,
			Effect: func(_ *Rules, l *Launch) {
				for i := range l.Items() {
					effect(l, i)
				}
			}})
	}
	link := kernel("link", []string{"nodes"}, func(l *Launch, i int) {
		node := l.Args["nodes"][i*size:]
		binary.LittleEndian.PutUint32(node, uint32(i*i+1))
		binary.LittleEndian.PutUint64(node[8:], uint64((5*i+1)%count)) // the node's number stands for the pointer
	})
	walk := kernel("walk", []string{"nodes", "out"}, func(l *Launch, i int) {
		sum := uint32(0)
		at := i
		for range 6 {
			at = int(binary.LittleEndian.Uint64(l.Args["nodes"][at*size+8:]))
			sum += binary.LittleEndian.Uint32(l.Args["nodes"][at*size:])
		}
		putNumber(l.Args["out"], u32, i, uint64(sum))
	})
	unlink := kernel("unlink", []string{"nodes"}, func(l *Launch, i int) {
		binary.LittleEndian.PutUint64(l.Args["nodes"][i*size+8:], 0)
	})
	c := &Case{Name: "linked-list", Module: link.Module, From: handFrom,
		Buffers: []*Buffer{in("nodes", randomBits(u32.of(4), count, 90)), out("out", u32.of(1), count)}}
	for _, k := range []*Kernel{link, walk, unlink} {
		c.Steps = append(c.Steps, oneStep(k, count, 8, 0, k.Params...)...)
	}
	t.Cases = append(t.Cases, c)
}

// addAccessChains: particles of {u32 tag; f32x4 position; f32 weights[3]; {u16, u8} kind} take 48 bytes: the vector begins
// at 16, the weights at 32, the kind at 44, its second member at 46.
func addAccessChains(a *All, t *Topic) {
	const size, count = 48, 16
	particles := newArray(u8.of(1), size*count)
	for i := range count {
		p := particles.Data[i*size:]
		binary.LittleEndian.PutUint32(p, uint32(splitMix64(93, uint64(i))))
		for c := range 7 {
			putNumber(p[16:], f32, c, oracle.F32.FromUnsigned(32, splitMix64(94, uint64(7*i+c))%1000, oracle.RTE))
		}
		binary.LittleEndian.PutUint16(p[44:], uint16(splitMix64(95, uint64(i))))
		p[46] = byte(splitMix64(96, uint64(i)))
	}
	k := a.kernel(&Kernel{KernelName: KernelName{"memory/access-chains", "main"}, Params: []string{"particles", "out", "picked"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				p := l.Args["particles"][i*size:]
				tag := binary.LittleEndian.Uint32(p)
				putNumber(l.Args["out"], u32, i, uint64(tag+10*uint32(binary.LittleEndian.Uint16(p[44:]))+100*uint32(p[46])))
				sum := oracle.F32.FAdd(number(p[16:], f32, int(tag%4)), number(p[32:], f32, int(tag%3)))
				putNumber(l.Args["picked"], f32, i, sum)
			}
		}})
	t.Cases = append(t.Cases, &Case{Name: "access-chains", Module: k.Module, From: handFrom,
		Buffers: []*Buffer{in("particles", particles), out("out", u32.of(1), count), out("picked", f32.of(1), count)},
		Steps:   oneStep(k, count, 8, 0, "particles", "out", "picked")})
}

// addLayouts: OpenCL C, section 6.1.5: a type is aligned to its size, a vector of three to that of four. So the members of
// {u8; u32; u16; f32x3; u8} lie at 0, 4, 8, 16 and 32 of 48 bytes, and packed ones without gaps at 0, 1, 5 and 7 of 8.
func addLayouts(a *All, t *Topic) {
	const padded, packed, count = 48, 8, 12
	k := a.kernel(&Kernel{KernelName: KernelName{"memory/layouts", "main"}, Params: []string{"padded", "packed", "out", "ys"},
		Effect: func(_ *Rules, l *Launch) {
			for i := range l.Items() {
				p, q := l.Args["padded"][i*padded:], l.Args["packed"][i*packed:]
				sum := uint32(p[0]) + binary.LittleEndian.Uint32(p[4:]) + uint32(binary.LittleEndian.Uint16(p[8:])) + uint32(p[32]) +
					uint32(q[0]) + binary.LittleEndian.Uint32(q[1:]) + uint32(binary.LittleEndian.Uint16(q[5:])) + uint32(q[7])
				putNumber(l.Args["out"], u32, i, uint64(sum))
				putNumber(l.Args["ys"], u32, i, uint64(binary.LittleEndian.Uint32(p[20:])))
			}
		}})
	t.Cases = append(t.Cases, &Case{Name: "layouts", Module: k.Module, From: "OpenCL C 3.0, Alignment of Types; SPIR-V 1.6, CPacked",
		Buffers: []*Buffer{in("padded", randomBits(u8.of(1), padded*count, 97)), in("packed", randomBits(u8.of(1), packed*count, 98)),
			out("out", u32.of(1), count), out("ys", f32.of(1), count)},
		Steps: oneStep(k, count, 4, 0, "padded", "packed", "out", "ys")})
}

// addStructByValue: {u32 add; f32 scale; u64 mask; u8 shift} has its members at 0, 4, 8 and 16 of 24 bytes.
func addStructByValue(a *All, t *Topic) {
	k := a.kernel(&Kernel{KernelName: KernelName{"memory/struct-by-value", "main"}, Params: []string{"options", "in", "out", "scaled"},
		Effect: func(_ *Rules, l *Launch) {
			o := l.Args["options"]
			for i := range l.Items() {
				sum := oracle.IAdd(32, number(l.Args["in"], u32, i), uint64(binary.LittleEndian.Uint32(o)))
				y := (sum & binary.LittleEndian.Uint64(o[8:])) << o[16] & 0xffffffff
				putNumber(l.Args["out"], u32, i, y)
				f := oracle.F32.FromUnsigned(32, y, oracle.RTE)
				putNumber(l.Args["scaled"], f32, i, oracle.F32.FMul(f, uint64(binary.LittleEndian.Uint32(o[4:]))))
			}
		}})
	for i, o := range []struct {
		add   uint32
		scale uint32
		text  string
		mask  uint64
		shift byte
	}{{7, 0x3e000000, "0x1p-3", 0xffff, 3}, {0xfffffff0, 0xbfc00000, "-1.5", 0xfffffffffffffff0, 0}} {
		value := make([]byte, 24)
		binary.LittleEndian.PutUint32(value, o.add)
		binary.LittleEndian.PutUint32(value[4:], o.scale)
		binary.LittleEndian.PutUint64(value[8:], o.mask)
		value[16] = o.shift
		step := oneStep(k, 48, 16, 0, "in", "out", "scaled")
		step[0].Args["options"] = fmt.Sprintf("{add=%d,scale=%s,mask=%#x,shift=%d}", o.add, o.text, o.mask, o.shift)
		step[0].Values = map[string][]byte{"options": value}
		t.Cases = append(t.Cases, &Case{Name: fmt.Sprintf("struct-by-value/%d", i+1), Module: k.Module, From: handFrom,
			Buffers: []*Buffer{in("in", randomBits(u32.of(1), 48, 99)), out("out", u32.of(1), 48), out("scaled", f32.of(1), 48)},
			Steps:   step})
	}
}
