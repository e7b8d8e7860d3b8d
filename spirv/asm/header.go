package asm

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/sgrun/sgrun/spirv"
)

// generators are the tools registered in Khronos' spir-v.xml (2026-08-14), by the high half of the generator word.
var generators = []string{
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

// GeneratorName returns the tool that wrote a module, by the generator word of its header; the empty string where the
// number is not registered.
func GeneratorName(word uint32) string {
	if tool := word >> 16; int(tool) < len(generators) {
		return generators[tool]
	}
	return ""
}

// generatorNamed returns the first tool with the name.
func generatorNamed(name string) (tool uint32, ok bool) {
	for i, g := range generators {
		if g == name {
			return uint32(i), true
		}
	}
	return 0, false
}

// appendHeader appends the header as comments. They say what the header holds, whatever it is: what spirv-dis leaves out
// stands in brackets behind.
func appendHeader(dst []byte, b *spirv.Binary) []byte {
	dst = append(dst, "; SPIR-V\n"...)
	dst = fmt.Appendf(dst, "; Version: %d.%d", b.Version>>16&0xff, b.Version>>8&0xff)
	if b.Version&0xff0000ff != 0 {
		dst = fmt.Appendf(dst, " (0x%08x)", b.Version)
	}
	tool := b.Generator >> 16
	dst = fmt.Appendf(dst, "\n; Generator: %s", cmp.Or(GeneratorName(b.Generator), "Unknown"))
	// The number goes along where the name does not lead back to it.
	if known, ok := generatorNamed(GeneratorName(b.Generator)); !ok || known != tool {
		dst = fmt.Appendf(dst, "(%d)", tool)
	}
	return fmt.Appendf(dst, "; %d\n; Bound: %d\n; Schema: %d\n", b.Generator&0xffff, b.Bound, b.Schema)
}

// readHeader takes from the comments before the first instruction what appendHeader writes there.
func readHeader(text string, b *spirv.Binary) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		comment, ok := strings.CutPrefix(line, ";")
		if !ok {
			return
		}
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
		switch key {
		case "Version":
			if v, ok := readVersion(value); ok {
				b.Version = v
			}
		case "Generator":
			if v, ok := readGenerator(value); ok {
				b.Generator = v
			}
		case "Bound":
			if v, err := strconv.ParseUint(value, 10, 32); err == nil {
				b.Bound = max(b.Bound, uint32(v))
			}
		case "Schema":
			if v, err := strconv.ParseUint(value, 10, 32); err == nil {
				b.Schema = uint32(v)
			}
		}
	}
}

// readVersion reads "1.6" or "1.6 (0x00010601)".
func readVersion(s string) (uint32, bool) {
	s, word, exact := strings.Cut(s, " (0x")
	if exact {
		v, err := strconv.ParseUint(strings.TrimSuffix(word, ")"), 16, 32)
		return uint32(v), err == nil
	}
	major, minor, _ := strings.Cut(s, ".")
	ma, err1 := strconv.ParseUint(major, 10, 8)
	mi, err2 := strconv.ParseUint(minor, 10, 8)
	return uint32(ma<<16 | mi<<8), err1 == nil && err2 == nil
}

// readGenerator reads "Tool; 3" or "Tool(47); 3".
func readGenerator(s string) (uint32, bool) {
	i := strings.LastIndex(s, "; ")
	if i < 0 {
		return 0, false
	}
	misc, err := strconv.ParseUint(s[i+2:], 10, 16)
	if err != nil {
		return 0, false
	}
	name := s[:i]
	if open := strings.LastIndexByte(name, '('); open >= 0 && strings.HasSuffix(name, ")") {
		if tool, err := strconv.ParseUint(name[open+1:len(name)-1], 10, 16); err == nil {
			return uint32(tool<<16 | misc), true
		}
	}
	tool, ok := generatorNamed(name)
	return tool<<16 | uint32(misc), ok
}
