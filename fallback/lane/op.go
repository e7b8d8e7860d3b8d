package lane

import (
	"sync"

	"github.com/sgrun/sgrun/spirv"
)

// Op is an operation of the lane program. Vectors, matrices and structures are gone: every operation works on scalars,
// one per lane.
type Op uint8

// Elementwise operations: one result per lane from the same lane's operands, no side effect. Their exact meaning, where
// SPIR-V leaves a case undefined, is:
//
//   - UDiv, SDiv by zero give all ones, URem, SRem, SMod by zero give the dividend; the most negative number divided by
//     -1 gives itself, with remainder 0.
//   - Shl, LShr, AShr take the shift modulo the width.
//   - ConvertFToU and ConvertFToS saturate and give 0 for NaN; so do their Sat forms.
//   - BitFieldInsert and the extracts: offset and count are clamped to the width.
//   - a NaN produced by float arithmetic or conversion is the positive quiet NaN without payload; FNeg only flips the
//     sign bit and copies keep all bits.
//   - FRem has the sign of the dividend, FMod the sign of the divisor; both are computed exactly.
//   - FMin and FMax give the other operand where one is NaN; -0 is less than +0.
//   - F16 arithmetic is correctly rounded to nearest even.
const (
	Invalid Op = iota

	// Integers of 8 to 64 bits.
	Add
	Sub
	Mul
	UDiv
	SDiv
	URem
	SRem
	SMod
	UMin
	UMax
	SMin
	SMax
	Neg
	AddCarry  // carry out of a+b: 0 or 1
	SubBorrow // borrow out of a-b: 0 or 1
	UMulHi
	SMulHi
	Not
	And
	Or
	Xor
	Shl  // b has the same kind as a
	LShr // b has the same kind as a
	AShr // b has the same kind as a
	BitReverse
	BitCount
	BitFieldInsert   // base, insert, offset, count; all of one kind
	BitFieldSExtract // base, offset, count; all of one kind
	BitFieldUExtract // base, offset, count; all of one kind
	IEqual
	INotEqual
	UGreater
	UGreaterEqual
	ULess
	ULessEqual
	SGreater
	SGreaterEqual
	SLess
	SLessEqual

	// Floats.
	FAdd
	FSub
	FMul
	FDiv
	FRem
	FMod
	FMin
	FMax
	FNeg
	FOrdEqual
	FOrdNotEqual
	FOrdLess
	FOrdLessEqual
	FOrdGreater
	FOrdGreaterEqual
	FUnordEqual
	FUnordNotEqual
	FUnordLess
	FUnordLessEqual
	FUnordGreater
	FUnordGreaterEqual
	Ordered
	Unordered
	IsNan
	IsInf
	IsFinite
	IsNormal
	SignBitSet

	// Booleans.
	LogicalEqual
	LogicalNotEqual
	LogicalAnd
	LogicalOr
	LogicalNot

	// Any kind.
	Select // condition (Bool), then, else
	Copy

	// Conversions, from Inst.Kind to Inst.To. Those that round take a Rounding in Inst.Imm.
	UConvert // integer to integer, zero-extended or cut
	SConvert // integer to integer, sign-extended or cut
	// SatConvertUToS and SatConvertSToU clamp to the range of the result.
	SatConvertUToS
	SatConvertSToU
	FConvert
	ConvertFToU
	ConvertFToS
	ConvertUToF
	ConvertSToF
	QuantizeToF16 // F32 to F32: subnormal halves become a zero of the same sign

	// Other operations.

	// Repack concatenates the bits of the operands of each lane, first operand lowest, and cuts them up for the results.
	Repack
	// Lea is base + index×Imm + Off. The index is sign-extended from Kind; To is the kind of an address.
	Lea
	// Load reads Dst, one component of Mem each, at the address Src[0].
	Load
	// Store writes Src[1:], one component of Mem each, at the address Src[0].
	Store
	// CopyMemory copies Imm bytes from address Src[1] to address Src[0].
	CopyMemory
	// BitcastShuffle is OpSubgroupBitcastShuffleINTEL for different component counts: the components of Src of all lanes
	// of the sub-group, component by component, are one string of bits that is cut up for Dst in the same order.
	BitcastShuffle
	// GenericCast is the address Src[0] where it is in the storage class Imm, else 0.
	GenericCast

	// The operations below work on the lanes of a sub-group that are active; Inst.Group has what they need to know.

	// Elect is true in the first active lane.
	Elect
	// VoteAll, VoteAny and VoteEqual are of Src[0] in the active lanes.
	VoteAll
	VoteAny
	VoteEqual
	// Ballot gives the four 32-bit words of the set of active lanes where Src[0] is true.
	Ballot
	// InverseBallot is the lane's own bit of the set in Src.
	InverseBallot
	// BallotBit is the bit Src[4] of the set in Src[:4].
	BallotBit
	// BallotCount counts the set's lanes: all, or those up to or below the lane (Group.Scan).
	BallotCount
	// BallotFirst and BallotLast are the lowest and the highest lane of the set; 0 where it is empty.
	BallotFirst
	BallotLast
	// Shuffle gives Dst the values of Src[:len(Dst)] in another lane, which Src[len(Dst)], of kind To, and Group.Source choose.
	Shuffle
	// ShuffleTwo is OpSubgroupShuffleDownINTEL or UpINTEL: Src are the two values, then the delta.
	ShuffleTwo
	// Combine reduces or scans Src[0] over the lanes with Group.Combine. With Group.Partition, Src[1:5] is the set of lanes
	// that belong together.
	Combine
	// BlockRead and BlockWrite move one element per component and lane, lanes side by side, at the address Src[0].
	BlockRead
	BlockWrite
	// Partition gives the four 32-bit words of the set of active lanes where Src is the same as in the lane.
	Partition
	// GroupPut leaves Src where all work-items of the work-group can read it; a barrier stands before and behind it.
	GroupPut
	// GroupTake reduces or scans what GroupPut left as its operand number Imm, over the work-items of the work-group, or with
	// Group.Source FromBroadcast gives the value of the work-item whose local id Src is.
	GroupTake
	// AsyncCopy copies Src[2] elements of Imm bytes from address Src[1] to Src[0], Src[3] and Src[4] bytes apart in the
	// destination and the source. Local linear id 0 does it for the work-group.
	AsyncCopy
	// Atomic is an atomic access at the address Src[0]; Inst.Atomic has its kind.
	Atomic
	// Fence orders the memory accesses before it and behind it.
	Fence
	// Ext is the function of package stdlib whose number Imm is: Dst of Src, which are of Kind where the function does not say
	// otherwise.
	Ext

	numOps
)

