package module

func generator(word uint32) Generator {
	g := Generator{Tool: uint16(word >> 16), Version: uint16(word)}
	if int(g.Tool) < len(generators) {
		g.Name = generators[g.Tool]
	}
	return g
}

// generators are the names of tools in Khronos' registry of SPIR-V generators (spir-v.xml), by number.
var generators = [...]string{
	"Khronos", "LunarG", "Valve", "Codeplay", "NVIDIA", "ARM", "Khronos LLVM/SPIR-V Translator",
	"Khronos SPIR-V Tools Assembler", "Khronos Glslang Reference Front End", "Qualcomm", "AMD", "Intel", "Imagination",
	"Google Shaderc over Glslang", "Google spiregg", "Google rspirv", "X-LEGEND Mesa3D GLSL-IR/SPIR-V Translator",
	"Khronos SPIR-V Tools Linker", "Wine VKD3D Shader Compiler", "Tellusim Clay Shader Compiler",
	"W3C WebGPU Group WHLSL Shader Translator", "Google Clspv", "LLVM MLIR SPIR-V Serializer", "Google Tint Compiler",
	"Google ANGLE Shader Compiler", "Netease Games Messiah Shader Compiler", "Xenia Xenia Emulator Microcode Translator",
	"Embark Studios Rust GPU Compiler Backend", "gfx-rs community Naga", "Mikkosoft Productions MSP Shader Compiler",
	"SpvGenTwo community SpvGenTwo SPIR-V IR Tools", "Google Skia SkSL", "TornadoVM Beehive SPIRV Toolkit",
	"DragonJoker ShaderWriter", "Rayan Hatout SPIRVSmith", "Saarland University Shady", "Taichi Graphics Taichi",
	"heroseh Hero C Compiler", "Meta SparkSL", "SirLynix Nazara ShaderLang Compiler", "Khronos Slang Compiler",
	"Zig Software Foundation Zig Compiler", "Rendong Liang spq", "LLVM LLVM SPIR-V Backend", "Robert Konrad Kongruent",
	"Kitsunebi Games Nuvk SPIR-V Emitter and DLSL compiler", "Nintendo", "ARM", "Goopax",
	"Icyllis Milica Arc3D Shader Compiler", "Isochron Pred", "apilatosba Apila Jai Compiler",
}
