package asm

import (
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// maxName is the longest name that is made of other names; past it an id keeps its number. Without a limit the names of
// nested arrays would grow without bound.
const maxName = 256

// namer gives ids the names that spirv-dis gives them: OpName first, then built-in variables, types and constants by what
// they are, all others by number.
type namer struct {
	names idTable[string]
	used  map[string]bool
	// next is the number to try next behind a name that is taken, so that many equal names cost no search each.
	next  map[string]int
	scope *scope
}

func friendlyNames(b *spirv.Binary, s *scope) idTable[string] {
	n := &namer{names: sized[string](wordCount(b)), used: map[string]bool{}, next: map[string]int{}, scope: s}
	for i := range b.Insts {
		n.instruction(&b.Insts[i])
	}
	return n.names
}

// of returns the name of an id, its number where it has none yet.
func (n *namer) of(id uint32) string {
	if name := n.names.get(id); name != "" {
		return name
	}
	return number(id)
}

func number(v uint32) string { return strconv.FormatUint(uint64(v), 10) }

// sanitise replaces what an id may not hold.
func sanitise(s string) string {
	if s == "" {
		return "_"
	}
	out := []byte(s)
	for i, c := range out {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			out[i] = '_'
		}
	}
	return string(out)
}

// save names an id that has no name yet.
func (n *namer) save(id uint32, name string) {
	if n.names.get(id) != "" {
		return
	}
	if len(name) > maxName {
		name = number(id)
	} else {
		name = sanitise(name)
	}
	if n.used[name] {
		base, i := name+"_", n.next[name]
		for n.used[base+strconv.Itoa(i)] {
			i++
		}
		n.next[name] = i + 1
		name = base + strconv.Itoa(i)
	}
	n.used[name] = true
	n.names.set(id, name)
}

// instruction names what the instruction names or defines.
func (n *namer) instruction(in *spirv.Instruction) {
	w := in.Words
	switch {
	case in.Op == spirv.OpName && len(w) > 1:
		if s, _, ok := spirv.String(w[1:]); ok {
			n.save(w[0], s)
		}
		return
	case in.Op == spirv.OpDecorate && len(w) > 2 && w[1] == uint32(spirv.DecorationBuiltIn):
		if name, ok := builtInNames[spirv.BuiltIn(w[2])]; ok {
			n.save(w[0], name)
		}
		return
	}
	info, ok := grammar.Lookup(in.Op)
	if !ok || !info.HasResult() {
		return
	}
	at := 0
	if info.HasResultType() {
		at = 1
	}
	if len(w) > at {
		n.save(w[at], n.definition(in.Op, w, w[at]))
	}
}

// definition returns the name of an id after what defines it.
func (n *namer) definition(op spirv.Op, w []uint32, id uint32) string {
	if name, ok := plainNames[op]; ok {
		return name
	}
	switch {
	case op == spirv.OpTypeInt && len(w) == 3:
		return intName(w[1], w[2] != 0)
	case op == spirv.OpTypeFloat && len(w) > 1:
		return floatName(w[1:])
	case op == spirv.OpTypeVector && len(w) == 3:
		return "v" + number(w[2]) + n.of(w[1])
	case op == spirv.OpTypeMatrix && len(w) == 3:
		return "mat" + number(w[2]) + n.of(w[1])
	case op == spirv.OpTypeArray && len(w) == 3:
		return "_arr_" + n.of(w[1]) + "_" + n.of(w[2])
	case op == spirv.OpTypeRuntimeArray && len(w) == 2:
		return "_runtimearr_" + n.of(w[1])
	case op == spirv.OpTypeNodePayloadArrayAMDX && len(w) == 2:
		return "_payloadarr_" + n.of(w[1])
	case op == spirv.OpTypePointer && len(w) == 3:
		return "_ptr_" + enumName(grammar.StorageClass, w[1]) + "_" + n.of(w[2])
	case op == spirv.OpTypeUntypedPointerKHR && len(w) == 2:
		return "_ptr_" + enumName(grammar.StorageClass, w[1])
	case op == spirv.OpTypePipe && len(w) == 2:
		return "Pipe" + enumName(grammar.AccessQualifier, w[1])
	case op == spirv.OpTypeOpaque && len(w) > 1:
		if s, _, ok := spirv.String(w[1:]); ok {
			return "Opaque_" + sanitise(s)
		}
	case op == spirv.OpTypeStruct:
		return "_struct_" + number(id)
	case op == spirv.OpConstant && len(w) > 2:
		if t := n.scope.types.get(w[0]); t.kind != noNumber && t.words() == len(w)-2 {
			value, _ := appendLiteral(nil, w[2:], t)
			return n.of(w[0]) + "_" + strings.ReplaceAll(string(value), "-", "n")
		}
	}
	return number(id)
}

// plainNames are the names of ids whose opcode says all.
var plainNames = map[spirv.Op]string{
	spirv.OpTypeVoid:         "void",
	spirv.OpTypeBool:         "bool",
	spirv.OpTypeEvent:        "Event",
	spirv.OpTypeDeviceEvent:  "DeviceEvent",
	spirv.OpTypeReserveId:    "ReserveId",
	spirv.OpTypeQueue:        "Queue",
	spirv.OpTypePipeStorage:  "PipeStorage",
	spirv.OpTypeNamedBarrier: "NamedBarrier",
	spirv.OpConstantTrue:     "true",
	spirv.OpConstantFalse:    "false",
}

