package runner

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sgrun/sgrun/runner/device"
	"github.com/sgrun/sgrun/runner/value"
)

// goodVectors is a file that uses every field.
const goodVectors = `{
  "topic": "adding",
  "about": "the kernel add",
  "cases": [
    {
      "name": "two/numbers", "about": "a case", "from": "oracle: by hand", "requires": ["Kernel", "SPV_KHR_x"], "module": "add",
      "buffers": {
        "a": {"type": "u32", "data": [1, "0x2", 2, "3"]},
        "b": {"type": "u32", "count": 4, "fill": "iota"},
        "c": {"type": "v2u16", "data": [[1, 2], 3, "4"]},
        "d": {"type": "u8", "file": "d.bin"},
        "e": "f32[2]:0x3f800000",
        "f": {"type": "bool", "data": [true, false, 1]},
        "out": {"type": "u32", "count": 4}
      },
      "steps": [
        {"kernel": "add", "global": [4], "local": [4, 1], "global_offset": [0], "sub_group_size": 8, "spec": {"0": 4, "x": "0x5", "y": true},
         "args": {"a": "&a", "1": "&b", "out": "&out", "n": 4, "scale": true, "tmp": {"type": "u32", "count": 4}}, "build_options": "", "timeout": "1m30s"},
        {"groups": [1, 2, 3]}
      ],
      "expect": {"out": "u32[4]:1,3,5,7", "b": "0,1,2,3"},
      "compare": {"mode": "bits", "nan": "any"}
    },
    {
      "name": "least", "from": "x", "module": "m", "buffers": {"o": "u32[2]"}, "steps": [{}], "expect": {"o": "7"},
      "compare": {"mode": "absolute", "max": 0.5}
    }
  ]
}`

func files() *value.Parser {
	return &value.Parser{Open: fstest.MapFS{"d.bin": {Data: []byte{1, 2}}}.Open}
}

