package module_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

const layoutTypes = `
%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%n3 = OpConstant %u32 3
%n8 = OpConstant %u64 0x4000000000000000
%n0 = OpSpecConstant %u32 5
`

// TestKernelLayout checks sizes and alignments of OpenCL C 3.0, sections 6.3.5 (alignment of types) and 6.3.2 (a vector
// of 3 has the size of a vector of 4), and what C makes of structures.
func TestKernelLayout(t *testing.T) {
	tests := []struct {
		decl        string // of %t
		size, align uint64
		offsets     string
	}{
		{"%t = OpTypeVector %u8 2", 2, 2, ""},
		{"%t = OpTypeVector %u8 3", 4, 4, ""},
		{"%t = OpTypeVector %f32 3", 16, 16, ""},
		{"%t = OpTypeVector %u64 16", 128, 128, ""},
		{"%t = OpTypeVector %f16 8", 16, 16, ""},
		{"%t = OpTypeArray %f32 %n3", 12, 4, ""},
		{"%t = OpTypeArray %v3 %n3", 48, 16, ""},
		{"%t = OpTypeArray %u8 %n0", 5, 1, ""},
		{"%t = OpTypeStruct %u8 %f64 %u16", 24, 8, "[0 8 16]"},
		{"%t = OpTypeStruct %u8 %u8 %u16 %u8", 6, 2, "[0 1 2 4]"},
		{"%t = OpTypeStruct %u32 %f32 %v3u8 %inner", 40, 8, "[0 4 8 16]"},
		{"%t = OpTypeStruct %u8 %v3", 32, 16, "[0 16]"},
		{"%t = OpTypeStruct", 0, 1, "[]"},
		{"%t = OpTypeStruct %bool %u32", 8, 4, "[0 4]"},
		{"%t = OpTypePointer CrossWorkgroup %u32", 8, 8, ""},
		{"%t = OpTypeStruct %u8 %ptr %u8", 24, 8, "[0 8 16]"},
		{"%t = OpTypeEvent", 8, 8, ""},
		{"OpDecorate %t CPacked\n%t = OpTypeStruct %u8 %u32 %u16", 7, 1, "[0 1 5]"},
	}
	for _, test := range tests {
		decoration, decl := "", test.decl
		if i := strings.IndexByte(decl, '\n'); i >= 0 {
			decoration, decl = decl[:i], decl[i+1:]
		}
		m := load(t, kernelHead+`OpName %t "t"
`+decoration+layoutTypes+`%v3 = OpTypeVector %f32 3
%v3u8 = OpTypeVector %u8 3
%arr3 = OpTypeArray %u16 %n3
%inner = OpTypeStruct %u8 %f64 %arr3
%ptr = OpTypePointer Workgroup %u32
`+decl)
		typ := m.Types[named(t, m, "t")]
		n, err := m.Layout(nil).Of(typ, spirv.StorageClassFunction)
		if err != nil {
			t.Errorf("%s: %v", test.decl, err)
			continue
		}
		if n.Size != test.size || n.Align != test.align {
			t.Errorf("%s: size %d, alignment %d, want %d, %d", test.decl, n.Size, n.Align, test.size, test.align)
		}
		if got := offsets(n); typ.Kind == module.Struct && got != test.offsets {
			t.Errorf("%s: offsets %s, want %s", test.decl, got, test.offsets)
		}
	}
}

func offsets(n *module.Node) string {
	out := []uint64{}
	for _, f := range n.Fields {
		out = append(out, f.Offset)
	}
	return fmt.Sprint(out)
}

