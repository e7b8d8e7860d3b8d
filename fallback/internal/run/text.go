// Package run lets tests of the emulator be written as kernel bodies: it completes them to modules, checks and launches
// them.
package run

import (
	"fmt"
	"regexp"
	"strings"
)

// Dialect says which kind of module a body becomes.
type Dialect int

// Dialects.
const (
	Kernel Dialect = iota // OpenCL: Physical64, lanes meet at post-dominators
	Shader                // Vulkan: Logical, lanes meet where the module declares it
)

// Dialects lists both.
var Dialects = []Dialect{Kernel, Shader}

func (d Dialect) String() string { return [...]string{"kernel", "shader"}[d] }

// Source is a kernel body and what stands around it.
//
// Types and constants need no declaration, their names say what they are: %u32, %v4f32, %m3x2f32 (3 columns of 2), %a8_u32
// (an array), %p_Function_u32 (a pointer), %u32_7, %u8_m1 (minus one), %u32_x1f, %f32_1p5 (one and a half), %null_v4u32, %true, %false.
//
// The body starts in the entry block, where these are defined: %gid, the global linear id (u32); %lid, the local linear id
// of a work-group with one dimension (u32); %in0, %in1, …, the lane's inputs (u32); %out0, %out1, …, pointers to the lane's
// outputs (u32). It ends with the function's last termination instruction. OpVariables may stand anywhere in it.
type Source struct {
	Dialect   Dialect
	Ins, Outs int    // 32-bit words of each lane
	Shared    int    // words before those of the lanes in the output buffer
	Body      string // of the entry point
	Functions string // other functions
	Globals   string // one instruction a line, at module scope: types, constants, variables
	Annotate  string // names and decorations
	Modes     string // execution modes
	Interface string // ids of further variables of the entry point
	Params    string // further parameters of a kernel: one OpFunctionParameter a line
	Caps      []string
	Exts      []string // extensions
	Addr32    bool     // Physical32, of a kernel
	Version   string   // such as "1.5"; empty: 1.6
	NoShuffle bool     // without the bitcast shuffle's capability and extension, for tools that do not know them
}

// Text returns the module's text.
func (s *Source) Text() string {
	vars, body := hoistVariables(s.Body)
	function := s.begin() + vars + s.prologue() + body + "\nOpFunctionEnd\n" + s.Functions
	decls := declare(s.globals()+s.Globals, function+" %u32_1")

	var b strings.Builder
	if s.Version != "" {
		fmt.Fprintf(&b, "; Version: %s\n", s.Version)
	}
	for _, c := range s.capabilities() {
		fmt.Fprintf(&b, "OpCapability %s\n", c)
	}
	for _, e := range s.Exts {
		fmt.Fprintf(&b, "OpExtension %q\n", e)
	}
	if !s.NoShuffle {
		b.WriteString("OpExtension \"SPV_INTEL_subgroup_bitcast_shuffle\"\n")
	}
	switch {
	case s.Dialect == Shader:
		b.WriteString("OpMemoryModel Logical GLSL450\n")
		fmt.Fprintf(&b, "OpEntryPoint GLCompute %%main \"main\" %%gid_var %%lid_var %%in_var %%out_var %s\n", s.Interface)
		if !strings.Contains(s.Modes, "LocalSize") {
			b.WriteString("OpExecutionModeId %main LocalSizeId %local_x %u32_1 %u32_1\n")
		}
	default:
		fmt.Fprintf(&b, "OpMemoryModel Physical%d OpenCL\n", map[bool]int{false: 64, true: 32}[s.Addr32])
		fmt.Fprintf(&b, "OpEntryPoint Kernel %%main \"main\" %%gid_var %%lid_var %s\n", s.Interface)
	}
	b.WriteString(s.Modes + "\n")
	annotations := s.annotations() + s.Annotate + "\n"
	for _, names := range []bool{true, false} { // names stand before decorations
		for line := range strings.Lines(annotations) {
			if strings.Contains(line, "Name ") == names {
				b.WriteString(line)
			}
		}
	}
	b.WriteString(decls + function)
	return b.String()
}

func (s *Source) capabilities() []string {
	caps := []string{"Int8", "Int16", "Int64", "Float16", "Float64"}
	if s.Dialect == Kernel {
		caps = append(caps, "Kernel", "Addresses", "Vector16", "Linkage")
	} else {
		caps = append(caps, "Shader", "StorageBuffer8BitAccess", "StorageBuffer16BitAccess")
	}
	if !s.NoShuffle {
		caps = append(caps, "SubgroupBitcastShuffleINTEL")
	}
	return append(caps, s.Caps...)
}

// word is the type of ids and sizes in built-in variables.
func (s *Source) word() string {
	if s.Dialect == Shader || s.Addr32 {
		return "u32"
	}
	return "u64"
}

