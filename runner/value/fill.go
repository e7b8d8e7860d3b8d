package value

import (
	"fmt"
	"math"
	"strings"
)

// fill parses FILL for count elements of type t; a negative count is taken from the list, file or hex string.
func (c *cursor) fill(from, to int, t Type, count int) (*Array, error) {
	s := c.text[from:to]
	switch {
	case s == "":
		return nil, c.fail(from, "a list of numbers, zeros, ones, iota, rand(SEED), bits(SEED), hex:… or @FILE", "what to fill with is missing after the colon")
	case s[0] == '@', strings.HasPrefix(s, "hex:"):
		return c.bytes(from, to, t, count)
	case s[0] == '[' && s[len(s)-1] == ']' && len(s) > 1:
		return c.list(from+1, to-1, t, count)
	case s[0] >= 'a' && s[0] <= 'z' && !numberLike(s[:indexOrEnd(s, ',')]):
		return c.generate(from, to, t, count)
	}
	return c.list(from, to, t, count)
}

func (c *cursor) list(from, to int, t Type, count int) (*Array, error) {
	s := c.text[from:to]
	if at, message := checkList(s); message != "" {
		return nil, c.fail(from+at, "", "%s", message)
	}
	a, err := FromItems(t, count, textItems(s, from), c.parser.Budget)
	if err != nil {
		return nil, c.wrap(from, err)
	}
	return a, nil
}

func (c *cursor) generate(from, to int, t Type, count int) (*Array, error) {
	s := c.text[from:to]
	name, args := s, []string(nil)
	if i := strings.IndexByte(s, '('); i >= 0 {
		if s[len(s)-1] != ')' {
			return nil, c.fail(from+i, "", "( without )")
		}
		name = s[:i]
		for a := range strings.SplitSeq(s[i+1:len(s)-1], ",") {
			args = append(args, strings.TrimSpace(a))
		}
	}
	if count < 0 {
		return nil, c.fail(from, fmt.Sprintf("%v[COUNT]:%s", t, s), "how many elements? %s alone does not say", quote(s))
	}
	a, err := New(t, uint64(count), c.parser.Budget)
	if err != nil {
		return nil, c.wrap(from, err)
	}
	if err := a.Fill(name, args...); err != nil {
		return nil, c.fail(from, "", "%v", err)
	}
	return a, nil
}

// Fill fills the array; name and args are those of the VALUE syntax. i counts numbers from 0, components of vectors one by
// one.
//
//	zeros, ones        0 and 1
//	iota               i
//	iota(START,STEP)   START + i*STEP; integers wrap, floats are computed as float64 and rounded to the type
//	rand(SEED)         integers: uniform over the whole range. Floats: uniform over the multiples of 2^-m in [-1,1), where m
//	                   is the number of stored mantissa bits (23 for f32), so that every number is exact. bool: 0 or 1.
//	bits(SEED)         random bit patterns; for floats these include infinities and NaNs
//
// Random numbers come from the generator SplitMix64 started at SEED; number i is made of its i-th output: of the low bits
// as many as an integer or pattern has, of the high m+1 bits u for a float, which is (u-2^m)*2^-m.
func (a *Array) Fill(name string, args ...string) error {
	s := a.Type.Scalar
	isFloat := s.Float()
	switch {
	case name == "zeros" && args == nil:
		clear(a.Data)
		return nil
	case name == "ones" && args == nil:
		one, err := ParseNumber("1", s)
		if err != nil {
			return err
		}
		a.each(func(uint64) (uint64, bool) { return one, true })
		return nil
	case name == "iota" && (args == nil || len(args) == 2):
		if s == Bool {
			return fmt.Errorf("iota counts, and bool does not")
		}
		if args == nil {
			args = []string{"0", "1"}
		}
		return a.iota(args[0], args[1])
	case (name == "rand" || name == "bits") && len(args) == 1:
		seed, err := ParseNumber(args[0], U64)
		if err != nil {
			return fmt.Errorf("the seed: %w", err)
		}
		m := s.info().man
		a.each(func(i uint64) (uint64, bool) {
			r := splitMix64(seed, i)
			switch {
			case s == Bool:
				return r & 1, true
			case name == "rand" && isFloat:
				u := int64(r >> (63 - m))
				return s.EncodeFloat(math.Ldexp(float64(u-1<<m), -m))
			}
			return r & s.mask(), true
		})
		return nil
	case name == "rand" || name == "bits" || name == "iota" || name == "zeros" || name == "ones":
		return fmt.Errorf("%s has the wrong number of arguments; it is one of zeros, ones, iota, iota(START,STEP), rand(SEED), bits(SEED)", name)
	}
	return fmt.Errorf("%s is no way to fill an array; there are lists of numbers, zeros, ones, iota, iota(START,STEP), rand(SEED), bits(SEED), hex:… and @FILE", quote(name))
}

// splitMix64 returns output i (from 0) of the generator started at seed (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014).
func splitMix64(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// each sets every number to f of its position, in order; it stops where f reports false and returns that position.
func (a *Array) each(f func(i uint64) (bits uint64, ok bool)) (at uint64, ok bool) {
	i := uint64(0)
	for e := range a.Count {
		for c := range a.Type.Comps {
			b, ok := f(i)
			if !ok {
				return i, false
			}
			a.SetBits(e, c, b)
			i++
		}
	}
	return 0, true
}

func (a *Array) iota(start, step string) error {
	s := a.Type.Scalar
	from, err := ParseNumber(start, s)
	if err != nil {
		return fmt.Errorf("the start of iota: %w", err)
	}
	by, err := ParseNumber(step, s)
	if err != nil {
		return fmt.Errorf("the step of iota: %w", err)
	}
	if !s.Float() {
		a.each(func(i uint64) (uint64, bool) { return (from + i*by) & s.mask(), true })
		return nil
	}
	x, dx := s.DecodeFloat(from), s.DecodeFloat(by)
	value := func(i uint64) float64 { return x + float64(float64(i)*dx) }
	if at, ok := a.each(func(i uint64) (uint64, bool) { return s.EncodeFloat(value(i)) }); !ok {
		return fmt.Errorf("iota reaches %g at number %d, and the largest %v is %s", value(at), at, s, FormatNumber(s.maxFinite(), s, false))
	}
	return nil
}
