package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// devicesReport is the JSON form of "sgrun devices".
type devicesReport struct {
	Devices []deviceReport `json:"devices"`
	Absent  []absentReport `json:"absent"`
}

// deviceReport is the JSON form of one device's facts.
type deviceReport struct {
	// Device is what --device takes, such as "emu:generic".
	Device   string `json:"device"`
	Backend  string `json:"backend"`
	Name     string `json:"name"`
	Profile  string `json:"profile,omitempty"`
	Vendor   string `json:"vendor,omitempty"`
	Driver   string `json:"driver,omitempty"`
	Version  string `json:"version,omitempty"`
	Executes bool   `json:"executes"` // false: launches are accepted but nothing is computed

	SubGroupSizes       []int     `json:"sub_group_sizes"` // lanes
	DefaultSubGroupSize int       `json:"default_sub_group_size"`
	MaxWorkGroupSize    uint64    `json:"max_work_group_size"` // work-items
	MaxWorkItems        [3]uint64 `json:"max_work_items"`      // of a work-group in each dimension
	MaxBufferBytes      uint64    `json:"max_buffer_bytes"`
	GlobalMemBytes      uint64    `json:"global_mem_bytes"`
	LocalMemBytes       uint64    `json:"local_mem_bytes"`
	ComputeUnits        int       `json:"compute_units,omitempty"`

	SPIRVVersions   []string `json:"spirv_versions"`
	SPIRVExtensions []string `json:"spirv_extensions"`
	Capabilities    []string `json:"capabilities"`
	Extensions      []string `json:"extensions,omitempty"` // of the API
	Checks          []string `json:"checks,omitempty"`     // words --check takes
	Notes           []string `json:"notes,omitempty"`
}

// absentReport is a backend that cannot be used, and why.
type absentReport struct {
	Backend string `json:"backend"`
	Reason  string `json:"reason"`
}

func newDeviceReport(d named) deviceReport {
	f := d.Facts()
	r := deviceReport{
		Device: d.selector, Backend: f.Backend, Name: f.Name, Profile: f.Profile, Vendor: f.Vendor, Driver: f.Driver, Version: f.Version,
		Executes: f.Executes, SubGroupSizes: f.SubGroupSizes, DefaultSubGroupSize: f.DefaultSubGroupSize, MaxWorkGroupSize: f.MaxWorkGroupSize,
		MaxWorkItems: f.MaxWorkItems, MaxBufferBytes: f.MaxBufferBytes, GlobalMemBytes: f.GlobalMemBytes, LocalMemBytes: f.LocalMemBytes,
		ComputeUnits: f.ComputeUnits, SPIRVVersions: f.SPIRVVersions, SPIRVExtensions: f.SPIRVExtensions, Capabilities: []string{},
		Extensions: f.Extensions, Checks: f.Checks, Notes: f.Notes,
	}
	for _, c := range f.Capabilities {
		r.Capabilities = append(r.Capabilities, c.String())
	}
	return r
}

func (a *app) devicesCommand() *cobra.Command {
	var rep report
	var verbose bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "Show what kernels can run on here, and what is absent and why",
		Long: `Show the devices that sgrun can use, as --device takes them, and what each can do; then the backends that
are absent, and why. The emulator is always there: emu is emu:generic, which takes any sub-group size
that is a power of two up to 128; the other profiles refuse what the named family of Intel GPUs
refuses.`,
		Example: `  sgrun devices
  sgrun devices -v
  sgrun devices --format json`,
		Args: wants(0, 0, "no arguments"),
		RunE: a.does(func(ctx context.Context, _ []string) error {
			if err := rep.noJUnit("devices"); err != nil {
				return err
			}
			all := devicesReport{Devices: []deviceReport{}, Absent: []absentReport{}}
			for i := range a.backends {
				list, err := a.backends[i].devices(ctx, 0)
				if err != nil {
					reason, _, _ := strings.Cut(err.Error(), "\n")
					all.Absent = append(all.Absent, absentReport{a.backends[i].name, reason})
				}
				for _, d := range list {
					all.Devices = append(all.Devices, newDeviceReport(d))
					d.Close()
				}
			}
			if rep.format.value == "json" {
				return a.writeJSON(rep.file, all)
			}
			return a.write(rep.file, []byte(devicesText(&all, verbose)))
		}),
	}
	addReport(cmd, &rep)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show everything that is known")
	return cmd
}