const lastElementwise = QuantizeToF16

// Rounding is the rounding mode of a conversion, in Inst.Imm.
type Rounding = int64

// Rounding modes.
const (
	RoundDefault Rounding = iota // to nearest even; toward zero in conversions from float to integer
	RoundNearest                 // to nearest, ties to even
	RoundTowardZero
	RoundUp
	RoundDown
)

// Shape says how the kinds of an elementwise operation's operands and result relate.
type Shape uint8

// Shapes.
const (
	None    Shape = iota // not elementwise
	Uniform              // all operands and the result have Inst.Kind
	Test                 // the operands have Inst.Kind, the result is Bool
	Pick                 // Select: Bool, then two operands and a result of Inst.Kind
	Convert              // the operand has Inst.Kind, the result Inst.To
)

// Class is a set of kinds.
type Class uint8

// Classes of kinds an elementwise operation is defined for.
const (
	Ints Class = 1 << iota
	Floats
	Bools
	Any = Ints | Floats | Bools
)

// Has reports whether the kind is in the class.
func (c Class) Has(k Kind) bool {
	switch {
	case k == Bool:
		return c&Bools != 0
	case k.Float():
		return c&Floats != 0
	}
	return c&Ints != 0
}

// OpInfo describes an operation.
type OpInfo struct {
	Name  string
	Shape Shape
	Arity int   // operands, of an elementwise operation
	On    Class // kinds of Inst.Kind it is defined for
	To    Class // kinds of Inst.To it is defined for, of a Convert
	// SPIRV is the instruction whose meaning on one component this is, where there is exactly one.
	SPIRV spirv.Op
	// Undefined is what a check reports for operand values with no defined result; empty where there are none.
	Undefined string
}

