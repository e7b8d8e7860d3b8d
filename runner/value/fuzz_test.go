package value

import (
	"bytes"
	"testing"
	"testing/fstest"
)

// FuzzParse: any text gives a value or an error, in bounded memory, and a printed array reads back as the same bytes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "0x1p-3", "u32[4]:1,2,3,4", "v3f16[2]:<1,2,3>", "i4[5]:iota(3,-1)", "f32[8]:rand(7)", "e4m3[3]:bits(1)",
		"u32[99999999999999]", "{a=1,b={c=&x,d=[1,2]}}", "hex:00ff", "local[64]", "@x.npy", "u16:@x.bin", "u32[1]:0|1", "&in+4", "image2d(1x1,r8)"} {
		f.Add(s)
	}
	files := fstest.MapFS{"x.bin": {Data: []byte{1, 2, 3, 4}}, "x.npy": {Data: npy("'<u2'", "False", "(2,)", []byte{1, 0, 2, 0})}}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := (&Parser{Open: files.Open, Budget: NewBudget(1 << 16)}).Parse(text)
		if err != nil {
			_ = err.Error()
			return
		}
		_ = v.Describe()
		if v.Kind == Numbers {
			v.NumbersAs(Of(F32), -1, NewBudget(1<<16))
		}
		if v.Kind != Typed || v.Array.Count == 0 {
			return
		}
		again, err := (&Parser{}).Parse(v.Array.String())
		if err != nil || !bytes.Equal(again.Array.Data, v.Array.Data) {
			t.Fatalf("%q: %v reads back as %v, %v", text, v.Array, again, err)
		}
	})
}

// FuzzNpy: any file gives an array or an error.
func FuzzNpy(f *testing.F) {
	f.Add(npy("'<f4'", "False", "(2,)", make([]byte, 8)), uint8(F32), uint8(1))
	f.Add(npy("'>u2'", "True", "(2, 3)", make([]byte, 12)), uint8(BF16), uint8(3))
	f.Add(npy("'|u1'", "False", "()", make([]byte, 1)), uint8(I4), uint8(16))
	f.Fuzz(func(t *testing.T, data []byte, scalar, comps uint8) {
		typ := Type{}
		if scalar != 0 {
			typ = Type{Scalar(scalar%uint8(numScalars-1)) + 1, []int{1, 2, 3, 4, 8, 16}[comps%6]}
		}
		a, err := decodeNpy(data, typ, -1)
		if err != nil {
			return
		}
		if n, ok := a.Type.Bytes(uint64(a.Count)); !ok || n != uint64(len(a.Data)) {
			t.Fatalf("%v[%d] with %d bytes", a.Type, a.Count, len(a.Data))
		}
	})
}
