/* See inline.h. */
#include "instrument/inline.h"

#include "instrument/access.h"
#include "instrument/emit.h"
#include "instrument/inline_layout.h"
#include "instrument/only.h"
#include "instrument/wide.h"

#include <string.h>

#define WORD 8u

bool norn_inline_takes(struct norn_pass *pass, LLVMTypeRef type)
{
	return pass->only && norn_only_all() && (norn_access_is_scalar(pass, type) || norn_wide_takes(pass, type));
}

static LLVMValueRef number(struct norn_pass *pass, uint64_t value)
{
	return norn_emit_int(pass, pass->i64, value);
}

/* A variable of the library. */
static LLVMValueRef variable(struct norn_pass *pass, const char *name, unsigned bytes, LLVMThreadLocalMode mode)
{
	LLVMValueRef variable = LLVMGetNamedGlobal(pass->module, name);
	if (!variable) {
		variable = LLVMAddGlobal(pass->module, LLVMArrayType2(pass->i8, bytes), name);
		LLVMSetThreadLocalMode(variable, mode);
		LLVMSetAlignment(variable, WORD);
	}
	return variable;
}

static LLVMValueRef load_at(struct norn_pass *pass, LLVMValueRef variable, LLVMTypeRef type, unsigned offset)
{
	LLVMValueRef at = number(pass, offset);
	return LLVMBuildLoad2(pass->builder, type, LLVMBuildGEP2(pass->builder, pass->i8, variable, &at, 1, ""), "");
}

/* Of the caller's glance. */
static LLVMValueRef field(struct norn_pass *pass, LLVMTypeRef type, unsigned offset)
{
	return load_at(pass, variable(pass, "__norn_glance", NORN_INLINE_GLANCE_BYTES, LLVMInitialExecTLSModel), type, offset);
}

/* Once per function: they change before the program begins, or never. The mask comes first, as glance.h asks. */
static void find_words(struct norn_pass *pass)
{
	if (pass->words_mask)
		return;
	LLVMValueRef words = variable(pass, "__norn_words", NORN_INLINE_WORDS_BYTES, LLVMNotThreadLocal);
	norn_emit_before(pass, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(pass->function)));
	pass->words_mask = load_at(pass, words, pass->i64, NORN_INLINE_MASK);
	LLVMSetVolatile(pass->words_mask, true);
	pass->words_base = load_at(pass, words, pass->i64, NORN_INLINE_BASE);
	LLVMSetVolatile(pass->words_base, true);
}

/* By one load, after what comes before it and before what comes after it. */
static LLVMValueRef load_word(struct norn_pass *pass, LLVMValueRef address)
{
	LLVMValueRef offset = LLVMBuildAnd(pass->builder, address, pass->words_mask, "");
	LLVMValueRef place = LLVMBuildAdd(pass->builder, offset, pass->words_base, "");
	LLVMValueRef word =
	        LLVMBuildLoad2(pass->builder, pass->i64, LLVMBuildIntToPtr(pass->builder, place, pass->pointer, ""), "");
	LLVMSetVolatile(word, true);
	LLVMSetAlignment(word, WORD);
	return word;
}

/* Which of the bits that tell of bytes matter to this access. */
static LLVMValueRef bytes_bits(struct norn_pass *pass, LLVMValueRef address, uint64_t bytes)
{
	if (bytes >= WORD)
		return number(pass, NORN_INLINE_OTHERS);
	LLVMValueRef first = LLVMBuildAnd(pass->builder, address, number(pass, WORD - 1), "");
	uint64_t all = ((UINT64_C(1) << bytes) - 1) << NORN_INLINE_OTHERS_SHIFT;
	return LLVMBuildShl(pass->builder, number(pass, all), first, "");
}

static LLVMValueRef familiar(struct norn_pass *pass, LLVMValueRef table, LLVMValueRef index)
{
	LLVMValueRef at = LLVMBuildGEP2(pass->builder, pass->i8, table, &index, 1, "");
	return LLVMBuildLoad2(pass->builder, pass->i8, at, "");
}

/* Not zero if a read of the word may change something. */
static LLVMValueRef read_matters(struct norn_pass *pass, LLVMValueRef address, uint64_t bytes)
{
	LLVMBuilderRef b = pass->builder;
	LLVMValueRef word = load_word(pass, address), bits = bytes_bits(pass, address, bytes);
	LLVMValueRef flags = number(pass, NORN_INLINE_FLAGS & ~(NORN_INLINE_OTHERS | NORN_INLINE_REST));
	LLVMValueRef bad = LLVMBuildAnd(b, word, LLVMBuildOr(b, bits, flags, ""), "");
	LLVMValueRef table = field(pass, pass->pointer, NORN_INLINE_FAMILIAR);
	LLVMValueRef access = LLVMBuildLShr(b, word, number(pass, NORN_INLINE_ACCESS_SHIFT), "");
	LLVMValueRef low = LLVMBuildAnd(b, word, number(pass, UINT32_MAX), "");
	LLVMValueRef write = LLVMBuildLShr(b, low, number(pass, NORN_INLINE_WRITE_SHIFT), "");
	write = LLVMBuildAdd(b, write, number(pass, NORN_INLINE_KNOWN), "");
	LLVMValueRef known = LLVMBuildAnd(b, familiar(pass, table, access), familiar(pass, table, write), "");
	LLVMValueRef unknown = LLVMBuildXor(b, known, norn_emit_int(pass, pass->i8, 1), "");
	return LLVMBuildOr(b, bad, LLVMBuildZExt(b, unknown, pass->i64, ""), "");
}

