package val

import (
	"github.com/sgrun/sgrun/spirv"
	"github.com/sgrun/sgrun/spirv/module"
)

const (
	coopText        = "SPV_KHR_cooperative_matrix, revision 10"
	coopMaintenance = "SPV_EXT_cooperative_matrix_maintenance1, revision 1"
)

var coopRules = map[spirv.Op]rule{
	spirv.OpCooperativeMatrixLoadKHR: coopLoad, spirv.OpCooperativeMatrixStoreKHR: coopStore, spirv.OpCooperativeMatrixMulAddKHR: coopMulAdd,
	spirv.OpCooperativeMatrixLengthKHR: coopLength, spirv.OpCooperativeMatrixConvertUseEXT: coopConvertUse, spirv.OpCooperativeMatrixReduceEXT: coopReduce,
	spirv.OpCooperativeMatrixPerElementOpEXT: coopPerElement, spirv.OpCooperativeMatrixGetCoordinateEXT: coopCoordinate,
}

// Positions of the operands of OpTypeCooperativeMatrixKHR.
const (
	coopScope = 2
	coopRows  = 3
	coopCols  = 4
	coopUse   = 5
)

func isKHRMatrix(t *module.Type) bool { return isOther(t, spirv.OpTypeCooperativeMatrixKHR) }

// differ reports whether an operand of the declarations of two matrices differs, as far as constants tell.
func (c *checker) differ(a *module.Type, i int, b *module.Type, j int) bool {
	x, okX := c.constant(idAt(a, i))
	y, okY := c.constant(idAt(b, j))
	return okX && okY && x != y
}

// use returns the use of a matrix type, -1 where it is not known.
func (c *checker) use(t *module.Type) int {
	if v, ok := c.constant(idAt(t, coopUse)); ok && v <= 2 {
		return int(v)
	}
	return -1
}

const (
	useA           = int(spirv.CooperativeMatrixUseMatrixAKHR)
	useB           = int(spirv.CooperativeMatrixUseMatrixBKHR)
	useAccumulator = int(spirv.CooperativeMatrixUseMatrixAccumulatorKHR)
)

// coopAlike reports whether two cooperative matrix types have the same scope, rows, columns and use, as far as constants
// tell.
func (c *checker) coopAlike(a, b *module.Type) bool {
	if !isCoop(a) || !isCoop(b) || a.Inst.Op != b.Inst.Op {
		return false
	}
	for i := coopScope; i < len(a.Inst.Words); i++ {
		if c.differ(a, i, b, i) {
			return false
		}
	}
	return true
}

// coopConvertible checks shape and use of a conversion from one matrix type to another.
func (c *checker) coopConvertible(in *inst, from, to *module.Type) bool {
	_, transposed := c.Decoration(in.result, spirv.DecorationCooperativeMatrixTransposeEXT)
	rows, cols := coopRows, coopCols
	if transposed {
		rows, cols = cols, rows
	}
	switch {
	case from.Inst.Op != to.Inst.Op || c.differ(from, coopScope, to, coopScope):
		c.fail(in, coopText, "%v must keep the scope of a cooperative matrix", in.Op)
		return false
	case c.differ(from, coopRows, to, rows) || c.differ(from, coopCols, to, cols):
		c.fail(in, coopText, "%v must keep the rows and columns of a cooperative matrix, or exchange them where it transposes", in.Op)
		return false
	case !isKHRMatrix(from):
		return true
	}
	f, t := c.use(from), c.use(to)
	if transposed && (f >= 0 && f != useAccumulator || t == useAccumulator) {
		c.fail(in, coopMaintenance, "a conversion that transposes must go from an accumulator to a matrix A or B")
		return false
	}
	if f < 0 || t < 0 || f == t {
		return true
	}
	ext, nv := c.HasCapability(spirv.CapabilityCooperativeMatrixConversionsEXT), c.HasCapability(spirv.CapabilityCooperativeMatrixConversionsNV)
	if (ext || nv) && f == useAccumulator || ext && t == useAccumulator {
		return true
	}
	c.fail(in, coopText, "%v must keep the use of a cooperative matrix", in.Op)
	return false
}

