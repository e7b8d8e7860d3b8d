package value

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// npy makes a file by the rules of the format: magic, version, length of the header, header, data.
func npy(descr, fortran, shape string, data []byte) []byte {
	head := "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }"
	head += strings.Repeat(" ", 64-(11+len(head))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	return append(append(b, head...), data...)
}

func TestReadNpy(t *testing.T) {
	f32 := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1)), math.Float32bits(-2.5))
	for _, c := range []struct {
		name, text string
		file       []byte
		want       string // the array, or the error where there is no [
	}{
		{"f32", "@x.npy", npy("'<f4'", "False", "(2,)", f32), "f32[2]:1,-2.5"},
		{"scalar", "@x.npy", npy("'<f4'", "False", "()", f32[:4]), "f32[1]:1"},
		{"big-endian", "@x.npy", npy("'>u2'", "False", "(2,)", []byte{0, 1, 2, 0}), "u16[2]:1,512"},
		{"bool", "@x.npy", npy("'|b1'", "False", "(2,)", []byte{0, 1}), "bool[2]:0,1"},
		{"f16", "@x.npy", npy("'<f2'", "False", "(1,)", []byte{0, 0x3c}), "f16[1]:1"},
		{"rows", "@x.npy", npy("'|u1'", "False", "(2, 3)", []byte{1, 2, 3, 4, 5, 6}), "u8[6]:1,2,3,4,5,6"},
		{"columns", "@x.npy", npy("'|u1'", "True", "(2, 3)", []byte{1, 4, 2, 5, 3, 6}), "u8[6]:1,2,3,4,5,6"},
		{"columns of three", "@x.npy", npy("'|u1'", "True", "(2, 1, 2)", []byte{1, 3, 2, 4}), "u8[4]:1,2,3,4"},
		{"double quotes", "@x.npy", npy(`"|u1"`, "False", "(1L,)", []byte{9}), "u8[1]:9"},
		{"vectors", "v2u8:@x.npy", npy("'|u1'", "False", "(2, 2)", []byte{1, 2, 3, 4}), "v2u8[2]:<1,2>,<3,4>"},
		{"vectors of three", "v3u8:@x.npy", npy("'|u1'", "False", "(2, 3)", []byte{1, 2, 3, 4, 5, 6}), "v3u8[2]:<1,2,3>,<4,5,6>"},
		{"bf16 as u16", "bf16:@x.npy", npy("'<u2'", "False", "(1,)", []byte{0x80, 0x3f}), "bf16[1]:1"},
		{"bf16 raw", "bf16:@x.npy", npy("'<V2'", "False", "(1,)", []byte{0x80, 0x3f}), "bf16[1]:1"},
		{"e4m3 as u8", "e4m3:@x.npy", npy("'|u1'", "False", "(1,)", []byte{0x38}), "e4m3[1]:1"},
		{"i4 packed", "i4:@x.npy", npy("'|u1'", "False", "(2,)", []byte{0x21, 0xf3}), "i4[4]:1,2,3,-1"},
		{"i4 odd", "i4[3]:@x.npy", npy("'|u1'", "False", "(2,)", []byte{0x21, 0x03}), "i4[3]:1,2,3"},
		{"f32 from patterns", "f32:@x.npy", npy("'<u4'", "False", "(1,)", []byte{0, 0, 0x80, 0x3f}), "f32[1]:1"},
		{"empty", "@x.npy", npy("'<f4'", "False", "(0,)", nil), "f32[0]"},

		{"wrong carrier", "u32:@x.npy", npy("'<f4'", "False", "(2,)", f32), "carries no u32"},
		{"raw without type", "@x.npy", npy("'<V2'", "False", "(1,)", []byte{1, 2}), "give it, as in bf16:@file.npy"},
		{"count", "f32[3]:@x.npy", npy("'<f4'", "False", "(2,)", f32), "f32[3] takes 12 bytes, 8 are given"},
		{"complex", "@x.npy", npy("'<c8'", "False", "(1,)", f32), "which is not supported"},
		{"structured", "@x.npy", npy("[('a', '<f4')]", "False", "(1,)", f32), "structured types are not supported"},
		{"cut data", "@x.npy", npy("'<f4'", "False", "(3,)", f32), "needs 3 numbers of 4 bytes, 8 bytes follow"},
		{"huge shape", "@x.npy", npy("'<f4'", "False", "(4611686018427387903, 4611686018427387903)", f32), "larger than any memory"},
		{"huge length", "@x.npy", npy("'<f4'", "False", "(99999999999999999999,)", f32), "no tuple of at most 32 lengths"},
		{"no magic", "@x.npy", []byte("hello, world"), "this is no .npy file"},
		{"empty file", "@x.npy", nil, "this is no .npy file"},
		{"cut header", "@x.npy", npy("'<f4'", "False", "(2,)", f32)[:40], "cut or too long"},
		{"version", "@x.npy", append([]byte("\x93NUMPY\x09\x00\x00\x00"), 0, 0), ".npy version 9.0"},
		{"missing shape", "@x.npy", []byte("\x93NUMPY\x01\x00\x10\x00{'descr':'<f4'}\n"), "is missing"},
		{"vectors of three, wrong size", "v3u8:@x.npy", npy("'|u1'", "False", "(4,)", []byte{1, 2, 3, 4}), "no whole number of v3u8"},
	} {
		p := &Parser{Open: fstest.MapFS{"x.npy": {Data: c.file}}.Open}
		v, err := p.ParseArray(c.text)
		switch {
		case !strings.Contains(c.want, "["), strings.Contains(c.want, "takes"):
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case v.Array.String() != c.want:
			t.Errorf("%s: got %v, want %s", c.name, v.Array, c.want)
		}
	}
}

