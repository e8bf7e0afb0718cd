/* See masked_vectors.h. */
#include "instrument/access/masked_vectors.h"

#include "instrument/access/access_hooks.h"
#include "instrument/emit.h"
#include "instrument/site/variable_name.h"
#include "instrument/access/escape_analysis.h"

#include <string.h>

/* Positions of the operands; -1: none. */
static const struct masked_vector {
	const char *name;
	int8_t pointer, mask, stored, passed; /* passed: what the lanes that are not loaded become */
} kinds[] = {
        {"llvm.masked.load.", 0, 2, -1, 3},
        {"llvm.masked.store.", 1, 3, 0, -1},
        {"llvm.masked.gather.", 0, 2, -1, 3},
        {"llvm.masked.scatter.", 1, 3, 0, -1},
};

static const struct masked_vector *find(LLVMValueRef call)
{
	LLVMValueRef callee = norn_shim_callee(call);
	if (!callee)
		return NULL;
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(name, kinds[i].name, strlen(kinds[i].name)) == 0)
			return kinds + i;
	return NULL;
}

bool norn_masked_operands(LLVMValueRef call, struct norn_masked_operands *ret_operands)
{
	const struct masked_vector *m = find(call);
	if (!m)
		return false;
	*ret_operands = (struct norn_masked_operands){
	        .pointer = LLVMGetOperand(call, m->pointer),
	        .mask = LLVMGetOperand(call, m->mask),
	        .stored = m->stored >= 0 ? LLVMGetOperand(call, m->stored) : NULL,
	        .passed = m->passed >= 0 ? LLVMGetOperand(call, m->passed) : NULL,
	};
	return true;
}

static LLVMTypeRef vector_type(LLVMValueRef call, const struct masked_vector *m)
{
	return m->stored >= 0 ? LLVMTypeOf(LLVMGetOperand(call, m->stored)) : LLVMTypeOf(call);
}

static bool is_vector(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

bool norn_masked_consider(struct norn_pass *pass, LLVMValueRef call)
{
	const struct masked_vector *m = find(call);
	if (!m)
		return false;
	LLVMTypeRef type = vector_type(call, m);
	LLVMValueRef pointer = LLVMGetOperand(call, m->pointer);
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || !(is_vector(pointer) || norn_may_be_shared(pass, pointer)))
		return true;
	LLVMTypeRef lane = LLVMGetElementType(type), lane_pointer = LLVMTypeOf(pointer);
	if (is_vector(pointer))
		lane_pointer = LLVMGetElementType(lane_pointer);
	/* Lanes that are packed tighter than their type's size (i1) have no address of their own. */
	if (LLVMSizeOfTypeInBits(pass->layout, lane) != LLVMABISizeOfType(pass->layout, lane) * 8 ||
	        LLVMGetPointerAddressSpace(lane_pointer) != 0 || !norn_access_reserve(pass, lane))
		return true;
	struct norn_site site = norn_pass_site(pass, call, m->stored >= 0 ? NORN_SITE_WRITE : NORN_SITE_READ);
	site.size = LLVMStoreSizeOfType(pass->layout, lane);
	norn_name_access(pass, pointer, lane, call, &site);
	norn_pass_add(pass, call, NORN_ACT_MASKED, 0, &site);
	return true;
}

/* The address of lane i, at the builder's place. */
static LLVMValueRef lane_address(struct norn_pass *pass, LLVMValueRef pointer, LLVMTypeRef lane, LLVMValueRef i)
{
	if (is_vector(pointer))
		return LLVMBuildExtractElement(pass->builder, pointer, i, "");
	return LLVMBuildGEP2(pass->builder, lane, pointer, &i, 1, "");
}

/* One lane, in a block of its own. result is what the lanes before made; gives what it is with this one. */
static LLVMValueRef rewrite_lane(
        struct norn_pass *pass, const struct norn_point *point, const struct masked_vector *m, LLVMValueRef result, unsigned number)
{
	LLVMValueRef call = point->instruction, i = norn_emit_int(pass, pass->i32, number);
	LLVMTypeRef lane = LLVMGetElementType(vector_type(call, m));
	norn_emit_before(pass, call);
	LLVMValueRef bit = LLVMBuildExtractElement(pass->builder, LLVMGetOperand(call, m->mask), i, "");
	if (LLVMIsAConstantInt(bit) && !LLVMConstIntGetZExtValue(bit))
		return result;
	LLVMBasicBlockRef head = LLVMGetInstructionParent(call);
	LLVMValueRef end = norn_shim_split_if(bit, call);
	norn_emit_at(pass, end, call);
	LLVMValueRef address = lane_address(pass, LLVMGetOperand(call, m->pointer), lane, i);
	if (m->stored >= 0) {
		LLVMValueRef value = LLVMBuildExtractElement(pass->builder, LLVMGetOperand(call, m->stored), i, "");
		norn_access_emit_write(pass, value, address, point->site);
		return NULL;
	}
	LLVMValueRef value = norn_access_emit_read(pass, lane, address, point->site);
	LLVMValueRef with = LLVMBuildInsertElement(pass->builder, result, value, i, "");
	norn_emit_before(pass, call);
	LLVMValueRef either = LLVMBuildPhi(pass->builder, LLVMTypeOf(result), ""), values[] = {result, with};
	LLVMBasicBlockRef blocks[] = {head, LLVMGetInstructionParent(end)};
	LLVMAddIncoming(either, values, blocks, 2);
	return either;
}

void norn_masked_rewrite(struct norn_pass *pass, const struct norn_point *point)
{
	LLVMValueRef call = point->instruction;
	const struct masked_vector *m = find(call);
	LLVMValueRef result = m->passed >= 0 ? LLVMGetOperand(call, m->passed) : NULL;
	unsigned lanes = LLVMGetVectorSize(vector_type(call, m));
	for (unsigned i = 0; i < lanes; i++)
		result = rewrite_lane(pass, point, m, result, i);
	if (result)
		LLVMReplaceAllUsesWith(call, result);
	LLVMInstructionEraseFromParent(call);
}
