/* See inline_check.h. */
#include "instrument/access/inline_check.h"

#include "instrument/access/access_hooks.h"
#include "instrument/emit.h"
#include "instrument/access/inline_check_layout.h"
#include "instrument/hook_filter.h"
#include "instrument/access/multiword.h"

#include <string.h>

#define WORD 8u
#define WORDS_MAX 8u /* of the widest access (multiword.c) */

bool norn_inline_check_takes(struct norn_pass *pass, LLVMTypeRef type)
{
	return pass->only && norn_hook_filter_all_accesses() &&
	       (norn_access_is_scalar(pass, type) || norn_multiword_takes(pass, type));
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

static void remember_seen(struct norn_pass *pass)
{
	LLVMValueRef knowledge_cache = variable(pass, "__norn_knowledge_cache", WORD, LLVMInitialExecTLSModel);
	LLVMBuildStore(pass->builder, LLVMBuildLoad2(pass->builder, pass->pointer, knowledge_cache, ""), pass->seen);
}

/* Once per function. The base of words changes before the program begins, or never; the mask comes first, as knowledge_cache.h
 * asks. The thread's table moves once it is watched, which a hook may have begun: so it is looked for again after each. */
static void begin(struct norn_pass *pass)
{
	if (pass->seen)
		return;
	LLVMValueRef words = variable(pass, "__norn_words", NORN_INLINE_WORDS_BYTES, LLVMNotThreadLocal);
	norn_emit_before(pass, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(pass->function)));
	pass->words_mask = load_at(pass, words, pass->i64, NORN_INLINE_MASK);
	LLVMSetVolatile(pass->words_mask, true);
	pass->words_base = load_at(pass, words, pass->i64, NORN_INLINE_BASE);
	LLVMSetVolatile(pass->words_base, true);
	pass->seen = LLVMBuildAlloca(pass->builder, pass->pointer, "");
	remember_seen(pass);
}

void norn_inline_check_finish(struct norn_pass *pass)
{
	if (pass->seen)
		norn_shim_promote(pass->seen);
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

/* The value of words that the access need not report. Loaded after the words themselves: see mttl/vector_ids.h. */
static LLVMValueRef load_seen(struct norn_pass *pass, LLVMValueRef address, unsigned bytes, bool writes, uint32_t site)
{
	LLVMBuilderRef b = pass->builder;
	unsigned entry = writes ? NORN_INLINE_SEEN_WRITE(bytes) : NORN_INLINE_SEEN_READ(bytes, site);
	LLVMValueRef at = number(pass, (uint64_t)entry * WORD), seen = LLVMBuildLoad2(b, pass->pointer, pass->seen, "");
	LLVMValueRef place = LLVMBuildGEP2(b, pass->i8, seen, &at, 1, "");
	if (bytes < WORD) {
		LLVMValueRef first = LLVMBuildAnd(b, address, number(pass, WORD - bytes), "");
		place = LLVMBuildGEP2(b, LLVMArrayType2(pass->i8, WORD / bytes), place, &first, 1, "");
	}
	LLVMValueRef load = LLVMBuildLoad2(b, pass->i64, place, "");
	LLVMSetVolatile(load, true);
	LLVMSetAlignment(load, WORD);
	return load;
}

/* True if the access may change something, or is not aligned. */
static LLVMValueRef matters(
        struct norn_pass *pass, LLVMValueRef pointer, uint64_t bytes, unsigned align, bool writes, uint32_t site)
{
	LLVMBuilderRef b = pass->builder;
	LLVMValueRef address = LLVMBuildPtrToInt(b, pointer, pass->i64, ""), words[WORDS_MAX], all = NULL;
	unsigned unit = bytes < WORD ? (unsigned)bytes : WORD, count = 0;
	for (uint64_t at = 0; at < bytes; at += WORD)
		words[count++] = load_word(pass, at ? LLVMBuildAdd(b, address, number(pass, at), "") : address);
	LLVMValueRef seen = load_seen(pass, address, unit, writes, site);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef differs = LLVMBuildXor(b, words[i], seen, "");
		all = all ? LLVMBuildOr(b, all, differs, "") : differs;
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

LLVMValueRef norn_inline_check_load(struct norn_pass *pass, LLVMValueRef load, uint32_t site)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMBasicBlockRef head = LLVMGetInstructionParent(load);
	LLVMValueRef next = LLVMGetNextInstruction(load), copy = LLVMInstructionClone(load);
	begin(pass);
	norn_emit_after(pass, load);
	LLVMValueRef condition = matters(
	        pass, LLVMGetOperand(load, 0), LLVMStoreSizeOfType(pass->layout, type), LLVMGetAlignment(load), false, site);
	LLVMSetVolatile(load, true); /* it comes before the look at its word */
	LLVMValueRef end = norn_shim_split_if(condition, next);
	expect_not(pass, LLVMGetBasicBlockTerminator(head));
	norn_emit_at(pass, end, load);
	LLVMInsertIntoBuilder(pass->builder, copy);
	remember_seen(pass);
	norn_emit_at(pass, next, load);
	LLVMValueRef value = LLVMBuildPhi(pass->builder, type, "");
	LLVMReplaceAllUsesWith(load, value);
	LLVMValueRef values[] = {load, copy};
	LLVMBasicBlockRef blocks[] = {head, LLVMGetInstructionParent(end)};
	LLVMAddIncoming(value, values, blocks, 2);
	return copy;
}

LLVMValueRef norn_inline_check_store(struct norn_pass *pass, LLVMValueRef store, uint32_t site)
{
	LLVMBasicBlockRef head = LLVMGetInstructionParent(store);
	LLVMValueRef copy = LLVMInstructionClone(store), again = LLVMInstructionClone(store), ends[2];
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
	begin(pass);
	norn_emit_before(pass, store);
	LLVMValueRef condition = matters(
	        pass, LLVMGetOperand(store, 1), LLVMStoreSizeOfType(pass->layout, type), LLVMGetAlignment(store), true, site);
	norn_shim_split_if_else(condition, store, ends);
	expect_not(pass, LLVMGetBasicBlockTerminator(head));
	norn_emit_at(pass, ends[0], store);
	LLVMInsertIntoBuilder(pass->builder, copy);
	remember_seen(pass);
	norn_emit_at(pass, ends[1], store);
	LLVMInsertIntoBuilder(pass->builder, again);
	LLVMInstructionEraseFromParent(store);
	return copy;
}
