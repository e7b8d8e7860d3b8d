package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/runner/device"
)

// backend is one kind of device that the command line can name.
type backend struct {
	name  string // the word before the colon of --device
	about string
	// open opens the backend with a limit of memory in bytes, 0 for its own. It is nil where it is not built in, and then absent says why.
	open   func(memory uint64) device.Backend
	absent string
}

// allBackends lists every backend there is, in the order in which "auto" prefers them.
func allBackends() []backend {
	return []backend{
		{name: "level-zero", about: "Level Zero", absent: "this version of sgrun has no Level Zero backend yet"},
		{name: "opencl", about: "OpenCL", absent: "this version of sgrun has no OpenCL backend yet"},
		{name: "emu", about: "emulator in pure Go", open: func(memory uint64) device.Backend { return fallback.New(fallback.Options{Memory: memory}) }},
	}
}

// named is a device with the text of --device that takes it.
type named struct {
	device.Device
	selector string
}

// devices opens the devices of one backend. The error says why it is absent.
func (b *backend) devices(ctx context.Context, memory uint64) ([]named, error) {
	if b.open == nil {
		return nil, &device.Error{Class: device.Absent, Kind: "no-backend", Message: b.absent, Try: "--device emu"}
	}
	list, err := b.open(memory).Devices(ctx)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, &device.Error{Class: device.Absent, Kind: "no-device", Message: b.about + " has no device here", Try: "--device emu"}
	}
	var out []named
	for i, d := range list {
		which := strconv.Itoa(i)
		if p := d.Facts().Profile; p != "" {
			which = p
		}
		out = append(out, named{d, b.name + ":" + which})
	}
	return out, nil
}

// selectDevices opens the devices that --device names; note says which one auto took. The caller closes them.
func (a *app) selectDevices(ctx context.Context, selectors []string, memory uint64) (taken []named, note string, err error) {
	defer func() {
		if err != nil {
			closeAll(taken)
			taken = nil
		}
	}()
	seen := map[string]bool{}
	for _, s := range selectors {
		var list []named
		switch s {
		case "auto":
			list, note, err = a.autoDevice(ctx, memory)
		case "all":
			list = a.allDevices(ctx, memory)
		default:
			list, err = a.pick(ctx, s, memory)
		}
		if err != nil {
			return taken, "", err
		}
		for _, d := range list {
			if seen[d.selector] {
				d.Close()
				continue
			}
			seen[d.selector] = true
			taken = append(taken, d)
		}
	}
	return taken, note, nil
}

func closeAll(list []named) {
	for _, d := range list {
		d.Close()
	}
}

// autoDevice takes the first device of the first backend that has one.
func (a *app) autoDevice(ctx context.Context, memory uint64) ([]named, string, error) {
	var without []string
	var causes []error
	for i := range a.backends {
		list, err := a.backends[i].devices(ctx, memory)
		if err != nil {
			without = append(without, err.Error())
			causes = append(causes, err)
			continue
		}
		closeAll(list[1:])
		note := "auto took " + list[0].selector
		for _, w := range without {
			note += "; " + strings.Split(w, "\n")[0]
		}
		return list[:1], note, nil
	}
	return nil, "", &device.Error{Class: device.Absent, Kind: "no-device", Message: "there is no device", Err: errors.Join(causes...)}
}

// allDevices returns every device of every backend that is here.
func (a *app) allDevices(ctx context.Context, memory uint64) []named {
	var out []named
	for i := range a.backends {
		if list, err := a.backends[i].devices(ctx, memory); err == nil {
			out = append(out, list...)
		}
	}
	return out
}

// pick returns the device that "BACKEND[:WHICH]" names.
func (a *app) pick(ctx context.Context, selector string, memory uint64) ([]named, error) {
	name, which, given := strings.Cut(selector, ":")
	var words []string
	for i := range a.backends {
		b := &a.backends[i]
		words = append(words, b.name)
		if b.name != name {
			continue
		}
		list, err := b.devices(ctx, memory)
		if err != nil {
			return nil, err
		}
		if !given {
			which = "0"
		}
		at := match(list, which)
		if len(at) == 1 {
			for i, d := range list {
				if i != at[0] {
					d.Close()
				}
			}
			return []named{list[at[0]]}, nil
		}
		defer closeAll(list)
		e := &device.Error{Class: device.Absent, Kind: "unknown-device", Message: fmt.Sprintf("%s has no device %q", b.name, which)}
		if len(at) > 1 {
			e = usage("%d devices of %s match %q", len(at), b.name, which)
		}
		var there []string
		for _, d := range list {
			there = append(there, "--device "+d.selector)
		}
		e.Try = strings.Join(there, ", ")
		return nil, e
	}
	e := usage("there is no kind of device %q", name)
	e.Try = "--device with one of auto, all, " + strings.Join(words, ", ") + "; see sgrun devices"
	return nil, e
}

// match returns the devices that an index, a profile or a part of the name means.
func match(list []named, which string) []int {
	if i, err := strconv.Atoi(which); err == nil {
		if i < 0 || i >= len(list) {
			return nil
		}
		return []int{i}
	}
	var found []int
	for i, d := range list {
		f := d.Facts()
		if f.Profile != "" && f.Profile == which {
			return []int{i}
		}
		if which != "" && strings.Contains(strings.ToLower(f.Name), strings.ToLower(which)) {
			found = append(found, i)
		}
	}
	return found
}

// deviceWords are what --device takes, for shells.
func (a *app) deviceWords(ctx context.Context) []string {
	words := []string{"auto", "all"}
	for i := range a.backends {
		words = append(words, a.backends[i].name)
	}
	for _, d := range a.allDevices(ctx, 0) {
		words = append(words, d.selector)
		d.Close()
	}
	return words
}
