// Command oclgrind compares the emulator's speed with that of oclgrind, a simulator of OpenCL devices, on the kernels of
// kernels.cl. run.sh builds what it needs and calls it.
//
// Each round runs every kernel once on oclgrind and then for a while on the emulator, so that a busy machine slows both.
// Only launches are timed, on both sides after the kernel has been built: oclgrind's by host/host.c from the launch to the
// end of the queue, the emulator's from Launch to its return. Results are compared with those of host code, bit for bit; a
// difference makes the command fail, slowness does not. The output has a line per measurement in the format of go test -bench, for
// benchstat -col /tool, and a table of medians.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

func main() {
	var c comparison
	flag.StringVar(&c.host, "host", "", "the program made of host/host.c")
	flag.StringVar(&c.source, "source", "", "kernels.cl, which oclgrind compiles")
	flag.StringVar(&c.spirv, "spirv", "", "the same kernels in SPIR-V")
	flag.IntVar(&c.rounds, "rounds", 5, "how often each kernel is measured")
	cores := flag.String("cores", "1,2", "numbers of processor cores to use, on both sides")
	flag.Parse()
	for s := range strings.SplitSeq(*cores, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			fail(fmt.Errorf("-cores: %q is no number of cores", s))
		}
		if n > runtime.NumCPU() {
			fmt.Printf("not measured: %d cores, this machine has %d\n", n, runtime.NumCPU())
			continue
		}
		c.cores = append(c.cores, n)
	}
	fail(c.run())
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "oclgrind:", err)
		os.Exit(1)
	}
}

type comparison struct {
	host, source, spirv string
	rounds              int
	cores               []int
}

// times are the measurements of one case, in nanoseconds a launch.
type times struct{ oclgrind, sgrun []float64 }

func (c *comparison) run() error {
	dir, err := os.MkdirTemp("", "oclgrind")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, err := newEmulator(c.spirv)
	if err != nil {
		return err
	}
	defer e.device.Close()
	list := cases()
	fmt.Printf("goos: %s\ngoarch: %s\n", runtime.GOOS, runtime.GOARCH)
	var table strings.Builder
	fmt.Fprintf(&table, "%-12s %6s %16s %16s %8s\n", "kernel", "cores", "oclgrind ns/item", "sgrun ns/item", "ratio")
	for _, cores := range c.cores {
		runtime.GOMAXPROCS(cores)
		all := make([]times, len(list))
		for range c.rounds {
			for i := range list {
				t := &list[i]
				theirs, err := c.oclgrind(t, dir, cores)
				if err != nil {
					return fmt.Errorf("oclgrind, %s: %w", t.kernel, err)
				}
				ours, err := e.measure(t)
				if err != nil {
					return fmt.Errorf("sgrun, %s: %w", t.kernel, err)
				}
				all[i].oclgrind, all[i].sgrun = append(all[i].oclgrind, theirs), append(all[i].sgrun, ours)
				line(t, "oclgrind", cores, theirs)
				line(t, "sgrun", cores, ours)
			}
		}
		for i, t := range list {
			a, b := median(all[i].oclgrind), median(all[i].sgrun)
			word := "met"
			if a/b < t.aim {
				word = "NOT MET"
			}
			n := float64(t.items)
			fmt.Fprintf(&table, "%-12s %6d %16.1f %16.2f %7.0fx   aim %.0fx: %s\n", t.kernel, cores, a/n, b/n, a/b, t.aim, word)
		}
	}
	fmt.Printf("\nmedians of %d rounds; results equal those of host code\n%s", c.rounds, table.String())
	return nil
}

