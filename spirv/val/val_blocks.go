package val

import (
	"slices"

	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

const layoutSection = core + "2.16.2"

// checkBlocks checks the explicit layout of what shaders share with the outside (SPIR-V 1.6, section 2.16.2): every part
// has its place, and no two overlap. Alignment is left to the client API.
func (c *checker) checkBlocks() {
	if !c.HasCapability(spirv.CapabilityShader) {
		return
	}
	seen := map[*module.Node]bool{}
	for _, v := range c.Globals {
		t := v.Type.Elem
		switch v.Storage {
		case spirv.StorageClassUniform, spirv.StorageClassStorageBuffer, spirv.StorageClassPushConstant, spirv.StorageClassPhysicalStorageBuffer:
		case spirv.StorageClassWorkgroup:
			if !c.isBlock(t) {
				continue
			}
			if !c.HasCapability(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR) {
				c.fail(c.byID[v.ID], layoutSection, "a block in Workgroup needs the capability WorkgroupMemoryExplicitLayoutKHR")
				return
			}
		default:
			continue
		}
		for isKind(t, module.Array) || isRuntimeArray(t) { // of descriptors
			if _, ok := c.Decoration(t.ID, spirv.DecorationArrayStride); ok {
				break
			}
			t = t.Elem
		}
		if !isKind(t, module.Struct) {
			continue
		}
		n, err := c.layouts.Of(t, v.Storage)
		if err != nil {
			c.layoutError(v, err)
			return
		}
		if !c.apart(n, seen) {
			return
		}
	}
}

func (c *checker) layoutError(v *module.Variable, err error) {
	rule := err.Error()
	if e, ok := err.(*module.Error); ok {
		rule = e.Reason
	}
	c.fail(c.byID[v.ID], layoutSection, "%s", rule)
}

// apart checks that members and elements do not overlap.
func (c *checker) apart(n *module.Node, seen map[*module.Node]bool) bool {
	if seen[n] {
		return true
	}
	seen[n] = true
	fail := func(format string, args ...any) bool {
		c.fail(c.byID[n.Type.ID], layoutSection, format, args...)
		return false
	}
	switch n.Type.Kind {
	case module.Struct:
		order := make([]int, len(n.Fields))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case n.Fields[a].Offset < n.Fields[b].Offset:
				return -1
			case n.Fields[a].Offset > n.Fields[b].Offset:
				return 1
			}
			return 0
		})
		for i := 1; i < len(order); i++ {
			a, b := n.Fields[order[i-1]], n.Fields[order[i]]
			if a.Node.Runtime && isRuntimeArray(a.Node.Type) || a.Offset+extent(a.Node) > b.Offset && extent(a.Node) > 0 && (b.Node.Size > 0 || b.Node.Runtime) {
				return fail("members %d and %d overlap: %d + %d bytes is beyond offset %d", order[i-1], order[i], a.Offset, extent(a.Node), b.Offset)
			}
		}
		for _, f := range n.Fields {
			if !c.apart(f.Node, seen) {
				return false
			}
		}
	case module.Array, module.RuntimeArray:
		if n.Stride < extent(n.Elem) {
			return fail("the array stride %d is smaller than an element, %d bytes", n.Stride, extent(n.Elem))
		}
		return c.apart(n.Elem, seen)
	case module.Matrix:
		if n.Stride < n.Elem.Elem.Size || n.Elem.Stride < n.Elem.Elem.Size {
			return fail("the matrix stride is smaller than a component")
		}
	}
	return true
}

// extent returns the bytes a value really takes: of an array up to the end of its last element, not of its last stride; of a
// row-major matrix up to the end of its last row, of others with their last stride, as SPIRV-Tools' validator has it.
func extent(n *module.Node) uint64 {
	if n.Type.Kind == module.Array && n.Stride > 0 && n.Size >= n.Stride && n.Stride >= extent(n.Elem) {
		return n.Size - n.Stride + extent(n.Elem)
	}
	if n.Type.Kind == module.Matrix && n.Stride < n.Elem.Stride { // row-major
		return uint64(n.Type.Count-1)*n.Stride + n.Elem.Size
	}
	return n.Size
}
