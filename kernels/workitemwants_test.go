package kernels_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
)

// want is what the cases must show of an instruction in a dialect.
type want struct {
	types   []string // each of them
	vectors []int    // a vector of each of these sizes
	vector  bool     // some vector
	scopes  []spirv.Scope
	storage []spirv.StorageClass
	sizes   []int
	parted  bool
	partial bool
}

func (w want) missing(u *use) (list []string) {
	for _, name := range w.types {
		if !u.types[name] {
			list = append(list, "on "+name)
		}
	}
	anyVector := func(prefix string) bool {
		for name := range u.types {
			if rest, ok := strings.CutPrefix(name, prefix); ok && strings.Trim(rest, "0123456789") != rest || ok && rest == "bool" {
				return true
			}
		}
		return false
	}
	for _, n := range w.vectors {
		if !anyVector(fmt.Sprintf("v%du", n)) && !anyVector(fmt.Sprintf("v%di", n)) && !anyVector(fmt.Sprintf("v%df", n)) && !u.types[fmt.Sprintf("v%dbool", n)] {
			list = append(list, fmt.Sprintf("on a vector of %d", n))
		}
	}
	if w.vector && !slices.ContainsFunc(slices.Collect(maps.Keys(u.types)), func(name string) bool { return strings.HasPrefix(name, "v") }) {
		list = append(list, "on a vector")
	}
	for _, s := range w.scopes {
		if !u.scopes[s] {
			list = append(list, "in the scope "+s.String())
		}
	}
	for _, s := range w.storage {
		if !u.storage[s] {
			list = append(list, "in the storage class "+s.String())
		}
	}
	for _, n := range w.sizes {
		if !u.sizes[n] {
			list = append(list, fmt.Sprintf("with sub-groups of %d", n))
		}
	}
	if w.parted && !u.parted {
		list = append(list, "with lanes that go past")
	}
	if w.partial && !u.partial {
		list = append(list, "in a partial sub-group")
	}
	return list
}

// ints, floats and bools are the scalars of a dialect; kernels have no signed integers.
func ints(dialect string, widths ...int) (list []string) {
	for _, n := range widths {
		list = append(list, fmt.Sprintf("u%d", n))
		if dialect == "shader" {
			list = append(list, fmt.Sprintf("i%d", n))
		}
	}
	return list
}

var floats = []string{"f16", "f32", "f64"}

// vectorSizes are those of a dialect.
func vectorSizes(dialect string) []int {
	if dialect == "shader" {
		return []int{2, 3, 4}
	}
	return []int{2, 3, 4, 8, 16}
}

// combined are the scalars that an instruction combines, by its name.
func combined(name, dialect string) []string {
	switch {
	case strings.Contains(name, "Logical"):
		return []string{"bool"}
	case strings.Contains(name, "FAdd"), strings.Contains(name, "FMul"), strings.Contains(name, "FMin"), strings.Contains(name, "FMax"):
		return floats
	case strings.Contains(name, "UMin"), strings.Contains(name, "UMax"): // of unsigned integers
		return ints("kernel", 8, 16, 32, 64)
	}
	return ints(dialect, 8, 16, 32, 64)
}

var allSizes = []int{1, 2, 4, 8, 16, 32, 64, 128}

