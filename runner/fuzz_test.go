package runner

import (
	"testing"
	"testing/fstest"

	"github.com/sgrun/sgrun/runner/value"
)

// FuzzDecodeLaunch: any document gives a launch or an error, in bounded memory; what is read can be written, and reads
// back as the same launch.
func FuzzDecodeLaunch(f *testing.F) {
	for _, s := range []string{
		`{"steps": [{}]}`,
		`{"module": "m", "buffers": {"x": "u32[4]:iota", "y": {"type": "v2u16", "data": [[1, "0x2"], 3, 4]}}, "steps": [{"kernel": "k", "global": [4], "args": {"0": "&x", "n": -1}}]}`,
		`{"buffers": {"x": {"type": "i4", "count": 3, "fill": "bits(1)"}, "y": {"type": "f32", "file": "d.bin"}, "z": "u8[99999999999]"}, "steps": [{"groups": [1,1], "local": [8], "spec": {"1": true}, "timeout": "1s", "sub_group_size": 8}]}`,
		`{"steps": [{"args": {"s": "{a=1,b=&x}", "t": {"type": "f16", "data": ["nan", 1e3]}}}]}`,
	} {
		f.Add([]byte(s))
	}
	open := fstest.MapFS{"d.bin": {Data: []byte{1, 2, 3, 4}}}.Open
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := DecodeLaunch("x.json", data, &value.Parser{Open: open, Budget: value.NewBudget(1 << 16)})
		if err != nil {
			_ = err.Error()
			return
		}
		text, err := l.MarshalJSON()
		if err != nil {
			t.Fatalf("%s: cannot be written: %v", data, err)
		}
		again, err := DecodeLaunch("y.json", text, &value.Parser{Open: open})
		if err != nil {
			t.Fatalf("%s was written as\n%s, which does not read: %v", data, text, err)
		}
		for i, b := range l.Buffers {
			if got := again.Buffers[i].Value.Array.String(); got != b.Value.Array.String() {
				t.Fatalf("buffer %s: %v was written and reads as %s", b.Name, b.Value.Array, got)
			}
		}
		twice, err := again.MarshalJSON()
		if err != nil || string(twice) != string(text) {
			t.Fatalf("written as\n%s\nthen as\n%s (%v)", text, twice, err)
		}
	})
}

// FuzzDecodeVectors: any document gives vectors or an error, and every case of them can fail.
func FuzzDecodeVectors(f *testing.F) {
	f.Add([]byte(goodVectors))
	f.Add(addVectors("adding", none, map[string]any{"compare": map[string]any{"mode": "relative", "max": 0.1}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := files()
		p.Budget = value.NewBudget(1 << 16)
		v, err := DecodeVectors("x.json", data, p)
		if err != nil {
			_ = err.Error()
			return
		}
		for i := range v.Cases {
			c := &v.Cases[i]
			differ := false
			for _, e := range c.Expect {
				b := c.Launch.buffer(e.Name)
				a := *b.Value.Array
				if !b.Value.Filled {
					a.Data = c.initial(e.Name)
				}
				d, err := Compare(&a, e.Value.Array, c.Compare)
				if err != nil {
					t.Fatal(err)
				}
				differ = differ || d.Different > 0
			}
			if !differ {
				t.Fatalf("case %s cannot fail", c.Name)
			}
		}
	})
}

// FuzzBind: any arguments bind to a kernel or give an error.
func FuzzBind(f *testing.F) {
	f.Add("params={n=1,scale=0.5,src=&data,table=[1,2,3],inner={x=1,y=2}}", "data=u32[4]:iota", "more={0=1,1=2}")
	f.Add("0=hex:00", "1=&2", "2=&1")
	f.Add("more=null", "params=1", "data=local[4]")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		src, err := LoadModule(t.Context(), "params", nil, catalogue())
		if err != nil {
			t.Fatal(err)
		}
		l := &Launch{Steps: []Step{{Kernel: "structs", Global: []uint64{1}}}}
		for _, text := range []string{a, b, c} {
			arg, err := ParseArgument(text, &value.Parser{Open: fstest.MapFS{}.Open, Budget: value.NewBudget(1 << 16)})
			if err != nil {
				return
			}
			l.Steps[0].Args = append(l.Steps[0].Args, arg)
		}
		if _, err := Run(t.Context(), newFake(), src, l, Options{}); err != nil && ExitStatus(err) == 6 {
			t.Fatalf("an internal error: %v", err)
		}
	})
}
