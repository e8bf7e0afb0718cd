#include "instrument/access/select_reads.h"

#include "instrument/access/escape_analysis.h"

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
		return false; /* a terminator does not come before a select */
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
	return norn_may_be_shared(pass, LLVMGetOperand(value, 0));
}

static LLVMValueRef select_of_address(LLVMValueRef load)
{
	LLVMValueRef address = LLVMIsALoadInst(load) ? LLVMGetOperand(load, 0) : NULL;
	return address && LLVMIsASelectInst(address) ? address : NULL;
}

static bool is_read_of_either(struct norn_pass *pass, LLVMValueRef instruction)
{
	return select_of_address(instruction) && !LLVMGetVolatile(instruction) &&
	       LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic &&
	       norn_may_be_shared(pass, LLVMGetOperand(instruction, 0));
}

static bool is_choice(struct norn_pass *pass, LLVMValueRef instruction)
{
	if (LLVMGetInstructionOpcode(instruction) != LLVMSelect ||
	        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, 0))) != LLVMIntegerTypeKind)
		return false;
	LLVMValueRef one = LLVMGetOperand(instruction, 1), other = LLVMGetOperand(instruction, 2);
	return one != other && (is_read_for(pass, instruction, one) || is_read_for(pass, instruction, other));
}

/* A block for either case before the instruction: their ends. */
static void split(struct norn_pass *pass, LLVMValueRef condition, LLVMValueRef before, LLVMValueRef ret_ends[2])
{
	LLVMPositionBuilderBefore(pass->builder, before);
	LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(before));
	/* A choice by an undefined condition gives an undefined value; a branch by one would be an error. */
	norn_shim_split_if_else(LLVMBuildFreeze(pass->builder, condition, ""), before, ret_ends);
}

/* Two values, of the blocks with these ends, in place of the instruction. */
static void replace(struct norn_pass *pass, LLVMValueRef instruction, LLVMValueRef values[2], LLVMValueRef ends[2])
{
	LLVMBasicBlockRef blocks[2] = {LLVMGetInstructionParent(ends[0]), LLVMGetInstructionParent(ends[1])};
	LLVMPositionBuilderBefore(pass->builder, LLVMGetFirstInstruction(LLVMGetInstructionParent(instruction)));
	LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(instruction));
	LLVMValueRef phi = LLVMBuildPhi(pass->builder, LLVMTypeOf(instruction), "");
	LLVMAddIncoming(phi, values, blocks, 2);
	LLVMReplaceAllUsesWith(instruction, phi);
	LLVMInstructionEraseFromParent(instruction);
}

static void put(struct norn_pass *pass, LLVMValueRef instruction, LLVMMetadataRef location, LLVMValueRef before)
{
	LLVMPositionBuilderBefore(pass->builder, before);
	LLVMSetCurrentDebugLocation2(pass->builder, location);
	LLVMInsertIntoBuilder(pass->builder, instruction);
}

static void restore(struct norn_pass *pass, LLVMValueRef select)
{
	LLVMValueRef values[2] = {LLVMGetOperand(select, 1), LLVMGetOperand(select, 2)}, ends[2];
	bool moves[2] = {is_read_for(pass, select, values[0]), is_read_for(pass, select, values[1])};
	split(pass, LLVMGetOperand(select, 0), select, ends);
	for (unsigned i = 0; i < 2; i++) {
		if (!moves[i])
			continue;
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(values[i]);
		LLVMInstructionRemoveFromParent(values[i]);
		put(pass, values[i], location, ends[i]);
	}
	replace(pass, select, values, ends);
}

static void restore_either(struct norn_pass *pass, LLVMValueRef load)
{
	LLVMValueRef select = select_of_address(load), values[2], ends[2];
	split(pass, LLVMGetOperand(select, 0), load, ends);
	for (unsigned i = 0; i < 2; i++) {
		values[i] = LLVMInstructionClone(load);
		LLVMSetOperand(values[i], 0, LLVMGetOperand(select, 1 + i));
		put(pass, values[i], LLVMInstructionGetDebugLoc(load), ends[i]);
	}
	replace(pass, load, values, ends);
	if (!LLVMGetFirstUse(select))
		LLVMInstructionEraseFromParent(select);
}

void norn_select_reads_restore(struct norn_pass *pass)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(pass->function);
	while (b) {
		LLVMValueRef i = LLVMGetFirstInstruction(b);
		while (i && !is_choice(pass, i) && !is_read_of_either(pass, i))
			i = LLVMGetNextInstruction(i);
		if (i) /* the rest of the block is the block after the two new ones */
			LLVMIsALoadInst(i) ? restore_either(pass, i) : restore(pass, i);
		b = LLVMGetNextBasicBlock(b);
	}
}
