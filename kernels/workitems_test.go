package kernels_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sgrun/sgrun/kernels"
	"github.com/sgrun/sgrun/kernels/gen"
	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/grammar"
	"github.com/sgrun/sgrun/spirv/module"
)

// The classes of instructions that work-items execute together or on shared numbers.
var workItemClasses = []string{"Barrier", "Atomic", "Group", "Non-Uniform"}

// noVectors are the instructions of these classes that no case uses, with the reason. All are refused by name, which package
// fallback/lower tests for every instruction without a handler.
var noVectors = map[string]string{
	"OpNamedBarrierInitialize":                "named barriers",
	"OpMemoryNamedBarrier":                    "named barriers",
	"OpControlBarrierArriveEXT":               "split barriers",
	"OpControlBarrierWaitEXT":                 "split barriers",
	"OpUntypedGroupAsyncCopyKHR":              "untyped pointers",
	"OpGroupIAddNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupFAddNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupFMinNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupUMinNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupSMinNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupFMaxNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupUMaxNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpGroupSMaxNonUniformAMD":                "SPV_AMD_shader_ballot",
	"OpSubgroupImageBlockReadINTEL":           "images",
	"OpSubgroupImageBlockWriteINTEL":          "images",
	"OpSubgroupImageMediaBlockReadINTEL":      "media blocks",
	"OpSubgroupImageMediaBlockWriteINTEL":     "media blocks",
	"OpSubgroupBlockPrefetchINTEL":            "block prefetches",
	"OpSubgroup2DBlockLoadINTEL":              "two-dimensional blocks",
	"OpSubgroup2DBlockLoadTransformINTEL":     "two-dimensional blocks",
	"OpSubgroup2DBlockLoadTransposeINTEL":     "two-dimensional blocks",
	"OpSubgroup2DBlockPrefetchINTEL":          "two-dimensional blocks",
	"OpSubgroup2DBlockStoreINTEL":             "two-dimensional blocks",
	"OpSubgroupMatrixMultiplyAccumulateINTEL": "matrix multiplication by sub-groups",
}

// oneDialect are the instructions that only one dialect has vectors for although their capabilities allow both.
var oneDialect = map[string]string{
	"OpSubgroupBlockReadINTEL":  "kernel: logical pointers do not reach beyond an element",
	"OpSubgroupBlockWriteINTEL": "kernel: logical pointers do not reach beyond an element",
}

// use is what the cases show of an instruction in a dialect, and of a group operation where it has one.
type use struct {
	types   map[string]bool // "u32", "v2f32", or the scope of barriers
	scopes  map[spirv.Scope]bool
	storage map[spirv.StorageClass]bool
	sizes   map[int]bool // sub-group sizes
	parted  bool         // some lanes go past
	partial bool         // a sub-group has fewer invocations than its size
}

// useKey names it: "kernel OpGroupNonUniformIAdd Reduce".
func useKey(dialect string, op spirv.Op, operation string) string {
	return strings.TrimSpace(dialect + " " + op.String() + " " + operation)
}

// typeClass is a scalar or vector as the types here are called, with the sign where a shader's integer has one.
func typeClass(t *module.Type) string {
	switch {
	case t == nil:
		return ""
	case t.Kind == module.Vector:
		return fmt.Sprintf("v%d%s", t.Count, typeClass(t.Elem))
	case t.Kind == module.Bool:
		return "bool"
	case t.Kind == module.Float:
		return fmt.Sprintf("f%d", t.Width)
	case t.Kind == module.Int && t.Signed:
		return fmt.Sprintf("i%d", t.Width)
	case t.Kind == module.Int:
		return fmt.Sprintf("u%d", t.Width)
	}
	return ""
}

// usesOf collects what all cases show.
func usesOf(t *testing.T, s *suite) map[string]*use {
	t.Helper()
	modules := map[string]*module.Module{}
	uses := map[string]*use{}
	for _, topic := range s.all.Topics {
		for _, c := range topic.Cases {
			m := modules[c.Module]
			if m == nil {
				text, err := kernels.Source(c.Module)
				if err != nil {
					t.Fatal(err)
				}
				source, err := runner.ParseSource(c.Module, text)
				if err != nil {
					t.Fatal(err)
				}
				if m, err = module.New(source.Binary); err != nil {
					t.Fatal(err)
				}
				modules[c.Module] = m
			}
			collect(uses, m, c)
		}
	}
	return uses
}

func collect(uses map[string]*use, m *module.Module, c *gen.Case) {
	dialect := "shader"
	if m.HasCapability(spirv.CapabilityKernel) {
		dialect = "kernel"
	}
	for i := range m.Binary.Insts {
		in := &m.Binary.Insts[i]
		g := grammarOf(in.Op)
		if g == nil || !slices.Contains(workItemClasses, g.Class) {
			continue
		}
		operation, scope, subject := "", spirv.Scope(0), (*module.Type)(nil)
		storage, scoped := spirv.StorageClass(0), false
		word := 0
		for _, o := range g.Operands {
			if word >= len(in.Words) {
				break
			}
			switch w := in.Words[word]; {
			case o.Kind == grammar.GroupOperation:
				operation = spirv.GroupOperation(w).String()
			case o.Kind == grammar.IdScope && !scoped:
				v, _ := m.DefaultValue(spirv.ID(w))
				scope, scoped = spirv.Scope(v), true
			case o.Kind == grammar.IdRef:
				of := m.TypeOf(spirv.ID(w))
				if of != nil && of.Kind == module.Pointer {
					storage, of = of.Storage, of.Elem
				}
				if subject == nil {
					subject = of
				}
			}
			word++
		}
		// What a block read makes is wider than what its pointer points to.
		if in.Op == spirv.OpSubgroupBlockReadINTEL {
			subject = m.Types[spirv.ID(in.Words[0])]
		}
		if in.Op == spirv.OpSubgroupBlockWriteINTEL {
			subject = m.TypeOf(spirv.ID(in.Words[1]))
		}
		key := useKey(dialect, in.Op, operation)
		u := uses[key]
		if u == nil {
			u = &use{types: map[string]bool{}, scopes: map[spirv.Scope]bool{}, storage: map[spirv.StorageClass]bool{}, sizes: map[int]bool{}}
			uses[key] = u
		}
		u.types[typeClass(subject)] = true
		u.scopes[scope] = true
		u.storage[storage] = true
		for _, step := range c.Steps {
			u.sizes[step.SubGroup] = true
			u.partial = u.partial || step.SubGroup != 0 && step.Local[0]%step.SubGroup != 0
			u.parted = u.parted || lanesPart(step)
		}
	}
}