func typeCoop(c *checker, in *inst) {
	t := c.Types[in.result]
	e := c.coopElem(t)
	switch {
	case !isNumber(e):
		c.fail(in, coopText, "the components of a cooperative matrix must be numbers, they are %v", e)
		return
	case isFloat(e) && e.Encoding == uint32(spirv.FPEncodingBFloat16KHR)+1 && !c.HasCapability(spirv.CapabilityBFloat16CooperativeMatrixKHR):
		c.fail(in, coopText, "a cooperative matrix of %v needs the capability BFloat16CooperativeMatrixKHR", e)
		return
	case isFloat(e) && e.Width == 8 && !c.HasCapability(spirv.CapabilityFloat8CooperativeMatrixEXT):
		c.fail(in, coopText, "a cooperative matrix of %v needs the capability Float8CooperativeMatrixEXT", e)
		return
	}
	for i, what := range []string{"scope", "number of rows", "number of columns", "use"} {
		if coopScope+i >= len(t.Inst.Words) {
			break // the NV type has no use
		}
		k := c.Constants[idAt(t, coopScope+i)]
		if k == nil || k.Inst.Op == spirv.OpUndef || !isInt(k.Type) {
			c.fail(in, coopText, "the %s of a cooperative matrix must be an integer constant", what)
			return
		}
	}
	scope, known := c.constant(idAt(t, coopScope))
	switch {
	case known && scope != uint64(spirv.ScopeSubgroup) && scope != uint64(spirv.ScopeWorkgroup):
		c.fail(in, coopText, "the scope of a cooperative matrix must be Subgroup or Workgroup, it is %v", spirv.Scope(scope))
	case known && scope == uint64(spirv.ScopeWorkgroup):
		for _, e := range c.EntryPoints {
			_, literal := e.Mode(spirv.ExecutionModeLocalSize)
			_, ids := e.Mode(spirv.ExecutionModeLocalSizeId)
			if !literal && !ids {
				c.fail(in, coopText, "a cooperative matrix with the scope Workgroup needs LocalSize or LocalSizeId on entry point %q", e.Name)
				return
			}
		}
	}
	if v, ok := c.constant(idAt(t, min(coopUse, len(t.Inst.Words)-1))); ok && isKHRMatrix(t) && v > 2 {
		c.fail(in, coopText, "the use of a cooperative matrix must be 0 (A), 1 (B) or 2 (accumulator), it is %d", v)
	}
}

func coopLoad(c *checker, in *inst) {
	if !isKHRMatrix(in.rt) {
		c.fail(in, coopText, "the result of %v must be a cooperative matrix, it is %v", in.Op, in.rt)
		return
	}
	c.coopMemory(in, 1)
}

func coopStore(c *checker, in *inst) {
	if t := c.typeOf(in, 1); !isKHRMatrix(t) {
		c.fail(in, coopText, "the object of %v must be a cooperative matrix, %s", in.Op, is(t))
		return
	}
	c.coopMemory(in, 2)
}

// coopMemory checks pointer, layout (operand i), stride and memory operands.
func (c *checker) coopMemory(in *inst, i int) {
	p := c.logicalPointer(in, 0, "the pointer")
	switch layout := c.Constants[in.arg(i)]; {
	case p == nil:
		return
	case isPtr(p) && !isNumberSV(p.Elem):
		c.fail(in, coopText, "the pointer of %v must point to a scalar or vector of numbers, %s", in.Op, is(p))
		return
	case layout == nil || layout.Inst.Op == spirv.OpUndef || !isInt(layout.Type):
		c.fail(in, coopText, "the layout of %v must be an integer constant", in.Op)
		return
	case in.Op == spirv.OpCooperativeMatrixStoreKHR && readOnly(storageOf(p)):
		c.fail(in, coopText, "%v cannot write to the storage class %v", in.Op, storageOf(p))
		return
	}
	_, stride := in.word(i + 1)
	if v, ok := c.constant(in.arg(i)); ok && !stride && v <= uint64(spirv.CooperativeMatrixLayoutColumnMajorKHR) {
		c.fail(in, coopText, "the layout %v of %v needs a stride", spirv.CooperativeMatrixLayout(v), in.Op)
		return
	}
	if t := c.typeOf(in, i+1); stride && !isInt(t) {
		c.fail(in, coopText, "the stride of %v must be an integer, %s", in.Op, is(t))
		return
	}
	if _, ok := in.accessAt(i + 2); ok {
		c.memoryAccess(in, i+2, p, nil)
	}
}