func (s *Source) annotations() string {
	if s.Dialect == Kernel {
		return `OpName %in_buf "in"
OpName %out_buf "out"
OpDecorate %gid_var BuiltIn GlobalLinearId
OpDecorate %lid_var BuiltIn LocalInvocationId
`
	}
	return `OpName %in_var "in"
OpName %out_var "out"
OpDecorate %gid_var BuiltIn GlobalInvocationId
OpDecorate %lid_var BuiltIn LocalInvocationIndex
OpDecorate %local_x SpecId 900
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in_var DescriptorSet 0
OpDecorate %in_var Binding 0
OpDecorate %out_var DescriptorSet 0
OpDecorate %out_var Binding 1
`
}

// globals is what the prologue uses at module scope.
func (s *Source) globals() string {
	if s.Dialect == Kernel {
		types := "%p_CrossWorkgroup_u32 %p_CrossWorkgroup_u32"
		for line := range strings.Lines(s.Params) {
			if m := parameterType.FindStringSubmatch(line); m != nil {
				types += " " + m[1]
			}
		}
		return strings.ReplaceAll(`%gid_var = OpVariable %p_Input_WORD Input
%lid_var = OpVariable %p_Input_v3WORD Input
%main_t = OpTypeFunction %void `+types+"\n", "WORD", s.word())
	}
	return `%gid_var = OpVariable %p_Input_v3u32 Input
%lid_var = OpVariable %p_Input_u32 Input
%local_x = OpSpecConstant %u32 64
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%in_var = OpVariable %p_StorageBuffer_block StorageBuffer
%out_var = OpVariable %p_StorageBuffer_block StorageBuffer
%main_t = OpTypeFunction %void
`
}

var parameterType = regexp.MustCompile(`OpFunctionParameter (%\S+)`)

// begin is the entry point's declaration and first label.
func (s *Source) begin() string {
	text := "%main = OpFunction %void None %main_t\n"
	if s.Dialect == Kernel {
		text += "%in_buf = OpFunctionParameter %p_CrossWorkgroup_u32\n%out_buf = OpFunctionParameter %p_CrossWorkgroup_u32\n" + s.Params + "\n"
	}
	return text + "%entry = OpLabel\n"
}

// prologue defines what bodies may use.
func (s *Source) prologue() string {
	var b strings.Builder
	word, index := s.word(), "%gid"
	switch {
	case s.Dialect == Shader:
		b.WriteString("%gid_vec = OpLoad %v3u32 %gid_var\n%gid = OpCompositeExtract %u32 %gid_vec 0\n%lid = OpLoad %u32 %lid_var\n")
	default:
		convert := "OpUConvert"
		if word == "u32" {
			convert = "OpCopyObject"
		}
		index = "%gid_wide"
		b.WriteString(strings.NewReplacer("WORD", word, "CONVERT", convert).Replace(`%gid_wide = OpLoad %WORD %gid_var
%lid_vec = OpLoad %v3WORD %lid_var
%lid_wide = OpCompositeExtract %WORD %lid_vec 0
%gid = CONVERT %u32 %gid_wide
%lid = CONVERT %u32 %lid_wide
`))
	}
	place := func(kind, pointer string, i, n, first int) {
		r := strings.NewReplacer("KIND", kind, "POINTER", pointer, "WORD", word, "INDEX", index, "COUNT", fmt.Sprint(n), "NUM", fmt.Sprint(i), "FIRST", fmt.Sprint(first+i))
		b.WriteString(r.Replace("%KINDNUM_a = OpIMul %WORD INDEX %WORD_COUNT\n%KINDNUM_b = OpIAdd %WORD %KINDNUM_a %WORD_FIRST\n"))
		if s.Dialect == Kernel {
			b.WriteString(r.Replace("POINTER = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %KIND_buf %KINDNUM_b\n"))
		} else {
			b.WriteString(r.Replace("POINTER = OpAccessChain %p_StorageBuffer_u32 %KIND_var %u32_0 %KINDNUM_b\n"))
		}
	}
	for i := range s.Ins {
		place("in", fmt.Sprintf("%%in%d_p", i), i, s.Ins, 0)
		fmt.Fprintf(&b, "%%in%d = OpLoad %%u32 %%in%d_p\n", i, i)
	}
	for i := range s.Outs {
		place("out", fmt.Sprintf("%%out%d", i), i, s.Outs, s.Shared)
	}
	return b.String()
}

// hoistVariables moves OpVariables out of a body, since they belong at the start of the entry block.
func hoistVariables(body string) (vars, rest string) {
	var v, r strings.Builder
	for line := range strings.Lines(body) {
		if strings.Contains(line, " = OpVariable ") {
			v.WriteString(line)
		} else {
			r.WriteString(line)
		}
	}
	return v.String(), r.String()
}