// Changes to goodVectors that make it invalid; the schema refuses those of the first list too, those of the second are
// beyond what a schema says.
var badStructure = []struct{ old, new, want string }{
	{`"topic": "adding",`, ``, `the field "topic" is missing`},
	{`"topic": "adding"`, `"topic": "a/b"`, `topic: "a/b" is no name: letters, digits and _ . + -`},
	{`"topic": "adding"`, `"topic": ""`, `topic: this must not be empty`},
	{`"about": "the kernel add"`, `"about": 5`, `about: this must be a string, and is a number`},
	{`"about": "the kernel add"`, `"abuot": "x"`, `unknown field "abuot"`},
	{`"from": "oracle: by hand"`, `"from": ""`, `cases[0].from: this must not be empty`},
	{`"from": "oracle: by hand", `, ``, `cases[0]: the field "from" is missing`},
	{`"name": "least"`, `"name": "no spaces"`, `"no spaces" is no name`},
	{`"requires": ["Kernel", "SPV_KHR_x"]`, `"requires": "Kernel"`, `this must be an array`},
	{`"requires": ["Kernel", "SPV_KHR_x"]`, `"requires": [7]`, `cases[0].requires[0]: this must be a string`},
	{`"type": "u32", "data"`, `"type": "u33", "data"`, `"u33" is no type`},
	{`"type": "u32", "data"`, `"data"`, `the field "type" is missing`},
	{`"data": [1, "0x2", 2, "3"]`, `"data": 5`, `this must be an array`},
	{`"data": [1, "0x2", 2, "3"]`, `"data": [1, null, 2, 3]`, `cases[0].buffers.a.data[1]: "null" is no number`},
	{`"data": [1, "0x2", 2, "3"]`, `"data": [1, {}, 2, 3]`, `"an object" is no number`},
	{`"data": [1, "0x2", 2, "3"]`, `"fill": "iota", "count": 4, "data": [1,2,3,4]`, `only one of data, fill and file`},
	{`"data": [1, "0x2", 2, "3"]`, `"dat": [1]`, `unknown field "dat"`},
	{`"count": 4, "fill": "iota"`, `"fill": "iota"`, `the field "count" is missing`},
	{`"type": "u8", "file": "d.bin"`, `"type": "u8", "file": ""`, `this must not be empty`},
	{`"e": "f32[2]:0x3f800000"`, `"e": 7`, `a buffer is a string`},
	{`"e": "f32[2]:0x3f800000"`, `"e": ""`, `a value is missing`},
	{`"e": "f32[2]:0x3f800000"`, `"": "f32[1]"`, `a buffer without a name`},
	{`"out": {"type": "u32", "count": 4}`, `"out": {"type": "u32"}`, `the field "count" is missing`},
	{`"out": {"type": "u32", "count": 4}`, `"out": {"type": "u32", "count": -4}`, `-4 is no whole number`},
	{`"out": {"type": "u32", "count": 4}`, `"out": {"type": "u32", "count": 99999999999999999999}`, `no whole number`},
	{`"steps": [{}]`, `"steps": []`, `cases[1].steps: at least one step is needed`},
	{`"steps": [{}]`, `"steps": {}`, `this must be an array`},
	{`"steps": [{}]`, `"steps": [7]`, `cases[1].steps[0]: this must be an object`},
	{`"global": [4]`, `"global": 4`, `this must be an array`},
	{`"global": [4]`, `"global": []`, `one to three sizes are needed`},
	{`"global": [4]`, `"global": [1,2,3,4]`, `one to three sizes are needed, and there are 4`},
	{`"global": [4]`, `"global": [0]`, `cases[0].steps[0].global[0]: 0 is no whole number from 1`},
	{`"global": [4]`, `"global": [1.5]`, `1.5 is no whole number`},
	{`"global": [4]`, `"global": ["4"]`, `this must be a number, and is a string`},
	{`"sub_group_size": 8`, `"sub_group_size": 0`, `0 is no whole number from 1`},
	{`"sub_group_size": 8`, `"subgroup_size": 8`, `unknown field "subgroup_size"`},
	{`"spec": {"0": 4`, `"spec": {"0": []`, `the value of a specialization constant`},
	{`"args": {"a": "&a"`, `"args": {"a": null`, `an argument is a number, a string or an object, and this is null`},
	{`"args": {"a": "&a"`, `"args": {"": "&a"`, `an argument without a name`},
	{`"build_options": ""`, `"build_options": 1`, `this must be a string`},
	{`"timeout": "1m30s"`, `"timeout": "soon"`, `"soon" is no time limit`},
	{`"timeout": "1m30s"`, `"timeout": 5`, `this must be a string`},
	{`"expect": {"o": "7"}`, `"expect": {}`, `at least one expectation is needed`},
	{`"expect": {"o": "7"}`, `"expect": []`, `this must be an object`},
	{`"expect": {"o": "7"},`, `"expect": {"o": 7},`, `a buffer is a string`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "exact"}`, `cases[1].compare: unknown mode "exact"`},
	{`{"mode": "absolute", "max": 0.5}`, `{"max": 1}`, `the field "mode" is missing`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "bits", "max": 1}`, `max is for all modes but bits`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "ulp"}`, `max is for all modes but bits, and needed there`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "ulp", "max": -1}`, `max must be a number of at least 0`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "ulp", "max": 1, "nan": "bits"}`, `nan bits is for mode bits only`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "bits", "nan": "none"}`, `unknown rule "none" for NaNs`},
	{`{"mode": "absolute", "max": 0.5}`, `"bits"`, `this must be an object`},
}