func coopMulAdd(c *checker, in *inst) {
	d := in.rt
	m := [3]*module.Type{c.typeOf(in, 0), c.typeOf(in, 1), c.typeOf(in, 2)}
	for i, name := range []string{"A", "B", "C"} {
		if !isKHRMatrix(m[i]) || c.use(m[i]) >= 0 && c.use(m[i]) != i {
			c.fail(in, coopText, "matrix %s of %v must be a cooperative matrix of that use, %s", name, in.Op, is(m[i]))
			return
		}
	}
	if !isKHRMatrix(d) {
		c.fail(in, coopText, "the result of %v must be a cooperative matrix, it is %v", in.Op, d)
		return
	}
	a, b, acc := m[0], m[1], m[2]
	switch {
	case c.differ(a, coopScope, b, coopScope) || c.differ(a, coopScope, acc, coopScope) || c.differ(a, coopScope, d, coopScope) ||
		c.differ(b, coopScope, acc, coopScope) || c.differ(b, coopScope, d, coopScope) || c.differ(acc, coopScope, d, coopScope):
		c.fail(in, coopText, "the matrices of %v must have the same scope", in.Op)
	case c.differ(a, coopRows, acc, coopRows) || c.differ(a, coopRows, d, coopRows) || c.differ(acc, coopRows, d, coopRows):
		c.fail(in, coopText, "A, C and the result of %v must have as many rows", in.Op)
	case c.differ(b, coopCols, acc, coopCols) || c.differ(b, coopCols, d, coopCols) || c.differ(acc, coopCols, d, coopCols):
		c.fail(in, coopText, "B, C and the result of %v must have as many columns", in.Op)
	case c.differ(a, coopCols, b, coopRows):
		c.fail(in, coopText, "B of %v must have as many rows as A has columns", in.Op)
	case c.use(d) >= 0 && c.use(d) != useAccumulator:
		c.fail(in, coopText, "the result of %v must be an accumulator", in.Op)
	default:
		c.coopSigned(in, m, d)
	}
}

// coopSigned: an operand may be called signed only where it is of integers.
func (c *checker) coopSigned(in *inst, m [3]*module.Type, d *module.Type) {
	flags, _ := in.word(3)
	for i, t := range append(m[:], d) {
		if flags&(1<<i) != 0 && !isInt(c.coopElem(t)) {
			c.fail(in, coopText, "%v cannot call a matrix of %v signed", in.Op, c.coopElem(t))
			return
		}
	}
}

func coopLength(c *checker, in *inst) {
	t := c.Types[in.arg(0)]
	switch {
	case !isUnsigned(in.rt) || in.rt.Width != 32:
		c.fail(in, coopText, "the result of %v must be u32, it is %v", in.Op, in.rt)
	case !isKHRMatrix(t):
		c.fail(in, coopText, "%v must name a cooperative matrix type, %s", in.Op, is(t))
	}
}

func coopConvertUse(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	if !isKHRMatrix(in.rt) || !isKHRMatrix(t) {
		c.fail(in, coopMaintenance, "operand and result of %v must be cooperative matrices, they are %v and %v", in.Op, t, in.rt)
		return
	}
	a, b := c.coopElem(t), c.coopElem(in.rt)
	from, to := c.use(t), c.use(in.rt)
	switch {
	case a != b && !(isInt(a) && isInt(b) && a.Width == b.Width):
		c.fail(in, coopMaintenance, "%v must keep the component type, it is %v and %v", in.Op, a, b)
	case idAt(t, coopUse) == idAt(in.rt, coopUse) || from >= 0 && to >= 0 && (from == useAccumulator) == (to == useAccumulator):
		c.fail(in, coopMaintenance, "%v must go from an accumulator to a matrix A or B or back", in.Op)
	default:
		c.coopConvertible(in, t, in.rt)
	}
}