func TestWriteNpy(t *testing.T) {
	for _, c := range []struct{ text, descr, shape, data string }{
		{"f32[2]:1,2", "<f4", "(2,)", "0000803f00000040"},
		{"bf16[1]:1", "<u2", "(1,)", "803f"},
		{"e5m2[1]:1", "|u1", "(1,)", "3c"},
		{"i4[3]:1,2,3", "|u1", "(2,)", "2103"},
		{"v2u16[2]:1,2,3,4", "<u2", "(2, 2)", "0100020003000400"},
		{"v3u8[2]:1,2,3,4,5,6", "|u1", "(2, 3)", "010203040506"},
		{"u64[1]:1", "<u8", "(1,)", "0100000000000000"},
		{"bool[1]:1", "|b1", "(1,)", "01"},
	} {
		a := parseArray(t, c.text)
		var b bytes.Buffer
		if err := a.WriteNpy(&b); err != nil {
			t.Fatal(err)
		}
		n := int(binary.LittleEndian.Uint16(b.Bytes()[8:]))
		head, data := string(b.Bytes()[10:10+n]), b.Bytes()[10+n:]
		want := "{'descr': '" + c.descr + "', 'fortran_order': False, 'shape': " + c.shape + ", }"
		if strings.TrimRight(head, " \n") != want || !strings.HasSuffix(head, "\n") || (10+n)%64 != 0 {
			t.Errorf("%s: header %q, want %q", c.text, head, want)
		}
		if got := hex.EncodeToString(data); got != c.data {
			t.Errorf("%s: data %s, want %s", c.text, got, c.data)
		}
		// Read with its type and count it is the same array again.
		prefix, _, _ := strings.Cut(c.text, ":")
		p := &Parser{Open: fstest.MapFS{"x.npy": {Data: b.Bytes()}}.Open}
		again, err := p.ParseArray(prefix + ":@x.npy")
		if err != nil || again.Array.String() != a.String() {
			t.Errorf("%s: read back as %v, %v", c.text, again, err)
		}
	}
	// A matrix keeps its shape.
	a := parseArray(t, "u8[6]:1,2,3,4,5,6")
	a.Shape = []int{2, 3}
	var b bytes.Buffer
	if err := a.WriteNpy(&b); err != nil || !strings.Contains(b.String(), "'shape': (2, 3)") {
		t.Errorf("shape: %q %v", b.String(), err)
	}
}