static LLVMValueRef write_matters(struct norn_pass *pass, LLVMValueRef address, uint64_t bytes)
{
	LLVMBuilderRef b = pass->builder;
	LLVMValueRef now = field(pass, pass->i64, NORN_INLINE_NOW);
	LLVMValueRef differs = LLVMBuildXor(b, load_word(pass, address), now, "");
	if (bytes >= WORD)
		return differs;
	LLVMValueRef rest = number(pass, ~(uint64_t)(NORN_INLINE_OTHERS | NORN_INLINE_REST));
	return LLVMBuildAnd(b, differs, LLVMBuildOr(b, bytes_bits(pass, address, bytes), rest, ""), "");
}

/* Whether the access may change something, or is not aligned. */
static LLVMValueRef matters(struct norn_pass *pass, LLVMValueRef pointer, uint64_t bytes, unsigned align, bool writes)
{
	LLVMBuilderRef b = pass->builder;
	LLVMValueRef address = LLVMBuildPtrToInt(b, pointer, pass->i64, ""), all = NULL;
	unsigned unit = bytes < WORD ? (unsigned)bytes : WORD;
	for (uint64_t at = 0; at < bytes; at += WORD) {
		LLVMValueRef part = at ? LLVMBuildAdd(b, address, number(pass, at), "") : address;
		LLVMValueRef one = writes ? write_matters(pass, part, bytes) : read_matters(pass, part, bytes);
		all = all ? LLVMBuildOr(b, all, one, "") : one;
	}
	if (align < unit)
		all = LLVMBuildOr(b, all, LLVMBuildAnd(b, address, number(pass, unit - 1), ""), "");
	return LLVMBuildICmp(b, LLVMIntNE, all, number(pass, 0), "");
}

/* The block that the terminator ends is left for the rare case. */
static void expect_not(struct norn_pass *pass, LLVMValueRef branch)
{
	LLVMMetadataRef nodes[] = {LLVMMDStringInContext2(pass->context, "branch_weights", 14),
	        LLVMValueAsMetadata(norn_emit_int(pass, pass->i32, 1)), LLVMValueAsMetadata(norn_emit_int(pass, pass->i32, 2000))};
	LLVMValueRef node = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, nodes, 3));
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(pass->context, "prof", 4), node);
}

LLVMValueRef norn_inline_load(struct norn_pass *pass, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMBasicBlockRef head = LLVMGetInstructionParent(load);
	LLVMValueRef next = LLVMGetNextInstruction(load), copy = LLVMInstructionClone(load);
	find_words(pass);
	norn_emit_after(pass, load);
	LLVMValueRef condition =
	        matters(pass, LLVMGetOperand(load, 0), LLVMStoreSizeOfType(pass->layout, type), LLVMGetAlignment(load), false);
	LLVMSetVolatile(load, true); /* it comes before the look at its word */
	LLVMValueRef end = norn_shim_split_if(condition, next);
	expect_not(pass, LLVMGetBasicBlockTerminator(head));
	norn_emit_at(pass, end, load);
	LLVMInsertIntoBuilder(pass->builder, copy);
	norn_emit_at(pass, next, load);
	LLVMValueRef value = LLVMBuildPhi(pass->builder, type, "");
	LLVMReplaceAllUsesWith(load, value);
	LLVMValueRef values[] = {load, copy};
	LLVMBasicBlockRef blocks[] = {head, LLVMGetInstructionParent(end)};
	LLVMAddIncoming(value, values, blocks, 2);
	return copy;
}

LLVMValueRef norn_inline_store(struct norn_pass *pass, LLVMValueRef store)
{
	LLVMBasicBlockRef head = LLVMGetInstructionParent(store);
	LLVMValueRef copy = LLVMInstructionClone(store), again = LLVMInstructionClone(store), ends[2];
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	find_words(pass);
	norn_emit_before(pass, store);
	LLVMValueRef condition =
	        matters(pass, LLVMGetOperand(store, 1), LLVMStoreSizeOfType(pass->layout, type), LLVMGetAlignment(store), true);
	norn_shim_split_if_else(condition, store, ends);
	expect_not(pass, LLVMGetBasicBlockTerminator(head));
	norn_emit_at(pass, ends[0], store);
	LLVMInsertIntoBuilder(pass->builder, copy);
	norn_emit_at(pass, ends[1], store);
	LLVMInsertIntoBuilder(pass->builder, again);
	LLVMInstructionEraseFromParent(store);
	return copy;
}
