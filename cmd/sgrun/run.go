package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

// runFlags are the flags of "sgrun run".
type runFlags struct {
	devices                       []string
	kernel                        string
	global, groups, local, offset sizes
	subGroup                      int
	spec                          []string
	link                          []string
	buildOptions                  string

	timeout         time.Duration
	check           []string
	seed            uint64
	deterministic   bool
	barrierExited   string
	maxInstructions uint64
	memory          byteSize

	print, save, expect []string
	tolerance           string
	saveLaunch          string
	verbose             bool
	rep                 report
}

func (a *app) runCommand() *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run MODULE [NAME=VALUE...]",
		Short: "Run a kernel and show what it wrote",
		Long: `Run one kernel or compute shader and show the buffers it changed. MODULE is a .spv or .spvasm file, a name
of the catalogue, - for standard input, or a launch file (.json, see --save-launch), which holds the
arguments itself.

Arguments go by the parameter's name or index; resources of a shader by SET.BINDING or name, its push
constants by push. sgrun info shows them. VALUE is

  1024  -1  0x1p-3  inf  nan  0x3f800000   a number, of the parameter's type
  1,2,3,4                                  a vector passed by value
  TYPE[COUNT]:FILL                         a buffer; FILL is a list, one number that is repeated, zeros,
                                           ones, iota, iota(START,STEP), rand(SEED), bits(SEED) or hex:...
  TYPE[COUNT]                              a buffer of zeros
  @FILE.npy  @FILE.bin  TYPE:@FILE         a buffer with what the file holds
  local[BYTES]                             work-group memory
  {FIELD=VALUE,...}                        a structure passed by value
  &NAME                                    the buffer of another argument

TYPE is i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 e4m3 e5m2 i4 u4 bool, or a vector of them: v4f32.
It need not be the parameter's: bytes are bytes, and the type given is the one printed. 2|3 is a number
made of parts, the lowest first: 0x00030002 as u32.

--print NAME shows a whole buffer, changed or not. A form may follow: NAME:TYPE as another type,
NAME:hex bit patterns, NAME:packed16 numbers cut into parts of 16 bits, lowest first.

--expect NAME=VALUE compares a buffer afterwards; where a value differs the exit status is 1.`,
		Example: `  sgrun run bitcast-shuffle/u32-to-v2u16 --global 8 --sub-group-size 8 in=u32[8]:iota out=v2u16[8]
  sgrun run bitcast-shuffle/u32-to-v2u16 --global 8 --sub-group-size 8 \
    'in=u32[8]:0|1,2|3,4|5,6|7,8|9,10|11,12|13,14|15' out=v2u16[8] --print in:packed16 --print out
  sgrun run bitcast-shuffle/v2u16-to-u32 --global 8 --sub-group-size 8 \
    in=v2u16[8]:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 out=u32[8] --print out:packed16
  sgrun run kernel.spv -k add --global 1024 --local 64 a=f32[1024]:iota b=f32[1024]:ones out=f32[1024]
  sgrun run kernel.spv -k add --global 8 a=@a.npy b=f32[8]:0.5 out=f32[8] \
    --save out=out.npy --save-launch launch.json
  sgrun run launch.json --check undefined`,
		Args:              wants(1, -1, "a module and its arguments, as NAME=VALUE"),
		ValidArgsFunction: a.completeModule,
	}
	cmd.RunE = a.does(func(ctx context.Context, args []string) error { return a.run(ctx, f, cmd, args) })
	fl := cmd.Flags()
	fl.SortFlags = false
	a.addDevice(cmd, &f.devices, "auto")
	fl.StringVarP(&f.kernel, "kernel", "k", "", "run the entry point `NAME`; needed where the module has several")
	fl.Var(&f.global, "global", "number of work-items: `X[,Y[,Z]]`")
	fl.Var(&f.groups, "groups", "number of work-groups, instead of --global: `X[,Y[,Z]]`")
	fl.Var(&f.local, "local", "work-items of a work-group: `X[,Y[,Z]]`; default: the module's or the device's choice")
	fl.Var(&f.offset, "global-offset", "what is added to global ids: `X[,Y[,Z]]`")
	fl.IntVar(&f.subGroup, "sub-group-size", 0, "required sub-group size, in `LANES`")
	fl.StringArrayVar(&f.spec, "spec", nil, "set a specialization constant, by its SpecId or name: `ID=VALUE`; may be repeated")
	fl.StringArrayVar(&f.link, "link", nil, "take what the module imports from `MODULE`; may be repeated")
	fl.StringVar(&f.buildOptions, "build-options", "", "options for the device's compiler")
	fl.DurationVar(&f.timeout, "timeout", 0, "stop the kernel after this time, such as 10s; 0: no limit")
	fl.StringSliceVar(&f.check, "check", nil, "report events that are undefined: a `LIST` of what sgrun devices -v names, such as undefined")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of the order in which work-groups run with --deterministic")
	fl.BoolVar(&f.deterministic, "deterministic", false, "run work-groups in an order that only --seed changes")
	fl.StringVar(&f.barrierExited, "barrier-exited", "error", "what a barrier makes of work-items that have left the kernel: `WHAT` is error, or release to count them as arrived")
	fl.Uint64Var(&f.maxInstructions, "max-instructions", 0, "stop the kernel after `N` instructions; 0: the device's limit")
	fl.Var(&f.memory, "memory-limit", "how much memory a launch may take: `SIZE` such as 512MiB; default: 4GiB for the values given here, 8GiB on the emulator")
	fl.StringArrayVar(&f.print, "print", nil, "show all of a buffer: `NAME[:TYPE][:hex][:packedBITS]`; may be repeated")
	fl.StringArrayVar(&f.save, "save", nil, "write a buffer to a file, .npy or raw: `NAME=FILE`; may be repeated")
	fl.StringArrayVar(&f.expect, "expect", nil, "compare a buffer with what it should be: `NAME=VALUE`; may be repeated")
	fl.StringVar(&f.tolerance, "tolerance", "", "how far --expect lets values be off: `T` is bits (the default), 2ulp, 1e-6 (absolute), 1e-5rel (relative) or 0.1%")
	fl.StringVar(&f.saveLaunch, "save-launch", "", "write the launch to `FILE.json`, for sgrun run FILE.json")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show the device, the sub-group size and which work-item is which lane, and times")
	addReport(cmd, &f.rep)
	mustComplete(cmd.RegisterFlagCompletionFunc("kernel", a.completeKernel))
	mustComplete(cmd.RegisterFlagCompletionFunc("check", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.checkWords(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	}))
	return cmd
}

