package module

import "github.com/sgrun/sgrun/spirv/asm"

// generator takes the header's generator word apart; the name comes from Khronos' registry of generators.
func generator(word uint32) Generator {
	return Generator{Tool: uint16(word >> 16), Version: uint16(word), Name: asm.GeneratorName(word)}
}