// Info returns the description of the operation.
func (op Op) Info() *OpInfo { return &infos[op] }

// String returns the operation's name.
func (op Op) String() string { return infos[op].Name }

// Elementwise reports whether the operation computes each lane's result from that lane's operands alone.
func (op Op) Elementwise() bool { return op != Invalid && op <= lastElementwise }

// ElementwiseFor returns the elementwise operation that a SPIR-V instruction applies to each component.
func ElementwiseFor(op spirv.Op) (Op, bool) {
	o, ok := bySPIRV()[op]
	return o, ok
}

var bySPIRV = sync.OnceValue(func() map[spirv.Op]Op {
	m := map[spirv.Op]Op{}
	for i := range infos {
		if op := infos[i].SPIRV; op != 0 {
			m[op] = Op(i)
		}
	}
	return m
})

const (
	divZero  = "division-by-zero"
	shiftBig = "shift-out-of-range"
	fieldBig = "bit-field-out-of-range"
	floatBig = "conversion-out-of-range"
)

var infos = [numOps]OpInfo{
	Invalid: {Name: "invalid"},

	Add:              {"add", Uniform, 2, Ints, 0, spirv.OpIAdd, ""},
	Sub:              {"sub", Uniform, 2, Ints, 0, spirv.OpISub, ""},
	Mul:              {"mul", Uniform, 2, Ints, 0, spirv.OpIMul, ""},
	UDiv:             {"udiv", Uniform, 2, Ints, 0, spirv.OpUDiv, divZero},
	SDiv:             {"sdiv", Uniform, 2, Ints, 0, spirv.OpSDiv, divZero},
	URem:             {"urem", Uniform, 2, Ints, 0, spirv.OpUMod, divZero},
	SRem:             {"srem", Uniform, 2, Ints, 0, spirv.OpSRem, divZero},
	SMod:             {"smod", Uniform, 2, Ints, 0, spirv.OpSMod, divZero},
	UMin:             {"umin", Uniform, 2, Ints, 0, 0, ""},
	UMax:             {"umax", Uniform, 2, Ints, 0, 0, ""},
	SMin:             {"smin", Uniform, 2, Ints, 0, 0, ""},
	SMax:             {"smax", Uniform, 2, Ints, 0, 0, ""},
	Neg:              {"neg", Uniform, 1, Ints, 0, spirv.OpSNegate, ""},
	AddCarry:         {"addcarry", Uniform, 2, Ints, 0, 0, ""},
	SubBorrow:        {"subborrow", Uniform, 2, Ints, 0, 0, ""},
	UMulHi:           {"umulhi", Uniform, 2, Ints, 0, 0, ""},
	SMulHi:           {"smulhi", Uniform, 2, Ints, 0, 0, ""},
	Not:              {"not", Uniform, 1, Ints, 0, spirv.OpNot, ""},
	And:              {"and", Uniform, 2, Ints, 0, spirv.OpBitwiseAnd, ""},
	Or:               {"or", Uniform, 2, Ints, 0, spirv.OpBitwiseOr, ""},
	Xor:              {"xor", Uniform, 2, Ints, 0, spirv.OpBitwiseXor, ""},
	Shl:              {"shl", Uniform, 2, Ints, 0, spirv.OpShiftLeftLogical, shiftBig},
	LShr:             {"lshr", Uniform, 2, Ints, 0, spirv.OpShiftRightLogical, shiftBig},
	AShr:             {"ashr", Uniform, 2, Ints, 0, spirv.OpShiftRightArithmetic, shiftBig},
	BitReverse:       {"bitreverse", Uniform, 1, Ints, 0, spirv.OpBitReverse, ""},
	BitCount:         {"bitcount", Uniform, 1, Ints, 0, 0, ""},
	BitFieldInsert:   {"bfi", Uniform, 4, Ints, 0, 0, fieldBig},
	BitFieldSExtract: {"sbfe", Uniform, 3, Ints, 0, 0, fieldBig},
	BitFieldUExtract: {"ubfe", Uniform, 3, Ints, 0, 0, fieldBig},
	IEqual:           {"ieq", Test, 2, Ints, 0, spirv.OpIEqual, ""},
	INotEqual:        {"ine", Test, 2, Ints, 0, spirv.OpINotEqual, ""},
	UGreater:         {"ugt", Test, 2, Ints, 0, spirv.OpUGreaterThan, ""},
	UGreaterEqual:    {"uge", Test, 2, Ints, 0, spirv.OpUGreaterThanEqual, ""},
	ULess:            {"ult", Test, 2, Ints, 0, spirv.OpULessThan, ""},
	ULessEqual:       {"ule", Test, 2, Ints, 0, spirv.OpULessThanEqual, ""},
	SGreater:         {"sgt", Test, 2, Ints, 0, spirv.OpSGreaterThan, ""},
	SGreaterEqual:    {"sge", Test, 2, Ints, 0, spirv.OpSGreaterThanEqual, ""},
	SLess:            {"slt", Test, 2, Ints, 0, spirv.OpSLessThan, ""},
	SLessEqual:       {"sle", Test, 2, Ints, 0, spirv.OpSLessThanEqual, ""},

	FAdd:               {"fadd", Uniform, 2, Floats, 0, spirv.OpFAdd, ""},
	FSub:               {"fsub", Uniform, 2, Floats, 0, spirv.OpFSub, ""},
	FMul:               {"fmul", Uniform, 2, Floats, 0, spirv.OpFMul, ""},
	FDiv:               {"fdiv", Uniform, 2, Floats, 0, spirv.OpFDiv, ""},
	FRem:               {"frem", Uniform, 2, Floats, 0, spirv.OpFRem, ""},
	FMod:               {"fmod", Uniform, 2, Floats, 0, spirv.OpFMod, ""},
	FMin:               {"fmin", Uniform, 2, Floats, 0, 0, ""},
	FMax:               {"fmax", Uniform, 2, Floats, 0, 0, ""},
	FNeg:               {"fneg", Uniform, 1, Floats, 0, spirv.OpFNegate, ""},
	FOrdEqual:          {"foeq", Test, 2, Floats, 0, spirv.OpFOrdEqual, ""},
	FOrdNotEqual:       {"fone", Test, 2, Floats, 0, spirv.OpFOrdNotEqual, ""},
	FOrdLess:           {"folt", Test, 2, Floats, 0, spirv.OpFOrdLessThan, ""},
	FOrdLessEqual:      {"fole", Test, 2, Floats, 0, spirv.OpFOrdLessThanEqual, ""},
	FOrdGreater:        {"fogt", Test, 2, Floats, 0, spirv.OpFOrdGreaterThan, ""},
	FOrdGreaterEqual:   {"foge", Test, 2, Floats, 0, spirv.OpFOrdGreaterThanEqual, ""},
	FUnordEqual:        {"fueq", Test, 2, Floats, 0, spirv.OpFUnordEqual, ""},
	FUnordNotEqual:     {"fune", Test, 2, Floats, 0, spirv.OpFUnordNotEqual, ""},
	FUnordLess:         {"fult", Test, 2, Floats, 0, spirv.OpFUnordLessThan, ""},
	FUnordLessEqual:    {"fule", Test, 2, Floats, 0, spirv.OpFUnordLessThanEqual, ""},
	FUnordGreater:      {"fugt", Test, 2, Floats, 0, spirv.OpFUnordGreaterThan, ""},
	FUnordGreaterEqual: {"fuge", Test, 2, Floats, 0, spirv.OpFUnordGreaterThanEqual, ""},
	Ordered:            {"ordered", Test, 2, Floats, 0, spirv.OpOrdered, ""},
	Unordered:          {"unordered", Test, 2, Floats, 0, spirv.OpUnordered, ""},
	IsNan:              {"isnan", Test, 1, Floats, 0, spirv.OpIsNan, ""},
	IsInf:              {"isinf", Test, 1, Floats, 0, spirv.OpIsInf, ""},
	IsFinite:           {"isfinite", Test, 1, Floats, 0, spirv.OpIsFinite, ""},
	IsNormal:           {"isnormal", Test, 1, Floats, 0, spirv.OpIsNormal, ""},
	SignBitSet:         {"signbit", Test, 1, Floats, 0, spirv.OpSignBitSet, ""},

	LogicalEqual:    {"leq", Uniform, 2, Bools, 0, spirv.OpLogicalEqual, ""},
	LogicalNotEqual: {"lne", Uniform, 2, Bools, 0, spirv.OpLogicalNotEqual, ""},
	LogicalAnd:      {"land", Uniform, 2, Bools, 0, spirv.OpLogicalAnd, ""},
	LogicalOr:       {"lor", Uniform, 2, Bools, 0, spirv.OpLogicalOr, ""},
	LogicalNot:      {"lnot", Uniform, 1, Bools, 0, spirv.OpLogicalNot, ""},

	Select: {"select", Pick, 3, Any, 0, 0, ""},
	Copy:   {"copy", Uniform, 1, Any, 0, 0, ""},

	UConvert:       {"uconvert", Convert, 1, Ints, Ints, spirv.OpUConvert, ""},
	SConvert:       {"sconvert", Convert, 1, Ints, Ints, spirv.OpSConvert, ""},
	SatConvertUToS: {"satutos", Convert, 1, Ints, Ints, spirv.OpSatConvertUToS, ""},
	SatConvertSToU: {"satstou", Convert, 1, Ints, Ints, spirv.OpSatConvertSToU, ""},
	FConvert:       {"fconvert", Convert, 1, Floats, Floats, spirv.OpFConvert, ""},
	ConvertFToU:    {"ftou", Convert, 1, Floats, Ints, spirv.OpConvertFToU, floatBig},
	ConvertFToS:    {"ftos", Convert, 1, Floats, Ints, spirv.OpConvertFToS, floatBig},
	ConvertUToF:    {"utof", Convert, 1, Ints, Floats, spirv.OpConvertUToF, ""},
	ConvertSToF:    {"stof", Convert, 1, Ints, Floats, spirv.OpConvertSToF, ""},
	QuantizeToF16:  {"quantize", Uniform, 1, Floats, 0, spirv.OpQuantizeToF16, ""},

	Repack:         {Name: "repack"},
	Lea:            {Name: "lea"},
	Load:           {Name: "load"},
	Store:          {Name: "store"},
	CopyMemory:     {Name: "copymem"},
	BitcastShuffle: {Name: "bitcastshuffle"},
	GenericCast:    {Name: "genericcast"},
	Elect:          {Name: "elect"},
	VoteAll:        {Name: "voteall"},
	VoteAny:        {Name: "voteany"},
	VoteEqual:      {Name: "voteequal"},
	Ballot:         {Name: "ballot"},
	InverseBallot:  {Name: "inverseballot"},
	BallotBit:      {Name: "ballotbit"},
	BallotCount:    {Name: "ballotcount"},
	BallotFirst:    {Name: "ballotfirst"},
	BallotLast:     {Name: "ballotlast"},
	Shuffle:        {Name: "shuffle"},
	ShuffleTwo:     {Name: "shuffletwo"},
	Combine:        {Name: "combine"},
	BlockRead:      {Name: "blockread"},
	BlockWrite:     {Name: "blockwrite"},
	Partition:      {Name: "partition"},
	GroupPut:       {Name: "groupput"},
	GroupTake:      {Name: "grouptake"},
	AsyncCopy:      {Name: "asynccopy"},
	Atomic:         {Name: "atomic"},
	Fence:          {Name: "fence"},
	Ext:            {Name: "ext"},
}
