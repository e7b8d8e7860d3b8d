package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sgrun/sgrun/matrix"
	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

func (a *app) vnniCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vnni pack|unpack|check",
		Short: "Pack matrices for Intel's matrix instructions, and find what is wrong with a packing",
		Long: `Pack the matrix B of a product into the layout that Intel's matrix instructions read (VNNI), unpack it, or
check a packing. F = 32/bits rows are taken together: word n of packed row r holds, lowest bits first,
the elements of column n from rows F*r to F*r+F-1. Rows below the last are padded with zero.

Matrices travel in .npy files, row-major (Fortran order is turned round while reading); - is standard
input. The element type of the file gives the width: 8 bits for int8 and uint8, 16 bits for int16,
uint16 and float16.
Elements of 4 bits travel two to a byte, the low nibble first: --type i4 and, where the number of
columns is odd or the file has one dimension only, --cols.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return wants(1, 1, "pack, unpack or check")(cmd, args)
		},
	}
	cmd.AddCommand(a.vnniPackCommand(), a.vnniUnpackCommand(), a.vnniCheckCommand())
	return cmd
}

// shapeFlags say what a file's header does not: element type, rows, columns and leading dimensions.
type shapeFlags struct {
	elem                     choice
	rows, cols, ld, packedLD int
}

// elementTypes are the types a matrix can have. The first is "as the file says".
var elementTypes = []string{"file", "i4", "u4", "i8", "u8", "e4m3", "e5m2", "i16", "u16", "f16", "bf16"}

func (f *shapeFlags) add(cmd *cobra.Command) {
	addChoice(cmd, &f.elem, "type", "", "element type of the matrix; file: as the .npy file says", elementTypes...)
	cmd.Flags().IntVar(&f.rows, "rows", 0, "rows of the matrix (`K`); default: as the file's shape says")
	cmd.Flags().IntVar(&f.cols, "cols", 0, "columns of the matrix (`N`); default: as the file's shape says")
	cmd.Flags().IntVar(&f.ld, "ld", 0, "leading dimension of the matrix in `ELEMENTS`; default: the columns of the file")
	cmd.Flags().IntVar(&f.packedLD, "packed-ld", 0, "leading dimension of the packed matrix in 32-bit `WORDS`; default: the columns")
}

func (a *app) vnniPackCommand() *cobra.Command {
	var flags shapeFlags
	var out string
	cmd := &cobra.Command{
		Use:   "pack B.npy -o PACKED.npy",
		Short: "Pack a matrix",
		Long: `Pack a matrix of K rows and N columns. The result has element type uint32 and the shape
(K/F rounded up, N), or (K/F rounded up, P) with --packed-ld P.`,
		Example: `  sgrun vnni pack B.npy -o packed.npy
  sgrun vnni pack B.npy | sgrun vnni check B.npy -
  sgrun vnni pack --type i4 --cols 7 nibbles.npy -o packed4.npy`,
		Args:              wants(1, 1, "the .npy file of a matrix"),
		ValidArgsFunction: npyFiles,
		RunE: a.does(func(_ context.Context, args []string) error {
			src, layout, err := a.readMatrix(&flags, args[0])
			if err != nil {
				return err
			}
			words, err := value.New(value.Of(value.U32), uint64(layout.PackedRows())*uint64(layout.Normal().PackedLD), nil)
			if err != nil {
				return fileUsage(args[0], err)
			}
			if err := matrix.PackVNNI(words.Data, src.Data, layout); err != nil {
				return fileUsage(args[0], err)
			}
			words.Shape = []int{layout.PackedRows(), layout.Normal().PackedLD}
			return a.saveNpy(out, words)
		}),
	}
	flags.add(cmd)
	addNpyOutput(cmd, &out)
	return cmd
}

func (a *app) vnniUnpackCommand() *cobra.Command {
	var flags shapeFlags
	var out string
	cmd := &cobra.Command{
		Use:   "unpack PACKED.npy --type TYPE -o B.npy",
		Short: "Unpack a packed matrix",
		Long: `Unpack a packed matrix: the inverse of pack. The file has element type uint32. --type says what is packed