func intName(width uint32, signed bool) string {
	prefix := "u"
	if signed {
		prefix = ""
	}
	switch width {
	case 8:
		return prefix + "char"
	case 16:
		return prefix + "short"
	case 32:
		return prefix + "int"
	case 64:
		return prefix + "long"
	}
	if signed {
		prefix = "i"
	}
	return prefix + number(width)
}

// floatName takes width and, where there is one, encoding.
func floatName(w []uint32) string {
	if len(w) > 1 {
		switch spirv.FPEncoding(w[1]) {
		case spirv.FPEncodingBFloat16KHR:
			return "bfloat16"
		case spirv.FPEncodingFloat8E4M3EXT:
			return "fp8e4m3"
		case spirv.FPEncodingFloat8E5M2EXT:
			return "fp8e5m2"
		case spirv.FPEncodingFloat6E2M3EXT:
			return "fp6e2m3"
		case spirv.FPEncodingFloat6E3M2EXT:
			return "fp6e3m2"
		case spirv.FPEncodingFloat4E2M1EXT:
			return "fp4e2m1"
		case spirv.FPEncodingFloat8UnsignedE8M0EXT:
			return "fp8e8m0"
		case spirv.FPEncodingMXInt8EXT:
			return "mxint8"
		}
	}
	switch w[0] {
	case 16:
		return "half"
	case 32:
		return "float"
	case 64:
		return "double"
	}
	return "fp" + number(w[0])
}

func enumName(k grammar.Kind, v uint32) string {
	if e, ok := k.Info().Enumerant(v); ok {
		return e.Name
	}
	return k.String() + number(v)
}

// builtInNames are the names of variables decorated with a built-in; the built-ins of OpenGL as GLSL spells them.
var builtInNames = map[spirv.BuiltIn]string{
	spirv.BuiltInPosition:                  "gl_Position",
	spirv.BuiltInPointSize:                 "gl_PointSize",
	spirv.BuiltInClipDistance:              "gl_ClipDistance",
	spirv.BuiltInCullDistance:              "gl_CullDistance",
	spirv.BuiltInVertexId:                  "gl_VertexID",
	spirv.BuiltInInstanceId:                "gl_InstanceID",
	spirv.BuiltInPrimitiveId:               "gl_PrimitiveID",
	spirv.BuiltInInvocationId:              "gl_InvocationID",
	spirv.BuiltInLayer:                     "gl_Layer",
	spirv.BuiltInViewportIndex:             "gl_ViewportIndex",
	spirv.BuiltInTessLevelOuter:            "gl_TessLevelOuter",
	spirv.BuiltInTessLevelInner:            "gl_TessLevelInner",
	spirv.BuiltInTessCoord:                 "gl_TessCoord",
	spirv.BuiltInPatchVertices:             "gl_PatchVertices",
	spirv.BuiltInFragCoord:                 "gl_FragCoord",
	spirv.BuiltInPointCoord:                "gl_PointCoord",
	spirv.BuiltInFrontFacing:               "gl_FrontFacing",
	spirv.BuiltInSampleId:                  "gl_SampleID",
	spirv.BuiltInSamplePosition:            "gl_SamplePosition",
	spirv.BuiltInSampleMask:                "gl_SampleMask",
	spirv.BuiltInFragDepth:                 "gl_FragDepth",
	spirv.BuiltInHelperInvocation:          "gl_HelperInvocation",
	spirv.BuiltInNumWorkgroups:             "gl_NumWorkGroups",
	spirv.BuiltInWorkgroupSize:             "gl_WorkGroupSize",
	spirv.BuiltInWorkgroupId:               "gl_WorkGroupID",
	spirv.BuiltInLocalInvocationId:         "gl_LocalInvocationID",
	spirv.BuiltInGlobalInvocationId:        "gl_GlobalInvocationID",
	spirv.BuiltInLocalInvocationIndex:      "gl_LocalInvocationIndex",
	spirv.BuiltInVertexIndex:               "gl_VertexIndex",
	spirv.BuiltInInstanceIndex:             "gl_InstanceIndex",
	spirv.BuiltInBaseInstance:              "gl_BaseInstance",
	spirv.BuiltInWorkDim:                   "WorkDim",
	spirv.BuiltInGlobalSize:                "GlobalSize",
	spirv.BuiltInEnqueuedWorkgroupSize:     "EnqueuedWorkgroupSize",
	spirv.BuiltInGlobalOffset:              "GlobalOffset",
	spirv.BuiltInGlobalLinearId:            "GlobalLinearId",
	spirv.BuiltInSubgroupSize:              "SubgroupSize",
	spirv.BuiltInSubgroupMaxSize:           "SubgroupMaxSize",
	spirv.BuiltInNumSubgroups:              "NumSubgroups",
	spirv.BuiltInNumEnqueuedSubgroups:      "NumEnqueuedSubgroups",
	spirv.BuiltInSubgroupId:                "SubgroupId",
	spirv.BuiltInSubgroupLocalInvocationId: "SubgroupLocalInvocationId",
	spirv.BuiltInSubgroupEqMask:            "SubgroupEqMaskKHR",
	spirv.BuiltInSubgroupGeMask:            "SubgroupGeMaskKHR",
	spirv.BuiltInSubgroupGtMask:            "SubgroupGtMaskKHR",
	spirv.BuiltInSubgroupLeMask:            "SubgroupLeMaskKHR",
	spirv.BuiltInSubgroupLtMask:            "SubgroupLtMaskKHR",
}