// lanesPart reports whether a case's argument mask lets some lanes past the instructions.
func lanesPart(s *gen.Step) bool {
	mask, ok := s.Values["mask"]
	if push := s.Values["push"]; !ok && len(push) >= 4 {
		mask = push[len(push)-4:] // the last of the push constants
	}
	return len(mask) >= 4 && (mask[0] != 0xff || mask[1] != 0xff || mask[2] != 0xff || mask[3] != 0xff)
}

var grammarByOp = func() map[spirv.Op]*grammar.Instruction {
	m := map[spirv.Op]*grammar.Instruction{}
	list := grammar.Instructions()
	for i := range list {
		m[list[i].Op] = &list[i]
	}
	return m
}()

func grammarOf(op spirv.Op) *grammar.Instruction { return grammarByOp[op] }

// dialects are those whose capabilities allow an instruction: what needs Kernel is not for shaders, nor the other way round.
func dialects(g *grammar.Instruction) (list []string) {
	if len(g.Capabilities) == 0 {
		return []string{"kernel", "shader"}
	}
	for _, c := range g.Capabilities {
		needs := implied(c)
		// The capabilities of float atomics imply Shader in the grammar, and drivers take them in kernels.
		if !needs[spirv.CapabilityShader] || strings.HasPrefix(c.String(), "AtomicFloat") {
			list = append(list, "kernel")
		}
		if !needs[spirv.CapabilityKernel] {
			list = append(list, "shader")
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// implied are a capability and all that it implies.
func implied(c spirv.Capability) map[spirv.Capability]bool {
	all := map[spirv.Capability]bool{c: true}
	if e, ok := grammar.Capability.Info().Enumerant(uint32(c)); ok {
		for _, next := range e.Capabilities {
			for k := range implied(next) {
				all[k] = true
			}
		}
	}
	return all
}

// operationsOf are the group operations of an instruction: none, those of one group, and of Non-Uniform arithmetic also the
// clustered and partitioned ones.
func operationsOf(g *grammar.Instruction) []string {
	if !slices.ContainsFunc(g.Operands, func(o grammar.Operand) bool { return o.Kind == grammar.GroupOperation }) {
		return []string{""}
	}
	plain := []string{"Reduce", "InclusiveScan", "ExclusiveScan"}
	if g.Class != "Non-Uniform" || strings.HasPrefix(g.Name, "OpGroupNonUniformBallot") {
		return plain
	}
	var all []string
	for _, e := range grammar.GroupOperation.Info().Enumerants {
		all = append(all, spirv.GroupOperation(e.Value).String())
	}
	return slices.Compact(all)
}

// Every instruction of these classes is shown by some case, in each dialect that allows it, with every group operation, on
// every type, and those of sub-groups at every size, with lanes that go past and in partial sub-groups, but for what is
// listed with its reason.
func TestWorkItemInstructionsAreCovered(t *testing.T) {
	uses := usesOf(t, getSuite(t))
	checked, unused, one := 0, map[string]bool{}, map[string]bool{}
	for _, g := range grammar.Instructions() {
		if !slices.Contains(workItemClasses, g.Class) || g.Op == spirv.OpSubgroupBitcastShuffleINTEL { // it has topics of its own
			continue
		}
		allowed := dialects(&g)
		if reason, ok := oneDialect[g.Name]; ok {
			one[g.Name] = true
			allowed = []string{strings.SplitN(reason, ":", 2)[0]}
		}
		for _, dialect := range allowed {
			for _, operation := range operationsOf(&g) {
				key := useKey(dialect, g.Op, operation)
				u := uses[key]
				if reason, ok := noVectors[g.Name]; ok {
					unused[g.Name] = true
					if u != nil {
						t.Errorf("%s is used, and listed as having no vectors (%s)", key, reason)
					}
					continue
				}
				if u == nil {
					t.Errorf("no case shows %s", key)
					continue
				}
				checked++
				for _, missing := range wants(&g, dialect).missing(u) {
					t.Errorf("no case shows %s %s", key, missing)
				}
			}
		}
	}
	for name := range noVectors {
		if !unused[name] {
			t.Errorf("%s is listed as having no vectors, and is none of these instructions", name)
		}
	}
	for name := range oneDialect {
		if !one[name] {
			t.Errorf("%s is listed as of one dialect, and is none of these instructions", name)
		}
	}
	t.Logf("%d instructions, group operations and dialects", checked)
	if checked < 400 {
		t.Errorf("only %d are checked", checked)
	}
}