in its words; --rows how many rows there are, where the last ones are padding.`,
		Example:           `  sgrun vnni unpack packed.npy --type u16 -o unpacked.npy`,
		Args:              wants(1, 1, "the .npy file of a packed matrix"),
		ValidArgsFunction: npyFiles,
		RunE: a.does(func(_ context.Context, args []string) error {
			dst, err := a.unpack(&flags, args[0])
			if err != nil {
				return err
			}
			return a.saveNpy(out, dst)
		}),
	}
	flags.add(cmd)
	addNpyOutput(cmd, &out)
	return cmd
}

func (a *app) vnniCheckCommand() *cobra.Command {
	var flags shapeFlags
	var format choice
	var out string
	var opt matrix.CheckOptions
	cmd := &cobra.Command{
		Use:   "check B.npy PACKED.npy",
		Short: "Check whether a file is the packing of a matrix, and what it looks like if not",
		Long: `Check whether PACKED.npy holds the packing of the matrix in B.npy. If it does not, say what it looks like
(row-major, packed with another factor, transposed, bytes or elements swapped, another leading
dimension, a sub-tile's offset not scaled, wrong padding) and list the first elements out of place by
row, column and lane. Of PACKED.npy only the bytes count, not element type and shape.

The exit status is 1 where it is not the packing.`,
		Example: `  sgrun vnni check B.npy packed.npy
  sgrun vnni check --sub-group-size 8 --format json B.npy packed.npy`,
		Args:              wants(2, 2, "two .npy files: a matrix, and what may be its packing"),
		ValidArgsFunction: npyFiles,
		RunE: a.does(func(_ context.Context, args []string) error {
			src, layout, err := a.readMatrix(&flags, args[0])
			if err != nil {
				return err
			}
			packed, err := a.readNpy(args[1], value.Type{})
			if err != nil {
				return err
			}
			r, err := matrix.Check(src.Data, packed.Data, layout, opt)
			if err != nil {
				return fileUsage(args[0], err)
			}
			if format.value == "json" {
				err = a.writeJSON(out, r)
			} else {
				err = a.write(out, []byte(r.String()+"\n"))
			}
			if err == nil && !r.OK() {
				return exitStatus(1)
			}
			return err
		}),
	}
	flags.add(cmd)
	addChoice(cmd, &format, "format", "", "how to report", "table", "json")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the report to `FILE` instead of standard output")
	cmd.Flags().IntVar(&opt.SubGroupSize, "sub-group-size", 16, "the sub-group size the columns are spread over, in lanes")
	cmd.Flags().IntVar(&opt.First, "first", 8, "list at most `N` elements out of place")
	return cmd
}

// readMatrix reads the matrix to be packed and says how it lies in the file.
func (a *app) readMatrix(f *shapeFlags, name string) (*value.Array, matrix.Layout, error) {
	none := matrix.Layout{}
	t, err := f.elementType()
	if err != nil {
		return nil, none, err
	}
	src, err := a.readNpy(name, t)
	if err != nil {
		return nil, none, err
	}
	if bits := src.Type.Bits(); bits != 4 && bits != 8 && bits != 16 {
		e := usage("%s holds %v, packing is for elements of 4, 8 and 16 bits", name, src.Type)
		e.Try = "a file of int8, uint8, int16, uint16 or float16"
		return nil, none, e
	}
	l := matrix.Layout{Bits: src.Type.Bits(), K: f.rows, N: f.cols, LD: f.ld, PackedLD: f.packedLD}
	perItem := 1 // elements in one number of the file
	if l.Bits == 4 {
		perItem = 2
	}
	switch shape := src.Shape; {
	case len(shape) == 2:
		l.K, l.N, l.LD = orElse(l.K, shape[0]), orElse(l.N, shape[1]*perItem), orElse(l.LD, shape[1]*perItem)
	case len(shape) == 1 && l.N > 0:
		l.LD = orElse(l.LD, l.N)
		if l.K == 0 && l.LD > 0 { // the last row may lack the elements that fill it up to the leading dimension
			l.K = (shape[0]*perItem + l.LD - l.N) / l.LD
		}
	default:
		e := usage("%s has the shape %v, a matrix has two dimensions", name, shape)
		if len(shape) == 1 {
			e.Try = "--cols N says how many columns the matrix has"
		}
		return nil, none, e
	}
	if err := l.Validate(); err != nil {
		return nil, none, fileUsage(name, err)
	}
	if need := l.SourceBytes(); need > len(src.Data) {
		return nil, none, usage("%s has %d bytes, %v takes %d", name, len(src.Data), l, need)
	}
	return src, l, nil
}

// unpack reads a packed matrix and returns the matrix.
func (a *app) unpack(f *shapeFlags, name string) (*value.Array, error) {
	t, err := f.elementType()
	if err != nil {
		return nil, err
	}
	if t == (value.Type{}) {
		e := usage("vnni unpack wants --type: what is packed in the 32-bit words")
		e.Try = "--type u16, or another of " + strings.Join(elementTypes[1:], ", ")
		return nil, e
	}
	packed, err := a.readNpy(name, value.Type{})
	if err != nil {
		return nil, err
	}
	if packed.Type != value.Of(value.U32) || len(packed.Shape) != 2 {
		return nil, usage("%s holds %v in the shape %v, a packed matrix is uint32 in two dimensions", name, packed.Type, packed.Shape)
	}
	l := matrix.Layout{Bits: t.Bits(), K: f.rows, N: orElse(f.cols, packed.Shape[1]), LD: f.ld, PackedLD: orElse(f.packedLD, packed.Shape[1])}
	l.K = orElse(l.K, mul(packed.Shape[0], l.Factor()))
	if err := l.Validate(); err != nil {
		return nil, fileUsage(name, err)
	}
	dst, err := value.New(t, uint64(l.K)*uint64(l.Normal().LD), nil)
	if err != nil {
		return nil, fileUsage(name, err)
	}
	if err := matrix.UnpackVNNI(dst.Data, packed.Data, l); err != nil {
		return nil, fileUsage(name, err)
	}
	dst.Shape = []int{l.K, l.Normal().LD}
	if l.Bits == 4 { // as the bytes of packed nibbles, with the rows where they are whole bytes
		dst.Shape = nil
		if ld := l.Normal().LD; ld%2 == 0 {
			dst.Shape = []int{l.K, ld / 2}
		}
	}
	return dst, nil
}

// elementType is the type that --type names; the zero type is the file's.
func (f *shapeFlags) elementType() (value.Type, error) {
	if f.elem.value == "file" {
		return value.Type{}, nil
	}
	return value.ParseType(f.elem.value)
}

func orElse(n, otherwise int) int {
	if n != 0 {
		return n
	}
	return otherwise
}

// mul multiplies what a file says; where the product is too large, what comes of it is refused as a layout.
func mul(a, b int) int {
	if b != 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// readNpy reads a .npy file, as the type it says or with the bits of another.
func (a *app) readNpy(name string, t value.Type) (*value.Array, error) {
	p, file := &value.Parser{}, name
	if name == "-" {
		name, file = "standard input", "-.npy" // the format goes by the name
		p.Open = func(string) (fs.File, error) { return stream{a.in}, nil }
	}
	data, err := p.ReadFile(file, t, -1)
	if err != nil {
		var e *value.Error
		if file != name && errors.As(err, &e) && e.Err != nil {
			err = e.Err
		}
		return nil, inFile(name, err)
	}
	if data.Shape == nil {
		return nil, usage("%s: matrices travel in .npy files", name)
	}
	return data, nil
}

// stream is standard input as a file of which only reading is known.
type stream struct{ io.Reader }

func (s stream) Stat() (fs.FileInfo, error) { return s, nil }
func (stream) Close() error                 { return nil }
func (stream) Name() string                 { return "standard input" }
func (stream) Size() int64                  { return 0 }
func (stream) Mode() fs.FileMode            { return fs.ModeNamedPipe }
func (stream) ModTime() time.Time           { return time.Time{} }
func (stream) IsDir() bool                  { return false }
func (stream) Sys() any                     { return nil }

// inFile makes an error of reading a file one of class Usage. Most name the file already.
func inFile(name string, err error) error {
	var e *value.Error
	if errors.As(err, &e) && strings.Contains(e.Message, name) {
		return &device.Error{Class: device.Usage, Kind: "file", Message: e.Error()}
	}
	return fileUsage(name, err)
}

// fileUsage makes an error about a file one of class Usage.
func fileUsage(name string, err error) error {
	return &device.Error{Class: device.Usage, Kind: "file", Message: name, Err: err}
}

// saveNpy writes an array as a .npy file.
func (a *app) saveNpy(file string, data *value.Array) error {
	if (file == "" || file == "-") && a.outTerminal {
		e := usage("a .npy file is binary, it is not written to a terminal")
		e.Try = "-o FILE.npy"
		return e
	}
	return a.writeTo(file, data.WriteNpy)
}

func addNpyOutput(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVarP(out, "output", "o", "", "write the .npy file to `FILE` instead of standard output")
}

// npyFiles makes the shell offer .npy files.
func npyFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"npy"}, cobra.ShellCompDirectiveFilterFileExt
}
