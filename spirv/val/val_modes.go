package val

import (
	"slices"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

// Mode-setting and debug instructions (SPIR-V 1.6, sections 3.3.2 and 3.3.5).
var modeRules = map[spirv.Op]rule{
	spirv.OpCapability: nothing, spirv.OpExtension: extension, spirv.OpExtInstImport: extImport, spirv.OpMemoryModel: memoryModel, spirv.OpEntryPoint: entryPoint,
	spirv.OpExecutionMode: executionMode, spirv.OpExecutionModeId: executionMode,
	spirv.OpSourceContinued: sourceContinued, spirv.OpSource: nothing, spirv.OpSourceExtension: nothing, spirv.OpName: nothing, spirv.OpMemberName: memberName,
	spirv.OpString: nothing, spirv.OpLine: nothing, spirv.OpNoLine: nothing, spirv.OpModuleProcessed: nothing,
}

// extensionVersions are the first versions some extensions are written against.
var extensionVersions = map[string]uint32{
	"SPV_KHR_vulkan_memory_model": v13, "SPV_KHR_workgroup_memory_explicit_layout": v14, "SPV_KHR_cooperative_matrix": v13, "SPV_EXT_mesh_shader": v14,
}

func extension(c *checker, in *inst) {
	name, _, _ := spirv.String(in.Words)
	if v := extensionVersions[name]; c.Binary.Version < v {
		c.bad(in, "%s needs SPIR-V %s", name, module.VersionString(v))
	}
}

// knownSets are the extended instruction sets in Khronos' registry, those that may be ignored aside.
var knownSets = []string{
	"OpenCL.std", "GLSL.std.450", "OpenCL.DebugInfo.100", "DebugInfo", "SPV_AMD_shader_explicit_vertex_parameter", "SPV_AMD_shader_trinary_minmax",
	"SPV_AMD_gcn_shader", "SPV_AMD_shader_ballot", "TOSA.001000.1", "Arm.MotionEngine.100",
}

func extImport(c *checker, in *inst) {
	name := c.ExtInstSets[in.result]
	if !nonSemantic(name) && !slices.Contains(knownSets, name) {
		c.bad(in, "there is no extended instruction set %q", name)
		return
	}
	if nonSemantic(name) && c.Binary.Version < v16 && !c.HasExtension("SPV_KHR_non_semantic_info") {
		c.bad(in, "%s needs OpExtension %q or SPIR-V 1.6", name, "SPV_KHR_non_semantic_info")
	}
}

func memoryModel(c *checker, in *inst) {
	if c.HasCapability(spirv.CapabilityVulkanMemoryModel) && c.MemoryModel != spirv.MemoryModelVulkan {
		c.bad(in, "the capability VulkanMemoryModel asks for the memory model Vulkan, the module's is %v", c.MemoryModel)
	}
}

func sourceContinued(c *checker, in *inst) {
	if in.index == 0 || c.insts[in.index-1].Op != spirv.OpSource && c.insts[in.index-1].Op != spirv.OpSourceContinued {
		c.bad(in, "OpSourceContinued must follow OpSource or OpSourceContinued")
	}
}

func memberName(c *checker, in *inst) {
	t := c.Types[spirv.ID(in.Words[0])]
	switch {
	case !isKind(t, module.Struct):
		c.bad(in, "OpMemberName must name a member of a structure, %s is none", c.name(spirv.ID(in.Words[0])))
	case uint64(in.Words[1]) >= uint64(len(t.Members)):
		c.bad(in, "the structure has %d members, there is none with number %d", len(t.Members), in.Words[1])
	}
}

// checkEntries checks what entry points are to each other: no two of a name and model, and none is called.
func (c *checker) checkEntries() {
	type key struct {
		name  string
		model spirv.ExecutionModel
	}
	names := map[key]bool{}
	functions := map[spirv.ID]*module.EntryPoint{}
	c.entryOf = map[*spirv.Instruction]*module.EntryPoint{}
	for _, e := range c.EntryPoints {
		c.entryOf[e.Inst] = e
		functions[e.Function.ID] = e
		k := key{e.Name, e.Model}
		if names[k] {
			c.fail(c.instOf(e.Inst), core+"2.16.1", "two entry points have the name %q and the execution model %v", e.Name, e.Model)
		}
		names[k] = true
	}
	for _, f := range c.Functions {
		for _, call := range f.Calls {
			if e := functions[spirv.ID(call.Words[2])]; e != nil {
				c.fail(c.instOf(call), core+"2.16.1", "an entry point cannot be called, %q is", e.Name)
			}
		}
	}
}

func entryPoint(c *checker, in *inst) {
	const section = core + "2.16.1"
	e := c.entryOf[in.Instruction]
	t := e.Function.Type
	switch {
	case e.Model != spirv.ExecutionModelKernel && len(t.Members) > 0:
		c.fail(in, section, "an entry point of a shader cannot have parameters, %s has %d", c.Name(e.Function.ID), len(t.Members))
		return
	case !isVoid(t.Elem):
		c.fail(in, section, "an entry point must return void, %s returns %v", c.Name(e.Function.ID), t.Elem)
		return
	case e.Model == spirv.ExecutionModelKernel && len(e.Function.Blocks) == 0:
		c.fail(in, section, "an entry point must have a body")
		return
	}
	if c.interfaceIDs(in, e) && c.checkInterfaceBlocks(in, e) && c.groupSize(in, e) {
		c.modeSets(in, e)
	}
}

// interfaceIDs: the interface lists module-scope variables, up to SPIR-V 1.3 inputs and outputs only, since then each
// once and all the entry point uses.
func (c *checker) interfaceIDs(in *inst, e *module.EntryPoint) bool {
	seen := map[spirv.ID]bool{}
	for _, id := range e.Interface {
		def := c.byID[id]
		if (def.Op != spirv.OpVariable && def.Op != spirv.OpUntypedVariableKHR) || def.fn != nil {
			c.bad(in, "the interface must list module-scope variables, %s is the result of %v", c.name(id), def.Op)
			return false
		}
		storage := spirv.StorageClass(def.Words[2])
		switch {
		case c.Binary.Version < v14 && storage != spirv.StorageClassInput && storage != spirv.StorageClassOutput:
			c.bad(in, "before SPIR-V 1.4 the interface must list variables in Input and Output only, %s is in %v", c.name(id), storage)
			return false
		case c.Binary.Version >= v14 && seen[id]:
			c.bad(in, "the interface lists %s twice", c.name(id))
			return false
		}
		seen[id] = true
	}
	for _, v := range c.Uses(e) {
		if seen[v.ID] || c.Binary.Version < v14 && v.Storage != spirv.StorageClassInput && v.Storage != spirv.StorageClassOutput {
			continue
		}
		c.bad(in, "the interface of %q must list %s, which it uses", e.Name, c.name(v.ID))
		return false
	}
	return true
}

func (c *checker) groupSize(in *inst, e *module.EntryPoint) bool {
	// What specialization may change is taken to be well: 4 fits all rules here.
	size, ok := c.LocalSize(e, func(id spirv.ID) (uint64, bool) { return 4, c.Constants[id] != nil && c.Constants[id].Spec })
	if ok && (size[0] == 0 || size[1] == 0 || size[2] == 0) {
		c.fail(in, core+"3.2.5", "the work-group size of %q must be at least 1 in each dimension, it is %d", e.Name, size)
		return false
	}
	if !ok {
		return true
	}
	_, quads := e.Mode(spirv.ExecutionModeDerivativeGroupQuadsKHR)
	_, linear := e.Mode(spirv.ExecutionModeDerivativeGroupLinearKHR)
	if quads && (size[0]%2 != 0 || size[1]%2 != 0) || linear && size[0]*size[1]*size[2]%4 != 0 {
		c.fail(in, core+"3.2.5", "the work-group size %d of %q does not fit its derivative groups", size, e.Name)
		return false
	}
	return true
}

// exclusive are execution modes of which an entry point has no more than one, or, where need says so, exactly one.
var exclusive = []struct {
	models []spirv.ExecutionModel
	modes  []spirv.ExecutionMode
	need   bool
}{
	{[]spirv.ExecutionModel{spirv.ExecutionModelFragment}, []spirv.ExecutionMode{spirv.ExecutionModeOriginUpperLeft, spirv.ExecutionModeOriginLowerLeft}, true},
	{[]spirv.ExecutionModel{spirv.ExecutionModelFragment}, []spirv.ExecutionMode{spirv.ExecutionModeDepthGreater, spirv.ExecutionModeDepthLess, spirv.ExecutionModeDepthUnchanged}, false},
	{[]spirv.ExecutionModel{spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation}, []spirv.ExecutionMode{spirv.ExecutionModeSpacingEqual, spirv.ExecutionModeSpacingFractionalEven, spirv.ExecutionModeSpacingFractionalOdd}, false},
	{[]spirv.ExecutionModel{spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation}, []spirv.ExecutionMode{spirv.ExecutionModeTriangles, spirv.ExecutionModeQuads, spirv.ExecutionModeIsolines}, false},
	{[]spirv.ExecutionModel{spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation}, []spirv.ExecutionMode{spirv.ExecutionModeVertexOrderCw, spirv.ExecutionModeVertexOrderCcw}, false},
	{[]spirv.ExecutionModel{spirv.ExecutionModelGeometry}, []spirv.ExecutionMode{spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines, spirv.ExecutionModeInputLinesAdjacency, spirv.ExecutionModeTriangles, spirv.ExecutionModeInputTrianglesAdjacency}, true},
	{[]spirv.ExecutionModel{spirv.ExecutionModelGeometry}, []spirv.ExecutionMode{spirv.ExecutionModeOutputPoints, spirv.ExecutionModeOutputLineStrip, spirv.ExecutionModeOutputTriangleStrip}, true},
}

func (c *checker) modeSets(in *inst, e *module.EntryPoint) {
	if !c.HasCapability(spirv.CapabilityShader) {
		return
	}
	for _, x := range exclusive {
		if !hasModel(x.models, e.Model) {
			continue
		}
		n := 0
		for _, m := range x.modes {
			if _, ok := e.Mode(m); ok {
				n++
			}
		}
		if n > 1 || x.need && n == 0 {
			word := "at most"
			if x.need {
				word = "exactly"
			}
			c.fail(in, core+"2.16.2", "entry point %q must have %s one of the execution modes %v, it has %d", e.Name, word, x.modes, n)
			return
		}
	}
}

func hasModel(list []spirv.ExecutionModel, m spirv.ExecutionModel) bool {
	for _, k := range list {
		if k == m {
			return true
		}
	}
	return false
}

// modeModels are execution modes that only some execution models have (SPIR-V 1.6, section 3.2.5).
var modeModels = func() map[spirv.ExecutionMode][]spirv.ExecutionModel {
	m := map[spirv.ExecutionMode][]spirv.ExecutionModel{}
	add := func(modes []spirv.ExecutionMode, models ...spirv.ExecutionModel) {
		for _, k := range modes {
			m[k] = models
		}
	}
	const (
		fragment, geometry  = spirv.ExecutionModelFragment, spirv.ExecutionModelGeometry
		control, evaluation = spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation
		compute, kernel     = spirv.ExecutionModelGLCompute, spirv.ExecutionModelKernel
	)
	add([]spirv.ExecutionMode{spirv.ExecutionModeInvocations, spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines, spirv.ExecutionModeInputLinesAdjacency,
		spirv.ExecutionModeInputTrianglesAdjacency, spirv.ExecutionModeOutputLineStrip, spirv.ExecutionModeOutputTriangleStrip}, geometry)
	add([]spirv.ExecutionMode{spirv.ExecutionModeOutputPoints}, geometry, spirv.ExecutionModelMeshNV, spirv.ExecutionModelMeshEXT)
	add([]spirv.ExecutionMode{spirv.ExecutionModeSpacingEqual, spirv.ExecutionModeSpacingFractionalEven, spirv.ExecutionModeSpacingFractionalOdd,
		spirv.ExecutionModeVertexOrderCw, spirv.ExecutionModeVertexOrderCcw, spirv.ExecutionModePointMode, spirv.ExecutionModeQuads, spirv.ExecutionModeIsolines}, control, evaluation)
	add([]spirv.ExecutionMode{spirv.ExecutionModeTriangles}, geometry, control, evaluation)
	add([]spirv.ExecutionMode{spirv.ExecutionModeOutputVertices}, geometry, control, evaluation, spirv.ExecutionModelMeshNV, spirv.ExecutionModelMeshEXT)
	add([]spirv.ExecutionMode{spirv.ExecutionModePixelCenterInteger, spirv.ExecutionModeOriginUpperLeft, spirv.ExecutionModeOriginLowerLeft, spirv.ExecutionModeEarlyFragmentTests,
		spirv.ExecutionModePostDepthCoverage, spirv.ExecutionModeStencilRefReplacingEXT, spirv.ExecutionModeEarlyAndLateFragmentTestsAMD, spirv.ExecutionModeRequireFullQuadsKHR,
		spirv.ExecutionModePixelInterlockOrderedEXT, spirv.ExecutionModePixelInterlockUnorderedEXT, spirv.ExecutionModeSampleInterlockOrderedEXT, spirv.ExecutionModeSampleInterlockUnorderedEXT,
		spirv.ExecutionModeShadingRateInterlockOrderedEXT, spirv.ExecutionModeShadingRateInterlockUnorderedEXT,
		spirv.ExecutionModeStencilRefUnchangedFrontAMD, spirv.ExecutionModeStencilRefGreaterFrontAMD, spirv.ExecutionModeStencilRefLessFrontAMD,
		spirv.ExecutionModeStencilRefUnchangedBackAMD, spirv.ExecutionModeStencilRefGreaterBackAMD, spirv.ExecutionModeStencilRefLessBackAMD,
		spirv.ExecutionModeNonCoherentColorAttachmentReadEXT, spirv.ExecutionModeNonCoherentDepthAttachmentReadEXT, spirv.ExecutionModeNonCoherentStencilAttachmentReadEXT,
		spirv.ExecutionModeDepthReplacing, spirv.ExecutionModeDepthGreater, spirv.ExecutionModeDepthLess, spirv.ExecutionModeDepthUnchanged}, fragment)
	add([]spirv.ExecutionMode{spirv.ExecutionModeLocalSizeHint, spirv.ExecutionModeVecTypeHint, spirv.ExecutionModeContractionOff, spirv.ExecutionModeLocalSizeHintId}, kernel)
	add([]spirv.ExecutionMode{spirv.ExecutionModeLocalSize, spirv.ExecutionModeLocalSizeId}, kernel, compute, spirv.ExecutionModelTaskNV, spirv.ExecutionModelMeshNV,
		spirv.ExecutionModelTaskEXT, spirv.ExecutionModelMeshEXT)
	return m
}()

func executionMode(c *checker, in *inst) {
	mode := spirv.ExecutionMode(in.Words[1])
	ids := false
	for _, o := range in.ops[2:] {
		ids = ids || o.IsID()
	}
	switch {
	case in.Op == spirv.OpExecutionModeId && len(in.ops) > 2 && !ids:
		c.bad(in, "%v has no ids as operands and belongs into OpExecutionMode", mode)
		return
	case in.Op == spirv.OpExecutionMode && ids:
		c.bad(in, "%v has ids as operands and belongs into OpExecutionModeId", mode)
		return
	case in.Op == spirv.OpExecutionModeId && len(in.ops) == 2:
		c.bad(in, "%v has no ids as operands and belongs into OpExecutionMode", mode)
		return
	}
	for _, o := range in.ops[2:] {
		if o.IsID() && c.Types[o.ID()] == nil && !c.isConstant(o.ID()) {
			c.bad(in, "the operands of %v must be constants, %s is none", mode, c.name(o.ID()))
			return
		}
	}
	if mode == spirv.ExecutionModeFPFastMathDefault && !c.fastMathDefault(in) {
		return
	}
	n := 0
	for _, e := range c.EntryPoints {
		if uint32(e.Function.ID) != in.Words[0] {
			continue
		}
		n++
		if list, ok := modeModels[mode]; ok && !hasModel(list, e.Model) {
			c.bad(in, "the execution mode %v is for the execution models %v, entry point %q is %v", mode, list, e.Name, e.Model)
			return
		}
		if !c.modeOnce(in, e, mode) {
			return
		}
	}
	if n == 0 {
		c.bad(in, "%s is not an entry point", c.name(spirv.ID(in.Words[0])))
	}
}

// fastMathDefault checks FPFastMathDefault: a floating-point type and a constant (SPV_KHR_float_controls2).
func (c *checker) fastMathDefault(in *inst) bool {
	const section = "SPV_KHR_float_controls2"
	const fast, transform = uint64(spirv.FPFastMathModeFast), uint64(spirv.FPFastMathModeAllowTransform)
	const need = uint64(spirv.FPFastMathModeAllowContract | spirv.FPFastMathModeAllowReassoc)
	t := c.Types[spirv.ID(in.Words[2])]
	v, known := c.constant(spirv.ID(in.Words[3]))
	switch {
	case !isFloat(t):
		c.fail(in, section, "FPFastMathDefault must name a floating-point type, %s", is(t))
	case !known:
		c.fail(in, section, "the mode of FPFastMathDefault must be a constant that specialization cannot change")
	case v&fast != 0:
		c.fail(in, section, "FPFastMathDefault cannot have Fast")
	case v&transform != 0 && v&need != need:
		c.fail(in, section, "AllowTransform asks for AllowContract and AllowReassoc")
	default:
		for _, e := range c.EntryPoints {
			_, off := e.Mode(spirv.ExecutionModeContractionOff)
			_, preserve := e.Mode(spirv.ExecutionModeSignedZeroInfNanPreserve)
			if uint32(e.Function.ID) == in.Words[0] && (off || preserve) {
				c.fail(in, section, "FPFastMathDefault cannot stand with ContractionOff or SignedZeroInfNanPreserve")
				return false
			}
		}
		return true
	}
	return false
}

// modeOnce: most modes may stand once per entry point, those for one width of numbers once per width.
func (c *checker) modeOnce(in *inst, e *module.EntryPoint, mode spirv.ExecutionMode) bool {
	perOperand := false
	switch mode {
	case spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeSignedZeroInfNanPreserve, spirv.ExecutionModeRoundingModeRTE,
		spirv.ExecutionModeRoundingModeRTZ, spirv.ExecutionModeFPFastMathDefault, spirv.ExecutionModeRoundingModeRTPINTEL, spirv.ExecutionModeRoundingModeRTNINTEL,
		spirv.ExecutionModeFloatingPointModeALTINTEL, spirv.ExecutionModeFloatingPointModeIEEEINTEL:
		perOperand = true
	}
	for _, m := range e.Modes {
		if m.Inst == in.Instruction {
			return true
		}
		if m.Mode == mode && (!perOperand || m.Operands[0] == in.Words[2]) {
			c.bad(in, "the execution mode %v stands twice for %q", mode, e.Name)
			return false
		}
	}
	return true
}
