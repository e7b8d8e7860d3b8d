package runner

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
)

// geometry works out how many work-items run, in which groups and sub-groups, and checks it against module and device.
func (s *planStep) geometry(facts *device.Facts, src *Source, lookup func(spirv.ID) (uint64, bool)) error {
	d := &s.dispatch
	for _, f := range []struct {
		name  string
		sizes []uint64
	}{{"global size", s.Global}, {"number of work-groups", s.Groups}, {"work-group size", s.Local}} {
		if slices.Contains(f.sizes, 0) {
			return usage("bad-size", "the %s %s has a 0, and every dimension needs at least 1", f.name, sizeText(f.sizes))
		}
		if len(f.sizes) > 3 {
			return usage("bad-size", "the %s %s has more than 3 dimensions", f.name, sizeText(f.sizes))
		}
	}
	local, given := extend(s.Local, 1), s.Local != nil
	if required, ok := src.Module.LocalSize(s.entry, lookup); ok {
		want := [3]uint64{uint64(required[0]), uint64(required[1]), uint64(required[2])}
		if given && local != want {
			e := usage("bad-size", "the module requires the work-group size %s, not %s", sizeText(want[:]), sizeText(local[:]))
			e.Try = "leave the work-group size out"
			return e
		}
		local, given = want, true
	}
	if given {
		d.Local = local
	}
	if err := s.globalSize(local, given); err != nil {
		return err
	}
	items, over := uint64(1), false
	for _, n := range d.Global {
		hi, lo := bits.Mul64(items, n)
		items, over = lo, over || hi != 0
	}
	if over || items > 1<<62 {
		return usage("bad-size", "the global size %s is more than can be counted", sizeText(d.Global[:]))
	}
	d.Offset = extend(s.GlobalOffset, 0)
	if len(s.GlobalOffset) > 3 {
		return usage("bad-size", "the global offset %s has more than 3 dimensions", sizeText(s.GlobalOffset))
	}
	if s.entry.Model != spirv.ExecutionModelKernel && d.Offset != [3]uint64{} {
		return usage("bad-size", "a compute shader has no global offset")
	}
	if given {
		if err := checkGroup(facts, local); err != nil {
			return err
		}
	}
	return s.subGroup(facts, src, lookup)
}

func (s *planStep) globalSize(local [3]uint64, given bool) error {
	d := &s.dispatch
	shader := s.entry.Model != spirv.ExecutionModelKernel
	switch {
	case s.Global != nil && s.Groups != nil:
		return usage("bad-size", "both the global size and the number of work-groups are given; one of them is enough")
	case s.Global == nil && s.Groups == nil:
		e := usage("bad-size", "it is not said how many work-items to run")
		e.Try = "--global with the number of work-items, or --groups with the number of work-groups"
		return e
	case s.Groups != nil && !given:
		e := usage("bad-size", "the number of work-groups needs a work-group size, and neither the launch nor the module gives one")
		e.Try = "--local with the number of work-items of a work-group"
		return e
	case s.Groups != nil:
		d.Global = extend(s.Groups, 1)
		for i := range d.Global {
			hi, lo := bits.Mul64(d.Global[i], local[i])
			if hi != 0 {
				return usage("bad-size", "%d work-groups of %d are more work-items than can be counted", d.Global[i], local[i])
			}
			d.Global[i] = lo
		}
		return nil
	}
	d.Global = extend(s.Global, 1)
	if shader && given {
		for i, n := range d.Global {
			if n%local[i] != 0 {
				return usage("bad-size", "the global size %s is no multiple of the work-group size %s, which a compute shader needs", sizeText(d.Global[:]), sizeText(local[:]))
			}
		}
	}
	return nil
}

// checkGroup checks a work-group size against what the device allows. A limit of 0 is not known.
func checkGroup(facts *device.Facts, local [3]uint64) error {
	unsupported := func(format string, args ...any) error {
		return &device.Error{Class: device.Unsupported, Kind: "work-group-size", Message: fmt.Sprintf(format, args...)}
	}
	items := uint64(1)
	for i, n := range local {
		if limit := facts.MaxWorkItems[i]; limit > 0 && n > limit {
			return unsupported("the work-group size %s is more than %s allows in dimension %d, which is %d", sizeText(local[:]), facts.Name, i, limit)
		}
		hi, lo := bits.Mul64(items, n)
		if hi != 0 {
			lo = 1<<64 - 1
		}
		items = lo
	}
	if facts.MaxWorkGroupSize > 0 && items > facts.MaxWorkGroupSize {
		return unsupported("a work-group of %s is %d work-items, and %s allows %d", sizeText(local[:]), items, facts.Name, facts.MaxWorkGroupSize)
	}
	return nil
}

func (s *planStep) subGroup(facts *device.Facts, src *Source, lookup func(spirv.ID) (uint64, bool)) error {
	size := s.SubGroupSize
	if size < 0 {
		return usage("bad-size", "a sub-group size of %d", size)
	}
	if required, ok := src.Module.SubgroupSize(s.entry, lookup); ok {
		if size != 0 && size != int(required) {
			e := usage("bad-size", "the module requires the sub-group size %d, not %d", required, size)
			e.Try = "leave the sub-group size out"
			return e
		}
		size = int(required)
	}
	if size != 0 && len(facts.SubGroupSizes) > 0 && !slices.Contains(facts.SubGroupSizes, size) {
		return &device.Error{Class: device.Unsupported, Kind: "sub-group-size",
			Message: fmt.Sprintf("%s has no sub-groups of %d lanes; it has %s", facts.Name, size, strings.Trim(fmt.Sprint(facts.SubGroupSizes), "[]"))}
	}
	s.dispatch.SubGroupSize = size
	return nil
}

// extend fills sizes up to three dimensions.
func extend(sizes []uint64, fill uint64) [3]uint64 {
	out := [3]uint64{fill, fill, fill}
	copy(out[:], sizes)
	return out
}

func sizeText(sizes []uint64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", ",")
}