func mustComplete(err error) {
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// sizes is a flag that takes one to three numbers.
type sizes []uint64

func (s *sizes) Type() string { return "sizes" }

func (s *sizes) String() string {
	var list []string
	for _, n := range *s {
		list = append(list, strconv.FormatUint(n, 10))
	}
	return strings.Join(list, ",")
}

func (s *sizes) Set(text string) error {
	var list sizes
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 0, 64)
		if err != nil || len(list) == 3 {
			return fmt.Errorf("it is one to three numbers, such as 1024 or 64,64")
		}
		list = append(list, n)
	}
	*s = list
	return nil
}

// byteSize is a flag that takes a number of bytes, with a unit.
type byteSize uint64

func (b *byteSize) Type() string { return "size" }

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return bytesText(uint64(*b))
}

func (b *byteSize) Set(text string) error {
	number := strings.TrimRight(text, "kKmMgGtTiIbB ")
	shift, ok := map[string]uint{"": 0, "b": 0, "k": 10, "kib": 10, "m": 20, "mib": 20, "g": 30, "gib": 30, "t": 40, "tib": 40}[strings.ToLower(strings.TrimSpace(text[len(number):]))]
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || !ok || n == 0 || n > 1<<62>>shift {
		return fmt.Errorf("it is a size such as 1048576, 512MiB or 4GiB")
	}
	*b = byteSize(n << shift)
	return nil
}