// line prints a measurement as go test -bench does.
func line(t *testCase, tool string, cores int, ns float64) {
	fmt.Printf("BenchmarkLaunch/%s/tool=%s-%d\t1\t%.0f ns/op\t%.3f ns/item\n", t.kernel, tool, cores, ns, ns/float64(t.items))
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// oclgrind launches the kernel there once.
func (c *comparison) oclgrind(t *testCase, dir string, cores int) (ns float64, err error) {
	args := []string{c.source, t.kernel, fmt.Sprintf("%d,%d", t.global[0], t.global[1]), fmt.Sprintf("%d,%d", t.local[0], t.local[1])}
	files := make([]string, len(t.args))
	for i, a := range t.args {
		switch {
		case a.in != nil:
			files[i] = filepath.Join(dir, fmt.Sprintf("arg%d", i))
			if err := os.WriteFile(files[i], toBytes(a.in), 0o600); err != nil {
				return 0, err
			}
			args = append(args, "buffer:"+files[i])
		case a.value != nil:
			args = append(args, fmt.Sprintf("u32:%d", *a.value))
		default:
			args = append(args, fmt.Sprintf("local:%d", a.local))
		}
	}
	cmd := exec.Command(c.host, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("OCLGRIND_NUM_THREADS=%d", cores))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 { // oclgrind says there what is wrong with a kernel
		return 0, fmt.Errorf("%v\n%s", err, &stderr)
	}
	if ns, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
		return 0, err
	}
	for i, a := range t.args {
		if a.in == nil {
			continue
		}
		got, err := os.ReadFile(files[i])
		if err != nil {
			return 0, err
		}
		if err := a.compare(got); err != nil {
			return 0, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return ns, nil
}

func (a *arg) compare(got []byte) error {
	if len(got) != 4*len(a.want) {
		return fmt.Errorf("%d bytes instead of %d", len(got), 4*len(a.want))
	}
	for i, want := range a.want {
		if v := binary.LittleEndian.Uint32(got[4*i:]); v != want {
			return fmt.Errorf("word %d is 0x%08x, host code gives 0x%08x", i, v, want)
		}
	}
	return nil
}

// emulator is the kernels, built.
type emulator struct {
	device  device.Device
	program device.Program
}

func newEmulator(path string) (*emulator, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b, err := spirv.Decode(data)
	if err != nil {
		return nil, err
	}
	m, err := module.New(b)
	if err != nil {
		return nil, err
	}
	if err := val.Check(m); err != nil {
		return nil, err
	}
	d, err := fallback.NewDevice("", fallback.Options{})
	if err != nil {
		return nil, err
	}
	p, err := d.Build(context.Background(), m, device.BuildOptions{})
	if err != nil {
		return nil, err
	}
	return &emulator{d, p}, nil
}

// enough is how long the emulator's launches of one round take together at least.
const enough = 200 * time.Millisecond

// measure launches the kernel until enough time has passed. The first launch is not timed, since it builds the kernel;
// its results are compared.
func (e *emulator) measure(t *testCase) (ns float64, err error) {
	call := device.Dispatch{
		EntryPoint: t.kernel, Global: [3]uint64{uint64(t.global[0]), uint64(t.global[1]), 1}, Local: [3]uint64{uint64(t.local[0]), uint64(t.local[1]), 1},
	}
	for i, a := range t.args {
		to := device.Arg{Index: i}
		switch {
		case a.in != nil:
			if to.Buffer, err = e.device.NewBuffer(uint64(4 * len(a.in))); err != nil {
				return 0, err
			}
			defer to.Buffer.Close()
			if err := to.Buffer.Write(toBytes(a.in), 0); err != nil {
				return 0, err
			}
		case a.value != nil:
			to.Kind, to.Value = device.ArgValue, binary.LittleEndian.AppendUint32(nil, *a.value)
		default:
			to.Kind, to.Local = device.ArgLocal, uint64(a.local)
		}
		call.Args = append(call.Args, to)
	}
	ctx := context.Background()
	if _, err := e.program.Launch(ctx, &call); err != nil {
		return 0, err
	}
	for i, a := range t.args {
		if a.in == nil {
			continue
		}
		got := make([]byte, 4*len(a.in))
		if err := call.Args[i].Buffer.Read(got, 0); err != nil {
			return 0, err
		}
		if err := a.compare(got); err != nil {
			return 0, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	launches, start := 0, time.Now()
	for time.Since(start) < enough {
		if _, err := e.program.Launch(ctx, &call); err != nil {
			return 0, err
		}
		launches++
	}
	return float64(time.Since(start).Nanoseconds()) / float64(launches), nil
}