// devicesText prints the report for people.
func devicesText(all *devicesReport, verbose bool) string {
	var b strings.Builder
	t := newTable(left, left, left, right, right, right)
	t.head("device", "name", "sub-group sizes", "work-group", "local memory", "memory")
	for i := range all.Devices {
		d := &all.Devices[i]
		t.row(d.Device, d.Name, sizesText(d.SubGroupSizes, d.DefaultSubGroupSize), fmt.Sprint(d.MaxWorkGroupSize),
			bytesText(d.LocalMemBytes), bytesText(d.GlobalMemBytes))
	}
	if len(all.Devices) > 0 {
		b.WriteString(t.String())
	} else {
		b.WriteString("no devices\n")
	}
	if verbose {
		for i := range all.Devices {
			b.WriteString("\n")
			deviceText(&b, &all.Devices[i])
		}
	}
	if len(all.Absent) > 0 {
		t := newTable(leftColumns(2)...)
		t.head("absent", "why")
		for _, r := range all.Absent {
			t.row(r.Backend, r.Reason)
		}
		b.WriteString("\n" + t.String())
	}
	return b.String()
}

// deviceText prints all that is known of a device.
func deviceText(b *strings.Builder, d *deviceReport) {
	t := newTable(leftColumns(2)...)
	t.row("device", d.Device)
	for _, l := range [][2]string{{"vendor", d.Vendor}, {"driver", d.Driver}, {"version", d.Version}} {
		if l[1] != "" {
			t.row(l[0], l[1])
		}
	}
	if !d.Executes {
		t.row("computes", "no: launches are accepted, nothing is computed")
	}
	if d.ComputeUnits > 0 {
		t.row("compute units", fmt.Sprint(d.ComputeUnits))
	}
	t.row("largest buffer", bytesText(d.MaxBufferBytes))
	t.row("largest work-group", fmt.Sprintf("%d,%d,%d, together %d", d.MaxWorkItems[0], d.MaxWorkItems[1], d.MaxWorkItems[2], d.MaxWorkGroupSize))
	listRow(t, "SPIR-V versions", d.SPIRVVersions)
	listRow(t, "extensions", d.SPIRVExtensions)
	listRow(t, "capabilities", d.Capabilities)
	listRow(t, "API extensions", d.Extensions)
	listRow(t, "checks", d.Checks)
	listRow(t, "notes", d.Notes)
	b.WriteString(t.String())
}

// sizesText prints sub-group sizes, the default one marked.
func sizesText(sizes []int, def int) string {
	var s []string
	for _, n := range sizes {
		if n == def {
			s = append(s, fmt.Sprintf("[%d]", n))
		} else {
			s = append(s, fmt.Sprint(n))
		}
	}
	return strings.Join(s, " ")
}

// bytesText prints a size with the largest binary unit that leaves it whole.
func bytesText(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	u := 0
	for n >= 1024 && n%1024 == 0 && u < len(units)-1 {
		n /= 1024
		u++
	}
	return fmt.Sprintf("%d %s", n, units[u])
}

// addDevice adds --device.
func (a *app) addDevice(cmd *cobra.Command, selectors *[]string, byDefault string) {
	cmd.Flags().StringArrayVarP(selectors, "device", "d", []string{byDefault},
		"where to run: `DEVICE` is auto, all, emu, opencl, level-zero, or one of these with an index, a profile or a part of the name: emu:bmg, opencl:1; may be repeated")
	err := cmd.RegisterFlagCompletionFunc("device", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.deviceWords(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err)
	}
}

// checkWords are the words that --check takes on any device that is here.
func (a *app) checkWords(ctx context.Context) []string {
	var words []string
	seen := map[string]bool{}
	for _, d := range a.allDevices(ctx, 0) {
		for _, c := range d.Facts().Checks {
			if !seen[c] {
				seen[c] = true
				words = append(words, c)
			}
		}
		d.Close()
	}
	return words
}