func coopCoordinate(c *checker, in *inst) {
	t, i := c.typeOf(in, 0), c.typeOf(in, 1)
	switch {
	case !isKind(in.rt, module.Vector) || in.rt.Count != 2 || !isInt(in.rt.Elem) || in.rt.Elem.Width != 32:
		c.fail(in, coopMaintenance, "the result of %v must be a vector of two 32-bit integers, it is %v", in.Op, in.rt)
	case !isKHRMatrix(t):
		c.fail(in, coopMaintenance, "the matrix of %v must be a cooperative matrix, %s", in.Op, is(t))
	case !isInt(i) || i.Width != 32:
		c.fail(in, coopMaintenance, "the index of %v must be a 32-bit integer, %s", in.Op, is(i))
	}
}

func coopReduce(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	w, _ := in.word(1)
	how := spirv.CooperativeMatrixReduce(w)
	const row, column, square = spirv.CooperativeMatrixReduceRow, spirv.CooperativeMatrixReduceColumn, spirv.CooperativeMatrixReduce2x2
	f := c.FunctionByID[in.arg(2)]
	switch {
	case !isKHRMatrix(in.rt) || !isKHRMatrix(t) || c.coopElem(t) != c.coopElem(in.rt) || c.differ(t, coopScope, in.rt, coopScope):
		c.fail(in, coopMaintenance, "operand and result of %v must be cooperative matrices of the same component type and scope", in.Op)
	case c.use(t) >= 0 && c.use(t) != useAccumulator || c.use(in.rt) >= 0 && c.use(in.rt) != useAccumulator:
		c.fail(in, coopMaintenance, "operand and result of %v must be accumulators", in.Op)
	case how != row && how != column && how != row|column && how != square:
		c.fail(in, coopMaintenance, "%v reduces Row, Column, Row|Column or 2x2, not 0x%x", in.Op, w)
	case how == row && c.differ(t, coopRows, in.rt, coopRows), how == column && c.differ(t, coopCols, in.rt, coopCols):
		c.fail(in, coopMaintenance, "%v by %v must keep the number of these", in.Op, how)
	case how == square && (c.notHalf(t, in.rt, coopRows) || c.notHalf(t, in.rt, coopCols)):
		c.fail(in, coopMaintenance, "%v of 2x2 must halve rows and columns", in.Op)
	default:
		e := c.coopElem(t)
		if f.Type.Elem != e || len(f.Type.Members) != 2 || f.Type.Members[0] != e || f.Type.Members[1] != e {
			c.fail(in, coopMaintenance, "the function of %v must take two %v and return one, it is %v", in.Op, e, f.Type)
		}
	}
}

func (c *checker) notHalf(t, half *module.Type, i int) bool {
	x, okX := c.constant(idAt(t, i))
	y, okY := c.constant(idAt(half, i))
	return okX && okY && x != 2*y
}

func coopPerElement(c *checker, in *inst) {
	t := c.typeOf(in, 0)
	f := c.FunctionByID[in.arg(1)].Type
	more := in.args()[2:]
	i32 := func(t *module.Type) bool { return isInt(t) && t.Width == 32 }
	switch e := c.coopElem(t); {
	case !isKHRMatrix(t) || in.rt != t:
		c.fail(in, coopMaintenance, "operand and result of %v must be the same cooperative matrix type, they are %v and %v", in.Op, t, in.rt)
		return
	case f.Elem != e || len(f.Members) != 3+len(more) || !i32(f.Members[0]) || !i32(f.Members[1]) || f.Members[2] != e:
		c.fail(in, coopMaintenance, "the function of %v must take row, column, a %v and the %d further operands, and return a %v, it is %v", in.Op, e, len(more), e, f)
		return
	}
	for i := range more {
		o := c.typeOf(in, 2+i)
		want := o
		if isCoop(o) {
			if want = c.coopElem(o); o != t {
				c.fail(in, coopMaintenance, "further matrices of %v must have the type of the first", in.Op)
				return
			}
		}
		if f.Members[3+i] != want {
			c.fail(in, coopMaintenance, "parameter %d of the function of %v must be %v, it is %v", 3+i, in.Op, want, f.Members[3+i])
			return
		}
	}
}