// wants derives what must be shown from the class, the operands and the name of an instruction.
func wants(g *grammar.Instruction, dialect string) want {
	numbers := append(ints(dialect, 8, 16, 32, 64), floats...)
	combines := slices.ContainsFunc(g.Operands, func(o grammar.Operand) bool { return o.Kind == grammar.GroupOperation })
	name := g.Name
	switch {
	case name == "OpControlBarrier":
		return want{scopes: []spirv.Scope{spirv.ScopeWorkgroup, spirv.ScopeSubgroup}}
	case g.Class == "Barrier":
		return want{}
	case g.Class == "Atomic":
		return atomicWants(name, dialect)
	case name == "OpGroupAsyncCopy":
		return want{types: append(ints("kernel", 8, 16, 32, 64), floats...), vector: true, scopes: []spirv.Scope{spirv.ScopeWorkgroup}}
	case name == "OpGroupWaitEvents":
		return want{scopes: []spirv.Scope{spirv.ScopeWorkgroup}}
	case strings.HasPrefix(name, "OpSubgroupBlock"):
		return want{types: ints("kernel", 8, 16, 32, 64), vectors: []int{2, 4, 8, 16}, sizes: allSizes}
	case strings.HasSuffix(name, "INTEL"):
		return want{types: numbers, vectors: vectorSizes(dialect), sizes: allSizes}
	case g.Class == "Group" && strings.HasPrefix(name, "OpGroup") && !strings.HasPrefix(name, "OpGroupNonUniform"):
		w := want{scopes: []spirv.Scope{spirv.ScopeWorkgroup, spirv.ScopeSubgroup}, sizes: allSizes, partial: true}
		switch {
		case combines:
			w.types, w.vector = combined(name, dialect), true
		case name == "OpGroupBroadcast":
			w.types, w.vectors = append(numbers, "bool"), vectorSizes(dialect)
		default:
			w.types = []string{"bool"}
		}
		return w
	}
	w := want{sizes: allSizes, parted: true, partial: true}
	switch strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "OpGroupNonUniform"), "OpSubgroup"), "KHR"), "EXT") {
	case "Elect":
	case "All", "Any", "Ballot":
		w.types = []string{"bool"}
	case "QuadAll", "QuadAny":
		w.types, w.sizes, w.partial = []string{"bool"}, allSizes[2:], false // a quad has four lanes
	case "BallotBitExtract", "InverseBallot", "BallotBitCount", "BallotFindLSB", "BallotFindMSB":
		w.types = []string{"v4u32"}
	case "QuadBroadcast", "QuadSwap":
		w.types, w.vectors, w.sizes, w.partial = append(numbers, "bool"), vectorSizes(dialect), allSizes[2:], false
	case "Rotate": // in a partial sub-group it reads lanes that there are not
		w.types, w.vectors, w.partial = append(numbers, "bool"), vectorSizes(dialect), false
	case "ReadInvocation", "FirstInvocation": // of SPV_KHR_shader_ballot: numbers
		w.types, w.vectors = numbers, vectorSizes(dialect)
	case "AllEqual":
		w.types, w.vectors = append(numbers, "bool"), vectorSizes(dialect)
		if g.Class == "Group" {
			w.types, w.vectors = []string{"bool"}, nil
		}
	default:
		w.types, w.vectors = append(numbers, "bool"), vectorSizes(dialect)
		if combines {
			w.types, w.vectors, w.vector = combined(name, dialect), nil, true
		}
	}
	return w
}

// atomicWants are the numbers an atomic instruction is for, in global memory, and, where work-items share a number, in local
// memory.
func atomicWants(name, dialect string) want {
	global := map[string]spirv.StorageClass{"kernel": spirv.StorageClassCrossWorkgroup, "shader": spirv.StorageClassStorageBuffer}[dialect]
	w := want{types: ints(dialect, 32, 64), storage: []spirv.StorageClass{global, spirv.StorageClassWorkgroup}}
	switch name {
	case "OpAtomicFAddEXT", "OpAtomicFMinEXT", "OpAtomicFMaxEXT":
		w.types = floats
	case "OpAtomicLoad":
		w.types = append(w.types, floats...)
	case "OpAtomicStore", "OpAtomicExchange":
		w.types, w.storage = append(w.types, floats...), w.storage[:1]
	case "OpAtomicCompareExchangeWeak":
		w.storage = w.storage[:1]
	case "OpAtomicFlagTestAndSet", "OpAtomicFlagClear":
		w.types, w.storage = []string{"u32"}, w.storage[:1]
	}
	return w
}
