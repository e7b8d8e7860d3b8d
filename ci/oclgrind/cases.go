package main

import (
	"encoding/binary"
	"math"
)

// testCase is one launch of one kernel, and what it must leave in its buffers.
type testCase struct {
	kernel        string
	global, local [2]int
	args          []arg
	items         int     // what ns/item counts
	aim           float64 // how many times faster than oclgrind the emulator is meant to be
}

// arg is a buffer with what it holds before and after, or a u32, or local memory.
type arg struct {
	in, want []uint32
	value    *uint32
	local    int // bytes
}

// cases transcribes kernels.cl. Sizes are such that oclgrind takes about a second for each.
func cases() []testCase {
	return []testCase{vectorAdd(1 << 17), xorshift(512, 2048), matmul(64), reduce(1<<16, 256)}
}

// noise fills a slice with numbers that have no pattern.
func noise(n int, seed uint32) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		seed = seed*1664525 + 1013904223
		out[i] = seed ^ seed>>16
	}
	return out
}

func vectorAdd(n int) testCase {
	a, b, c := noise(n, 1), noise(n, 2), make([]uint32, n)
	for i := range c {
		c[i] = a[i] + b[i]
	}
	return testCase{kernel: "vector_add", global: [2]int{n, 1}, local: [2]int{256, 1}, items: n, aim: 20,
		args: []arg{{in: a, want: a}, {in: b, want: b}, {in: make([]uint32, n), want: c}}}
}

func xorshift(n, steps int) testCase {
	in, want := noise(n, 3), make([]uint32, n)
	for i, s := range in {
		for range steps {
			s ^= s << 13
			s ^= s >> 17
			s ^= s << 5
		}
		want[i] = s
	}
	k := uint32(steps)
	return testCase{kernel: "xorshift", global: [2]int{n, 1}, local: [2]int{256, 1}, items: n, aim: 50,
		args: []arg{{in: in, want: want}, {value: &k}}}
}

func matmul(n int) testCase {
	floats := func(seed uint32) []uint32 {
		out := noise(n*n, seed)
		for i, v := range out {
			out[i] = math.Float32bits(float32(int32(v)) / (1 << 31))
		}
		return out
	}
	a, b, c := floats(4), floats(5), make([]uint32, n*n)
	for y := range n {
		for x := range n {
			var sum float32
			for k := range n {
				// Products are rounded before they are added, as kernels.cl is compiled.
				p := float32(math.Float32frombits(a[y*n+k]) * math.Float32frombits(b[k*n+x]))
				sum += p
			}
			c[y*n+x] = math.Float32bits(sum)
		}
	}
	size := uint32(n)
	return testCase{kernel: "matmul", global: [2]int{n, n}, local: [2]int{16, 16}, items: n * n, aim: 20,
		args: []arg{{in: a, want: a}, {in: b, want: b}, {in: make([]uint32, n*n), want: c}, {value: &size}}}
}

func reduce(n, local int) testCase {
	in, out := noise(n, 6), make([]uint32, n/local)
	for i, v := range in {
		out[i/local] += v
	}
	return testCase{kernel: "reduce", global: [2]int{n, 1}, local: [2]int{local, 1}, items: n, aim: 20,
		args: []arg{{in: in, want: in}, {in: make([]uint32, n/local), want: out}, {local: 4 * local}}}
}

func toBytes(words []uint32) []byte {
	out := make([]byte, 0, 4*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}