var badMeaning = []struct{ old, new, want string }{
	{`"cases": [`, `"cases": [5,`, `cases[0]: this must be an object`},
	{`"name": "least"`, `"name": "two/numbers"`, `the case "two/numbers" is given twice`},
	{`"about": "a case",`, `"about": "a case", "about": "b",`, `the field "about" is given twice`},
	{`"requires": ["Kernel", "SPV_KHR_x"]`, `"requires": ["Kernle"]`, "\"Kernle\" is no capability"},
	{`"data": [1, "0x2", 2, "3"]`, `"count": 5, "data": [1,2,3,4]`, `u32[5] takes 5 numbers, 4 are given`},
	{`"data": [1, "0x2", 2, "3"]`, `"data": [1, 4294967296]`, `cases[0].buffers.a.data[1]: "4294967296" is out of range for u32`},
	{`"data": [1, "0x2", 2, "3"]`, `"data": [1, "x"]`, `"x" is no number`},
	{`"data": [1, "0x2", 2, "3"]`, `"data": [[1, 2]]`, `u32 is a scalar type`},
	{`"data": [[1, 2], 3, "4"]`, `"data": [1, [1, 2], 3]`, `cases[0].buffers.c.data[1]: a vector starts after 1 numbers`},
	{`"count": 4, "fill": "iota"`, `"count": 4, "fill": "rnad(1)"`, `"rnad" is no way to fill`},
	{`"count": 4, "fill": "iota"`, `"count": 99999999999999, "fill": "iota"`, `memory budget`},
	{`"file": "d.bin"`, `"file": "missing.bin"`, `cannot read missing.bin`},
	{`"e": "f32[2]:0x3f800000"`, `"e": "7"`, `a buffer is needed, and this is the number 7`},
	{`"e": "f32[2]:0x3f800000"`, `"a": "f32[2]"`, `the field "a" is given twice`},
	{`"expect": {"o": "7"}`, `"expect": {"p": "7"}`, `there is no buffer "p"`},
	{`"expect": {"o": "7"}`, `"expect": {"o": "7,7,7"}`, `u32[2] takes 2 numbers, 3 are given`},
	{`"expect": {"o": "7"}`, `"expect": {"o": "u32[3]:7"}`, `the expectation has 12 bytes, and the buffer has 8`},
	{`"expect": {"o": "7"}`, `"expect": {"o": "u32[2]"}`, `the expectation of o has no contents`},
	{`"expect": {"o": "7"}`, `"expect": {"o": "&o"}`, `a buffer can only hold numbers`},
	{`{"mode": "absolute", "max": 0.5}`, `{"mode": "ulp", "max": 1}`, `ulp is for floats only`},
	{`"max": 0.5`, `"max": 1e10`, `the case cannot fail: the tolerance lets any value pass for element 0`},
	{`"buffers": {"o": "u32[2]"}`, `"buffers": {"o": "u32[2]:7"}`, `the case cannot fail: the buffers meet the expectation before anything runs`},
}

func TestVectorsAndSchemaAgree(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	f, err := os.Open("../docs/vectors.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("vectors.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("vectors.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	if err := valid(goodVectors); err != nil {
		t.Errorf("the schema refuses the good file: %v", err)
	}
	if _, err := DecodeVectors("good.json", []byte(goodVectors), files()); err != nil {
		t.Errorf("the good file: %v", err)
	}
	change := func(old, new string) string {
		if strings.Count(goodVectors, old) < 1 {
			t.Fatalf("%s is not in the good file", old)
		}
		return strings.Replace(goodVectors, old, new, 1)
	}
	for _, c := range badStructure {
		text := change(c.old, c.new)
		if valid(text) == nil {
			t.Errorf("the schema accepts %s", c.new)
		}
		_, err := DecodeVectors("bad.json", []byte(text), files())
		wantError(t, c.new, err, device.Usage, "bad.json:", c.want)
	}
	for _, c := range badMeaning {
		_, err := DecodeVectors("bad.json", []byte(change(c.old, c.new)), files())
		wantError(t, c.new, err, device.Usage, "bad.json:", c.want)
	}
	// Every field the decoder knows is in the schema, and the other way round.
	text, err := os.ReadFile("../docs/vectors.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{fileFields, caseFields, stepFields, bufferFields, compareFields} {
		for _, field := range list {
			if !bytes.Contains(text, []byte(`"`+field+`": {`)) {
				t.Errorf("the schema does not know %q", field)
			}
		}
	}
}

// Errors tell the line and column, and what may have been meant.
func TestDocumentErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, `1:1: the JSON text ends too early`},
		{`{`, `the JSON text ends too early`},
		{`[1]`, `1:1: this must be an object, and is an array`},
		{"{\n \"steps\": [{}],\n \"bufers\": {}\n}", "3:12: unknown field \"bufers\"\n  try: \"buffers\""},
		{`{"steps": [{}]} {}`, `something follows the document`},
		{`{"steps": [{}],}`, `not JSON`},
		{`{"steps": [{"global": [1], "global": [2]}]}`, `steps[0]: the field "global" is given twice`},
		{"{\"steps\": [\n{},\n{\"args\": {\"x\": \"u32[2]:1,2,3\"}}]}", "3:16: steps[1].args.x: u32[2] takes 2 numbers, 3 are given\n    u32[2]:1,2,3\n           ^"},
		{strings.Repeat("[", 100), "nested deeper than 64"},
		{`{"steps": [{"args": {"x": 1e999}}]}`, ``},
	} {
		_, err := DecodeLaunch("x.json", []byte(c.text), &value.Parser{})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		wantError(t, c.text, err, device.Usage, "x.json:", c.want)
	}
	_, err := DecodeLaunch("x.json", make([]byte, 16<<20+1), &value.Parser{})
	wantError(t, "too large", err, device.Usage, "16777217 bytes are more than the 16777216 accepted", "try: put large arrays into .npy files")
}

