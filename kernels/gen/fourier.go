package gen

import (
	"encoding/binary"
	"fmt"
	"math"
)

// addFFT adds the fast Fourier transforms. They are compared with the transform's definition in float64: the sum over all
// elements, one by one.
func addFFT(a *All) {
	t := a.topic("fft", "radix-2 Fourier transforms of 8 to 4096 complex numbers, forward and back, with shuffle-XOR within sub-groups")
	transforms := func(x, y string, back func(*Launch) bool, log2n func(*Launch) int) func(*Rules, *Launch) {
		return func(_ *Rules, l *Launch) {
			n := 1 << log2n(l)
			for first := 0; first < l.Items()/l.Local[0]*n; first += n {
				copy(l.Args[y][8*first:], dft(l.Args[x][8*first:8*(first+n)], back(l)))
			}
		}
	}
	no, yes := func(*Launch) bool { return false }, func(*Launch) bool { return true }
	byArg := func(l *Launch) int { return int(l.scalar("log2n", u32)) }
	glsl := a.glsl("fft/glsl", []string{"0.0", "0.1", "0.2"}, transforms("0.0", "0.1",
		func(l *Launch) bool { return l.Spec[2] != 0 }, func(l *Launch) int { return int(l.Spec[1]) }))
	params := []string{"x", "y", "root", "log2n"}
	forward := a.opencl("fft/opencl", "forward", params, transforms("x", "y", no, byArg))
	back := a.opencl("fft/opencl", "back", params, transforms("x", "y", yes, byArg))

	for _, c := range []struct {
		log2n int
		shape
	}{
		{3, shape{8, 8}}, {3, shape{4, 4}}, {4, shape{16, 16}}, {5, shape{32, 1}}, {6, shape{64, 32}}, {6, shape{4, 2}}, {7, shape{128, 128}},
		{8, shape{64, 16}}, {9, shape{512, 32}}, {10, shape{256, 8}}, {11, shape{1024, 64}}, {12, shape{256, 16}},
	} {
		n, groups := 1<<c.log2n, 2
		if n > 512 {
			groups = 1
		}
		name := fmt.Sprintf("n%d-items%d-sg%d", n, c.local, c.subGroup)
		x := randomFloats(f32.of(2), groups*n, 61)
		roots := a.shared(fmt.Sprintf("f32.roots%d", n), func() *Array { return rootsOfUnity(n) })
		items := groups * c.local
		add := func(name string, module string, limit float64, steps ...*Step) {
			bs := []*Buffer{in("x", x), in("roots", roots), out("y", x.typ, groups*n)}
			if len(steps) == 2 {
				bs = append(bs, out("z", x.typ, groups*n))
			}
			t.Cases = append(t.Cases, &Case{Name: name, Module: module, From: "oracle: the discrete Fourier transform's definition, in float64",
				Buffers: bs, Steps: steps, Compare: fmt.Sprintf(`{"mode": "absolute", "max": %.1g}`, limit)})
		}
		// Inputs lie in [-1, 1). Each of the log2 n passes rounds numbers of magnitude up to about sqrt(n).
		limit := 2e-7 * float64(c.log2n) * math.Sqrt(float64(n))
		number, backwards := number32(1, c.log2n), Spec{2, "true", 1}
		add("glsl-forward/"+name, glsl.Module, limit, glsl.step(items, c.shape, []Spec{number}, "x", "y", "roots"))
		add("opencl-forward/"+name, forward.Module, limit, forward.step(items, c.shape, nil, "x", "y", "roots", c.log2n))
		if n > 2048 {
			continue // the definition is slow
		}
		add("glsl-back/"+name, glsl.Module, 1e-6, glsl.step(items, c.shape, []Spec{number, backwards}, "x", "y", "roots"))
		add("opencl-back/"+name, back.Module, 1e-6, back.step(items, c.shape, nil, "x", "y", "roots", c.log2n))
		if n <= 128 {
			add("there-and-back/"+name, forward.Module, limit, forward.step(items, c.shape, nil, "x", "y", "roots", c.log2n),
				back.step(items, c.shape, nil, "y", "z", "roots", c.log2n))
		}
	}
}

// randomFloats is the array the VALUE syntax calls rand(seed) for f32: multiples of 2^-23 in [-1, 1).
func randomFloats(t vec, count int, seed uint64) *Array {
	a := newArray(t, count)
	for i := range a.numbers() {
		x := (float64(splitMix64(seed, uint64(i))>>40) - 1<<23) / (1 << 23)
		a.set(i, uint64(math.Float32bits(float32(x))))
	}
	a.fill = fmt.Sprintf("rand(%d)", seed)
	return a
}

// root is exp(-2 pi i k/n). Both angles and products are rounded in between, so that every host computes the same.
func root(k, n int) (re, im float64) {
	angle := float64(-2 * math.Pi * (float64(k) / float64(n)))
	return math.Cos(angle), math.Sin(angle)
}

func rootsOfUnity(n int) *Array {
	a := newArray(f32.of(2), n/2)
	for k := range n / 2 {
		re, im := root(k, n)
		a.set(2*k, uint64(math.Float32bits(float32(re))))
		a.set(2*k+1, uint64(math.Float32bits(float32(im))))
	}
	return a
}

// dft is the discrete Fourier transform by its definition, of pairs of f32; back divides by their number.
func dft(data []byte, back bool) []byte {
	n := len(data) / 8
	re, im := make([]float64, n), make([]float64, n)
	for i := range n {
		re[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[8*i:])))
		im[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[8*i+4:])))
	}
	cos, sin := make([]float64, n), make([]float64, n)
	for k := range n {
		cos[k], sin[k] = root(k, n)
		if back {
			sin[k] = -sin[k]
		}
	}
	scale := 1.0
	if back {
		scale = 1 / float64(n)
	}
	out := make([]byte, len(data))
	for k := range n {
		var sumRe, sumIm float64
		for i := range n {
			c, s := cos[i*k%n], sin[i*k%n]
			sumRe += float64(re[i]*c) - float64(im[i]*s)
			sumIm += float64(re[i]*s) + float64(im[i]*c)
		}
		binary.LittleEndian.PutUint32(out[8*k:], math.Float32bits(float32(sumRe*scale)))
		binary.LittleEndian.PutUint32(out[8*k+4:], math.Float32bits(float32(sumIm*scale)))
	}
	return out
}
