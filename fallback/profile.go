package fallback

import (
	"fmt"
	"strings"
)

// Profile is what the emulator pretends to be, so that what a device refuses is refused here too.
type Profile struct {
	Name   string // "bmg"
	Device string // what devices of the family are called
	// SubGroupSizes are the sizes kernels can run with, ascending, in lanes.
	SubGroupSizes    []int
	SubGroupSize     int // the one taken where nothing asks for another
	MaxWorkGroupSize uint64
	LocalMemBytes    uint64 // of a work-group
	Float64          bool
	ComputeUnits     int
}

// Profiles returns the profiles, generic first. The numbers of the Intel families are those Intel's OpenCL driver
// reports for them (docs/emulator.md).
func Profiles() []Profile {
	xe2 := func(name, device string) Profile {
		return Profile{name, device, []int{16, 32}, 16, 1024, 128 << 10, true, 64}
	}
	return []Profile{
		{"generic", "any device", []int{1, 2, 4, 8, 16, 32, 64, 128}, 16, 1024, 128 << 10, true, 0},
		{"dg2", "Intel Arc A770", []int{8, 16, 32}, 16, 512, 64 << 10, false, 256},
		xe2("pvc", "Intel Data Center GPU Max 1100"),
		xe2("bmg", "Intel Arc B580"),
		xe2("lnl", "Intel Arc, Lunar Lake"),
		xe2("ptl", "Intel Arc B390"),
	}
}

// profileNamed returns a profile, generic for the empty name.
func profileNamed(name string) (Profile, error) {
	if name == "" {
		name = "generic"
	}
	var names []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("the emulator has no profile %q; there are %s", name, strings.Join(names, ", "))
}
