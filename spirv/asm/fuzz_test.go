package asm

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/sgrun/sgrun/spirv"
)

// moduleBytes returns a module of the words, header included, as bytes.
func moduleBytes(words ...uint32) []byte {
	var out []byte
	for _, w := range append([]uint32{spirv.Magic, 0x10600, 0, 100, 0}, words...) {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// FuzzDisassemble: no module makes the disassembler fail, and its text gives the module again.
func FuzzDisassemble(f *testing.F) {
	for _, name := range []string{"raw", "unknown", "nodis", "layout"} {
		data, err := os.ReadFile("testdata/" + name + ".spv")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(moduleBytes())
	f.Add(moduleBytes(4<<16|21, 1, 8, 1, 4<<16|43, 1, 2, 0xffffff80, 5<<16|251, 2, 3, 5, 3)) // int, constant, switch
	f.Add(moduleBytes(3<<16|11, 1, 0x006c63, 6<<16|12, 2, 3, 1, 26, 4))                      // import, extended instruction
	f.Add(moduleBytes(5<<16|52, 1, 2, 128, 3, 3<<16|22, 4, 16, 4<<16|22, 5, 16, 0))          // OpSpecConstantOp, floats
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := spirv.Decode(data)
		if err != nil {
			return
		}
		disText(t, b, DisOptions{Offsets: true})
		checkLossless(t, b)
	})
}

// FuzzAssemble: no text makes the assembler fail other than by an error, and what assembles survives being printed.
func FuzzAssemble(f *testing.F) {
	for _, name := range []string{"raw", "unknown", "layout"} {
		text, err := os.ReadFile("testdata/" + name + ".spvasm")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, true)
	}
	f.Add([]byte("%1 = OpTypeInt 8 1 %2 = OpConstant %1 -1 OpSwitch %2 %3 0x7f %3 OpStore %a %b Aligned|Volatile 4"), false)
	f.Add([]byte("%s = OpExtInstImport \"OpenCL.std\" %r = OpExtInst %v %s fma %a %b %c %q = OpSpecConstantOp %v IAdd %a %b"), true)
	f.Add([]byte("%f = OpTypeFloat 16 %c = OpConstant %f 0x1.8p-3 ; x\n%0x10 = OpString \"a\\\"b\""), true)
	f.Fuzz(func(t *testing.T, text []byte, preserve bool) {
		b, err := Assemble(text, Options{PreserveNumericIDs: preserve})
		if err != nil {
			return
		}
		data, err := b.Encode()
		if err != nil {
			t.Fatalf("what assembles does not encode: %v", err)
		}
		back, err := spirv.Decode(data)
		if err != nil {
			t.Fatalf("what assembles does not decode: %v", err)
		}
		if d := difference(b, back); d != "" {
			t.Fatal(d)
		}
		for i := range b.Insts {
			if b.Insts[i].Offset != back.Insts[i].Offset {
				t.Fatalf("instruction %d is at word %d, its offset says %d", i, back.Insts[i].Offset, b.Insts[i].Offset)
			}
		}
		checkLossless(t, b)
	})
}
