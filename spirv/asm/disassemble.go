package asm

import (
	"bufio"
	"fmt"
	"io"

	"github.com/sgrun/sgrun/spirv"
)

// DisOptions says how a module is printed. The zero value is what spirv-dis does.
type DisOptions struct {
	NoHeader bool // leave out the comments that hold the header
	NoIndent bool // do not align the equals signs
	RawID    bool // ids as numbers, not as friendly names
	Offsets  bool // each instruction's byte offset in the module as a comment
}

const (
	// indent is the column where opcodes stand.
	indent = 15
	// commentColumn is the leftmost column of a comment behind an instruction, maxCommentColumn the rightmost one that
	// following lines are aligned with.
	commentColumn    = 50
	maxCommentColumn = 256
)

// Disassemble writes a module as text. Assembled again, the text gives the same instructions; with RawID and the options
// that keep numeric ids and the header, the same words (see the package comment). The error is the writer's.
func Disassemble(b *spirv.Binary, w io.Writer, opt DisOptions) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	if !opt.NoHeader {
		if _, err := out.Write(appendHeader(nil, b)); err != nil {
			return err
		}
	}
	d := newDisassembler(b, opt)
	for i := range b.Insts {
		line = append(d.append(line[:0], &b.Insts[i]), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// disassembler prints a module from front to back. Its scope holds what the assembler will know at the same place in the
// text, which in a malformed module is not what holds for the module as a whole.
type disassembler struct {
	*Printer
	opt     DisOptions
	scope   scope
	defined idTable[bool]
	offset  int // in bytes
	align   int // column of the last comment
	body    []byte
}

func newDisassembler(b *spirv.Binary, opt DisOptions) *disassembler {
	words := wordCount(b)
	return &disassembler{Printer: NewPrinter(b, opt), opt: opt, scope: newScope(words), defined: sized[bool](words), offset: 20}
}

// append appends one line, without its end.
func (d *disassembler) append(dst []byte, in *spirv.Instruction) []byte {
	start := len(dst)
	r := d.render(d.body[:0], &d.scope, in)
	d.body = r.body
	if !r.exact || r.hasResult && d.defined.get(r.result) {
		r = rendered{body: appendUnknown(r.body[:0], in)}
	}
	if r.hasResult {
		d.record(in, &r)
		id := len(dst)
		dst = d.appendID(dst, r.result)
		if pad := indent - 3 - (len(dst) - id); !d.opt.NoIndent && pad > 0 {
			dst = append(dst[:id], fmt.Sprintf("%*s", pad, "")...)
			dst = d.appendID(dst, r.result)
		}
		dst = append(dst, " = "...)
	} else if !d.opt.NoIndent {
		dst = append(dst, "               "...)
	}
	dst = append(dst, r.body...)
	if d.opt.Offsets {
		dst = d.comment(dst, len(dst)-start)
	}
	d.offset += 4 * in.WordCount()
	return dst
}

// record takes note of what the printed instruction defines.
func (d *disassembler) record(in *spirv.Instruction, r *rendered) {
	if in.Op == spirv.OpExtInstImport && !r.hasSet {
		d.defined.set(r.result, true)
		return
	}
	d.scope.read(in, &d.defined)
}

// comment appends the offset, aligned as spirv-dis aligns its comments.
func (d *disassembler) comment(dst []byte, width int) []byte {
	align := max(width+2, d.align, commentColumn)
	align = (align + 3) &^ 3
	d.align = min(align, maxCommentColumn)
	return fmt.Appendf(dst, "%*s; 0x%08x", align-width, "", d.offset)
}
