package lower

import (
	"maps"

	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv"
)

type handler func(b *builder, in *spirv.Instruction)

// handlers has every instruction of a block that is not purely elementwise; those are found through the table of
// package lane. A new instruction is a row here or there, and its operation in the engine.
func handlers() map[spirv.Op]handler {
	table := map[spirv.Op]handler{
		spirv.OpNop:           nothing,
		spirv.OpUndef:         undef,
		spirv.OpLifetimeStart: nothing,
		spirv.OpLifetimeStop:  nothing,
		spirv.OpAssumeTrueKHR: nothing,
		spirv.OpExpectKHR:     forward,
		spirv.OpExtInst:       extInst,

		spirv.OpVariable:               (*builder).localVariable,
		spirv.OpLoad:                   (*builder).load,
		spirv.OpStore:                  (*builder).store,
		spirv.OpCopyMemory:             (*builder).copyMemory,
		spirv.OpCopyMemorySized:        (*builder).copyMemory,
		spirv.OpAccessChain:            (*builder).accessChain,
		spirv.OpInBoundsAccessChain:    (*builder).accessChain,
		spirv.OpPtrAccessChain:         (*builder).accessChain,
		spirv.OpInBoundsPtrAccessChain: (*builder).accessChain,
		spirv.OpArrayLength:            (*builder).arrayLength,
		spirv.OpPtrEqual:               pointerTest(lane.IEqual),
		spirv.OpPtrNotEqual:            pointerTest(lane.INotEqual),
		spirv.OpPtrDiff:                pointerDiff,

		spirv.OpFunctionCall: (*builder).call,
		spirv.OpPhi:          (*builder).phi,

		spirv.OpCopyObject:           copyObject,
		spirv.OpCopyLogical:          forward,
		spirv.OpCompositeConstruct:   compositeConstruct,
		spirv.OpCompositeExtract:     compositeExtract,
		spirv.OpCompositeInsert:      compositeInsert,
		spirv.OpVectorExtractDynamic: vectorExtractDynamic,
		spirv.OpVectorInsertDynamic:  vectorInsertDynamic,
		spirv.OpVectorShuffle:        vectorShuffle,
		spirv.OpTranspose:            transpose,

		spirv.OpShiftLeftLogical:     shift,
		spirv.OpShiftRightLogical:    shift,
		spirv.OpShiftRightArithmetic: shift,
		spirv.OpBitFieldInsert:       bitField(lane.BitFieldInsert),
		spirv.OpBitFieldSExtract:     bitField(lane.BitFieldSExtract),
		spirv.OpBitFieldUExtract:     bitField(lane.BitFieldUExtract),
		spirv.OpBitCount:             bitCount,
		spirv.OpIAddCarry:            twoResults(lane.Add, lane.AddCarry),
		spirv.OpISubBorrow:           twoResults(lane.Sub, lane.SubBorrow),
		spirv.OpUMulExtended:         twoResults(lane.Mul, lane.UMulHi),
		spirv.OpSMulExtended:         twoResults(lane.Mul, lane.SMulHi),
		spirv.OpSelect:               selectOp,
		spirv.OpAny:                  anyAll(lane.LogicalOr),
		spirv.OpAll:                  anyAll(lane.LogicalAnd),
		spirv.OpLessOrGreater:        elementwiseAs(lane.FOrdNotEqual),
		spirv.OpDot:                  dot,
		spirv.OpVectorTimesScalar:    timesScalar,
		spirv.OpMatrixTimesScalar:    timesScalar,
		spirv.OpVectorTimesMatrix:    vectorTimesMatrix,
		spirv.OpMatrixTimesVector:    matrixTimesVector,
		spirv.OpMatrixTimesMatrix:    matrixTimesMatrix,
		spirv.OpOuterProduct:         outerProduct,

		spirv.OpBitcast:                  bitcast,
		spirv.OpConvertPtrToU:            convertPointer,
		spirv.OpConvertUToPtr:            convertPointer,
		spirv.OpPtrCastToGeneric:         forward,
		spirv.OpGenericCastToPtr:         forward,
		spirv.OpGenericCastToPtrExplicit: genericCastExplicit,
		spirv.OpSatConvertSToU:           conversion(lane.SatConvertSToU),
		spirv.OpSatConvertUToS:           conversion(lane.SatConvertUToS),
		spirv.OpUConvert:                 conversion(lane.UConvert),
		spirv.OpSConvert:                 conversion(lane.SConvert),
		spirv.OpFConvert:                 conversion(lane.FConvert),
		spirv.OpConvertFToU:              conversion(lane.ConvertFToU),
		spirv.OpConvertFToS:              conversion(lane.ConvertFToS),
		spirv.OpConvertUToF:              conversion(lane.ConvertUToF),
		spirv.OpConvertSToF:              conversion(lane.ConvertSToF),

		spirv.OpSubgroupBitcastShuffleINTEL: bitcastShuffle,
	}
	maps.Copy(table, groupHandlers())
	maps.Copy(table, atomicHandlers())
	return table
}

// inst lowers one instruction.
func (b *builder) inst(in *spirv.Instruction) {
	if h, ok := b.handlers[in.Op]; ok {
		h(b, in)
		return
	}
	if op, ok := lane.ElementwiseFor(in.Op); ok {
		elementwiseAs(op)(b, in)
		return
	}
	b.refuse("%v is not supported", in.Op)
}

func nothing(*builder, *spirv.Instruction) {}

// forward gives the result the operand's scalars.
func forward(b *builder, in *spirv.Instruction) {
	b.set(in, b.comps(spirv.ID(in.Words[2]))...)
}

// copyObject keeps what is known of a pointer.
func copyObject(b *builder, in *spirv.Instruction) {
	b.local[spirv.ID(in.Words[1])] = b.get(spirv.ID(in.Words[2]))
}

func undef(b *builder, in *spirv.Instruction) {
	var comps []lane.Value
	for _, k := range b.flat(b.resultType(in)) {
		comps = append(comps, b.constant(k, 0))
	}
	b.set(in, comps...)
}