// No byte of a poisoned output is what is expected there, whatever is expected.
func TestPoison(t *testing.T) {
	for _, text := range []string{"u8[256]:iota", "u8[4]:0xa5", "u32[4]:0xa5a5a5a5", "f64[64]:rand(1)", "u4[16]:iota", "i4[5]:5", "bool[2]:0,1", "v3u16[5]:0xa5a5", "u64[64]:bits(4)", "f16[4]:nan"} {
		v, err := (&value.Parser{}).ParseArray(text)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Array
		p, err := poison(want, Comparison{Mode: ModeBits})
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if p[i] == want.Data[i] {
				t.Errorf("%s: byte %d is what is expected", text, i)
			}
		}
		got := &value.Array{Type: want.Type, Count: want.Count, Data: p}
		for i := range want.Count {
			for c := range want.Type.Comps {
				if got.Bits(i, c) == want.Bits(i, c) {
					t.Errorf("%s: element %d is what is expected", text, i)
				}
			}
		}
		// Each byte that a kernel leaves out is found.
		if want.Type.Comps == 3 || want.Type.Scalar.Bits() == 4 {
			continue
		}
		for i := range p {
			left := append([]byte{}, want.Data...)
			left[i] = p[i]
			d, err := Compare(&value.Array{Type: want.Type, Count: want.Count, Data: left}, want, Comparison{})
			if err != nil || d.Different != 1 {
				t.Fatalf("%s: byte %d left out: %+v, %v", text, i, d, err)
			}
		}
	}
	// With a tolerance every number left out is found.
	v, err := (&value.Parser{}).ParseArray("f32[3]:0,-2.870918e-16,5") // the second is about the pattern 0xa5a5a5a5
	if err != nil {
		t.Fatal(err)
	}
	c := Comparison{Mode: ModeAbsolute, Max: 100}
	p, err := poison(v.Array, c)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := Compare(&value.Array{Type: v.Array.Type, Count: 3, Data: p}, v.Array, c); err != nil || d.Different != 3 {
		t.Errorf("with a tolerance %+v, %v", d, err)
	}
}

// The examples of docs/vectors.md are what the decoder reads.
func TestDocumentedExamples(t *testing.T) {
	data, err := os.ReadFile("../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	launches, vectors := 0, 0
	for i, block := range strings.Split(string(data), "```json\n")[1:] {
		text, _, ok := strings.Cut(block, "```")
		if !ok {
			t.Fatalf("block %d has no end", i)
		}
		if strings.Contains(text, `"topic"`) {
			vectors++
			_, err = DecodeVectors("example", []byte(text), &value.Parser{})
		} else {
			launches++
			_, err = DecodeLaunch("example", []byte(text), &value.Parser{})
		}
		if err != nil {
			t.Errorf("block %d: %v", i, err)
		}
	}
	if launches == 0 || vectors == 0 {
		t.Errorf("%d launches and %d vector files are shown", launches, vectors)
	}
}