// TestShaderLayout checks decorated layouts: the numbers are those a std140 uniform block
// { layout(row_major) mat4x3 a; mat2 b[3]; S s[2]; } with S { vec3 v; float f; mat3 m; } has by OpenGL 4.6, section
// 7.6.2.2, with a buffer that ends in a runtime array behind it.
func TestShaderLayout(t *testing.T) {
	m := load(t, `
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpName %U "U"
OpName %B "B"
OpMemberDecorate %S 0 Offset 0
OpMemberDecorate %S 1 Offset 12
OpMemberDecorate %S 2 Offset 16
OpMemberDecorate %S 2 ColMajor
OpMemberDecorate %S 2 MatrixStride 16
OpMemberDecorate %U 0 Offset 0
OpMemberDecorate %U 0 RowMajor
OpMemberDecorate %U 0 MatrixStride 16
OpMemberDecorate %U 1 Offset 48
OpMemberDecorate %U 1 ColMajor
OpMemberDecorate %U 1 MatrixStride 16
OpMemberDecorate %U 2 Offset 144
OpDecorate %mats ArrayStride 32
OpDecorate %ss ArrayStride 64
OpDecorate %rt ArrayStride 64
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 16
OpDecorate %U Block
OpDecorate %B Block
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%v3 = OpTypeVector %f32 3
%m43 = OpTypeMatrix %v3 4
%m2 = OpTypeMatrix %v2 2
%m3 = OpTypeMatrix %v3 3
%n2 = OpConstant %u32 2
%n3 = OpConstant %u32 3
%S = OpTypeStruct %v3 %f32 %m3
%mats = OpTypeArray %m2 %n3
%ss = OpTypeArray %S %n2
%U = OpTypeStruct %m43 %mats %ss
%rt = OpTypeRuntimeArray %S
%B = OpTypeStruct %u32 %rt
`)
	l := m.Layout(nil)
	u, err := l.Of(m.Types[named(t, m, "U")], spirv.StorageClassUniform)
	if err != nil {
		t.Fatal(err)
	}
	if u.Size != 272 || offsets(u) != "[0 48 144]" {
		t.Errorf("U: size %d, offsets %s", u.Size, offsets(u))
	}
	a := u.Fields[0].Node // row-major: three rows of four, 16 bytes apart; columns lie one float apart
	if a.Size != 48 || a.Stride != 4 || a.Elem.Stride != 16 || a.Elem.Size != 36 {
		t.Errorf("a: size %d, columns %d apart, components of a column %d apart over %d bytes", a.Size, a.Stride, a.Elem.Stride, a.Elem.Size)
	}
	b := u.Fields[1].Node // column-major
	if b.Size != 96 || b.Stride != 32 || b.Elem.Size != 32 || b.Elem.Stride != 16 || b.Elem.Elem.Stride != 4 {
		t.Errorf("b: %+v of %+v of %+v", b, b.Elem, b.Elem.Elem)
	}
	s := u.Fields[2].Node
	if s.Size != 128 || s.Stride != 64 || offsets(s.Elem) != "[0 12 16]" || s.Elem.Size != 64 {
		t.Errorf("s: %+v, offsets %s", s, offsets(s.Elem))
	}
	if vec := s.Elem.Fields[0].Node; vec.Size != 12 {
		t.Errorf("a vec3 in a block has %d bytes, want 12", vec.Size)
	}
	buf, err := l.Of(m.Types[named(t, m, "B")], spirv.StorageClassStorageBuffer)
	if err != nil {
		t.Fatal(err)
	}
	if !buf.Runtime || buf.Size != 16 || buf.Fields[1].Node.Stride != 64 || !buf.Fields[1].Node.Runtime {
		t.Errorf("B: %+v, its array %+v", buf, buf.Fields[1].Node)
	}
}

func TestLayoutErrors(t *testing.T) {
	tests := []struct {
		decl    string
		storage spirv.StorageClass
		want    string
	}{
		{"%t = OpTypeStruct %u32", spirv.StorageClassStorageBuffer, "member 0 needs the decoration Offset"},
		{"%t = OpTypeArray %u32 %n3", spirv.StorageClassUniform, "needs the decoration ArrayStride"},
		{"%t = OpTypeStruct %bool", spirv.StorageClassCrossWorkgroup, "bool has no size in this storage class"},
		{"%t = OpTypeArray %f64 %n8", spirv.StorageClassFunction, "2^63 bytes or more"},
		{"%t = OpTypeFunction %void", spirv.StorageClassFunction, "it has no size"},
		{"%rt = OpTypeRuntimeArray %u32\n%t = OpTypeStruct %rt %u32", spirv.StorageClassCrossWorkgroup, "member 0 has no fixed size and is not the last"},
		{"%rt = OpTypeRuntimeArray %u32\n%t = OpTypeArray %rt %n3", spirv.StorageClassCrossWorkgroup, "elements have no fixed size"},
		{"%sum = OpSpecConstantOp %u32 IAdd %n0 %n3\n%t = OpTypeArray %u32 %sum", spirv.StorageClassFunction, "not known before specialization"},
	}
	for _, test := range tests {
		m := load(t, kernelHead+"OpCapability Shader\nOpName %t \"t\"\n"+layoutTypes+test.decl)
		_, err := m.Layout(nil).Of(m.Types[named(t, m, "t")], test.storage)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.decl, err, test.want)
		}
	}
}

func TestSpecializedLength(t *testing.T) {
	m := load(t, kernelHead+`OpName %t "t"
OpName %sum "sum"
OpDecorate %v Alignment 64
OpName %v "v"
`+layoutTypes+`%sum = OpSpecConstantOp %u32 IAdd %n0 %n3
%t = OpTypeArray %u32 %sum
%p = OpTypePointer Workgroup %t
%v = OpVariable %p Workgroup`)
	sum := named(t, m, "sum")
	l := m.Layout(func(id spirv.ID) (uint64, bool) { return 9, id == sum })
	n, err := l.Of(m.Types[named(t, m, "t")], spirv.StorageClassWorkgroup)
	if err != nil || n.Size != 36 {
		t.Errorf("9 words have size %v, %v", n, err)
	}
	if a, err := l.Align(m.Globals[0]); err != nil || a != 64 {
		t.Errorf("alignment is %d, %v, the decoration says 64", a, err)
	}
}
