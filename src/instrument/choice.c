#include "instrument/choice.h"

#include "instrument/share.h"

static bool may_write(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMStore:
	case LLVMCall:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
		return true;
	default:
		return false; /* what ends a block does not come before a select */
	}
}

/* True if the value is a read of memory that may be shared, used by the select alone, which can be moved to the select. */
static bool is_read_for(struct norn_pass *pass, LLVMValueRef select, LLVMValueRef value)
{
	LLVMUseRef use = LLVMGetFirstUse(value);
	if (!LLVMIsALoadInst(value) || LLVMGetVolatile(value) || LLVMGetOrdering(value) != LLVMAtomicOrderingNotAtomic ||
	        LLVMGetInstructionParent(value) != LLVMGetInstructionParent(select) || LLVMGetNextUse(use))
		return false;
	for (LLVMValueRef i = value; i != select; i = LLVMGetNextInstruction(i))
		if (may_write(i))
			return false;
	return norn_share_may(pass, LLVMGetOperand(value, 0));
}

static bool is_choice(struct norn_pass *pass, LLVMValueRef instruction)
{
	if (LLVMGetInstructionOpcode(instruction) != LLVMSelect ||
	        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, 0))) != LLVMIntegerTypeKind)
		return false;
	LLVMValueRef one = LLVMGetOperand(instruction, 1), other = LLVMGetOperand(instruction, 2);
	return one != other && (is_read_for(pass, instruction, one) || is_read_for(pass, instruction, other));
}

static void restore(struct norn_pass *pass, LLVMValueRef select)
{
	LLVMValueRef values[2] = {LLVMGetOperand(select, 1), LLVMGetOperand(select, 2)}, ends[2];
	bool moves[2] = {is_read_for(pass, select, values[0]), is_read_for(pass, select, values[1])};
	LLVMBasicBlockRef blocks[2];
	LLVMPositionBuilderBefore(pass->builder, select);
	LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(select));
	/* A choice by an undefined condition gives an undefined value; a branch by one would be an error. */
	LLVMValueRef condition = LLVMBuildFreeze(pass->builder, LLVMGetOperand(select, 0), "");
	norn_shim_split_if_else(condition, select, ends);
	for (unsigned i = 0; i < 2; i++) {
		blocks[i] = LLVMGetInstructionParent(ends[i]);
		if (!moves[i])
			continue;
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(values[i]);
		LLVMInstructionRemoveFromParent(values[i]);
		LLVMPositionBuilderBefore(pass->builder, ends[i]);
		LLVMSetCurrentDebugLocation2(pass->builder, location);
		LLVMInsertIntoBuilder(pass->builder, values[i]);
	}
	LLVMPositionBuilderBefore(pass->builder, LLVMGetFirstInstruction(LLVMGetInstructionParent(select)));
	LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(select));
	LLVMValueRef phi = LLVMBuildPhi(pass->builder, LLVMTypeOf(select), "");
	LLVMAddIncoming(phi, values, blocks, 2);
	LLVMReplaceAllUsesWith(select, phi);
	LLVMInstructionEraseFromParent(select);
}

void norn_choice_restore(struct norn_pass *pass)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(pass->function);
	while (b) {
		LLVMValueRef i = LLVMGetFirstInstruction(b);
		while (i && !is_choice(pass, i))
			i = LLVMGetNextInstruction(i);
		if (i)
			restore(pass, i); /* the rest of the block is the block after the two new ones */
		b = LLVMGetNextBasicBlock(b);
	}
}