// run is "sgrun run".
func (a *app) run(ctx context.Context, f *runFlags, cmd *cobra.Command, args []string) error {
	var shows []show
	for _, p := range f.print {
		s, err := parseShow(p)
		if err != nil {
			return err
		}
		shows = append(shows, s)
	}
	if f.rep.format.value == "junit" && (len(f.expect) == 0 || len(f.devices) > 1) {
		e := usage("--format junit is for runs that compare values, on one device")
		e.Try = "--expect NAME=VALUE, or --format json"
		return e
	}
	budget := value.NewBudget(uint64(f.memory))
	launch, err := f.launch(cmd, args, budget)
	if err != nil {
		return err
	}
	expected, how, err := f.expectations(budget)
	if err != nil {
		return err
	}
	if f.timeout < 0 {
		return usage("--timeout %v is negative", f.timeout)
	}
	saves, err := parseSaves(f.save)
	if err != nil {
		return err
	}
	if len(f.link) > 0 && f.saveLaunch != "" {
		e := usage("--save-launch names one module, and --link joins several")
		e.Try = "sgrun link MODULE LIBRARY -o whole.spv, and run that"
		return e
	}
	src, err := a.loadLinked(ctx, launch.Module, f.link)
	if err != nil {
		return err
	}
	devices, note, err := a.selectDevices(ctx, f.devices, uint64(f.memory))
	if err != nil {
		return err
	}
	defer closeAll(devices)
	if note != "" && (f.verbose || a.errTerminal) {
		fmt.Fprintln(a.err, a.paint(a.errTerminal, dim, note))
	}
	if len(devices) > 1 && (len(saves) > 0 || f.saveLaunch != "") {
		return usage("--save and --save-launch are for one device, and --device names %d", len(devices))
	}
	if f.barrierExited != "error" && f.barrierExited != "release" {
		return usage("--barrier-exited is error or release, not %q", f.barrierExited)
	}
	opt := runner.Options{ReleaseExited: f.barrierExited == "release", Check: f.check, Seed: f.seed, Deterministic: f.deterministic, MaxInstructions: f.maxInstructions,
		Timeout: f.timeout, Memory: uint64(f.memory)}
	var all []*runReport
	var errs []error
	for _, d := range devices {
		result, err := runner.Run(ctx, d, src, launch, opt)
		if result == nil && (len(devices) == 1 || runner.ExitStatus(err) != device.Unsupported.ExitStatus()) {
			return err
		}
		r := newRunReport(d, src.Name, result, err)
		all = append(all, r)
		if result == nil { // the other devices may do better
			errs = append(errs, err)
			continue
		}
		if err := r.choose(result, shows); err != nil {
			return err
		}
		errs = append(errs, err, result.Err())
		if err == nil {
			errs = append(errs, r.compare(result, expected, how))
		}
		if err := saveAll(result, saves); err != nil {
			return err
		}
		if f.saveLaunch != "" {
			if err := result.Launch.Save(f.saveLaunch); err != nil {
				return err
			}
		}
	}
	if err := a.writeRuns(f, all); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// launch makes the launch of the command line, or reads the launch file it names.
func (f *runFlags) launch(cmd *cobra.Command, args []string, budget *value.Budget) (*runner.Launch, error) {
	if strings.EqualFold(filepath.Ext(args[0]), ".json") {
		for _, name := range []string{"kernel", "global", "groups", "local", "global-offset", "sub-group-size", "spec", "build-options"} {
			if cmd.Flags().Changed(name) {
				return nil, usage("--%s cannot be given with a launch file: it stands in %s", name, args[0])
			}
		}
		if len(args) > 1 {
			return nil, usage("%q: arguments cannot be given with a launch file, they stand in %s", args[1], args[0])
		}
		l, err := runner.LoadLaunch(args[0], budget)
		if err == nil && l.Module == "" {
			return nil, usage("%s names no module", args[0])
		}
		return l, err
	}
	step := runner.Step{Kernel: f.kernel, Global: f.global, Groups: f.groups, Local: f.local, GlobalOffset: f.offset,
		SubGroupSize: f.subGroup, BuildOptions: f.buildOptions}
	for _, s := range f.spec {
		spec, err := runner.ParseSpec(s)
		if err != nil {
			return nil, err
		}
		step.Spec = append(step.Spec, spec)
	}
	parser := &value.Parser{Budget: budget}
	for _, text := range args[1:] {
		arg, err := runner.ParseArgument(text, parser)
		if err != nil {
			return nil, err
		}
		step.Args = append(step.Args, arg)
	}
	return &runner.Launch{Module: args[0], Steps: []runner.Step{step}}, nil
}

// save is one --save.
type save struct {
	show
	file string
}

func parseSaves(texts []string) ([]save, error) {
	var out []save
	for _, text := range texts {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			e := usage("--save %q is not NAME=FILE", text)
			e.Try = "--save out=out.npy"
			return nil, e
		}
		s, err := parseShow(name)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
			return nil, usage("--save %s: there is no folder %s", text, filepath.Dir(file))
		}
		out = append(out, save{s, file})
	}
	return out, nil
}

// saveAll writes buffers to files.
func saveAll(result *runner.Result, saves []save) error {
	for _, s := range saves {
		b, err := result.Buffer(s.buffer)
		if err != nil {
			return err
		}
		if b.Final == nil {
			return b.Err
		}
		array, err := s.of(b.Final)
		if err != nil {
			return err
		}
		if err := array.Save(s.file); err != nil {
			return fileUsage("--save "+s.buffer, err)
		}
	}
	return nil
}
