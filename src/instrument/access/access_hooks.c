/* See access_hooks.h. */
#include "instrument/access/access_hooks.h"

#include "instrument/access/inline_assembly.h"
#include "instrument/emit.h"
#include "instrument/access/inline_check.h"
#include "instrument/site/variable_name.h"
#include "instrument/access/escape_analysis.h"
#include "instrument/access/multiword.h"

#include <string.h>

static LLVMTypeRef accessed_type(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMStore:
		return LLVMTypeOf(LLVMGetOperand(instruction, 0));
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return LLVMTypeOf(LLVMGetOperand(instruction, 1));
	default:
		return LLVMTypeOf(instruction);
	}
}

static LLVMValueRef accessed_pointer(LLVMValueRef instruction)
{
	return LLVMGetOperand(instruction, LLVMGetInstructionOpcode(instruction) == LLVMStore ? 1 : 0);
}

static bool is_atomic(LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	return opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg ||
	       LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;
}

static bool is_scalable(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMScalableVectorTypeKind || kind == LLVMTargetExtTypeKind || kind == LLVMX86_AMXTypeKind ||
	       kind == LLVMTokenTypeKind || !LLVMTypeIsSized(type);
}

/* True if a value of this type can be cast to an integer of its own bits. */
static bool is_bits(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return true;
	case LLVMVectorTypeKind:
		return LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMPointerTypeKind;
	default:
		return false;
	}
}

bool norn_access_is_scalar(struct norn_pass *pass, LLVMTypeRef type)
{
	unsigned long long bytes = LLVMStoreSizeOfType(pass->layout, type);
	return is_bits(type) && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
}

static LLVMTypeRef integer_type(struct norn_pass *pass, unsigned bits)
{
	return LLVMIntTypeInContext(pass->context, bits);
}

LLVMValueRef norn_access_integer(struct norn_pass *pass, LLVMValueRef value, unsigned bytes)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	if (is_scalable(type) || !is_bits(type))
		return NULL;
	unsigned bits = LLVMSizeOfTypeInBits(pass->layout, type);
	if (bits > bytes * 8)
		return NULL;
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMPointerTypeKind)
		value = LLVMBuildPtrToInt(pass->builder, value, integer_type(pass, bits), "");
	else if (kind != LLVMIntegerTypeKind)
		value = LLVMBuildBitCast(pass->builder, value, integer_type(pass, bits), "");
	return bits < bytes * 8 ? LLVMBuildZExt(pass->builder, value, integer_type(pass, bytes * 8), "") : value;
}

/* The reverse: an integer that a hook returned as a value of the type that the program expects. */
static LLVMValueRef from_integer(struct norn_pass *pass, LLVMValueRef value, LLVMTypeRef type)
{
	unsigned bits = LLVMSizeOfTypeInBits(pass->layout, type);
	if (bits < LLVMGetIntTypeWidth(LLVMTypeOf(value)))
		value = LLVMBuildTrunc(pass->builder, value, integer_type(pass, bits), "");
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(pass->builder, value, type, "");
	return kind == LLVMIntegerTypeKind ? value : LLVMBuildBitCast(pass->builder, value, type, "");
}

uint8_t norn_access_order(LLVMAtomicOrdering ordering)
{
	switch (ordering) {
	case LLVMAtomicOrderingNotAtomic:
		return NORN_ORDER_NONE;
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic:
		return NORN_ORDER_RELAXED;
	case LLVMAtomicOrderingAcquire:
		return NORN_ORDER_ACQUIRE;
	case LLVMAtomicOrderingRelease:
		return NORN_ORDER_RELEASE;
	case LLVMAtomicOrderingAcquireRelease:
		return NORN_ORDER_ACQ_REL;
	default:
		return NORN_ORDER_SEQ_CST;
	}
}

bool norn_access_is_errno(LLVMValueRef pointer)
{
	LLVMValueRef callee = LLVMIsACallInst(pointer) ? norn_shim_callee(pointer) : NULL;
	size_t length;
	return callee && strcmp(LLVMGetValueName2(callee, &length), "__errno_location") == 0;
}

static struct norn_site describe(struct norn_pass *pass, LLVMValueRef instruction)
{
	static const uint8_t kinds[] = {
	        [LLVMLoad] = NORN_SITE_READ,
	        [LLVMStore] = NORN_SITE_WRITE,
	        [LLVMAtomicRMW] = NORN_SITE_RMW,
	        [LLVMAtomicCmpXchg] = NORN_SITE_CMPXCHG,
	};
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	LLVMTypeRef type = accessed_type(instruction);
	struct norn_site site = norn_pass_site(pass, instruction, kinds[opcode]);
	site.size = LLVMStoreSizeOfType(pass->layout, type);
	if (opcode == LLVMAtomicCmpXchg) {
		site.order = norn_access_order(LLVMGetCmpXchgSuccessOrdering(instruction));
		site.order_failure = norn_access_order(LLVMGetCmpXchgFailureOrdering(instruction));
	} else {
		site.order = norn_access_order(LLVMGetOrdering(instruction));
	}
	if (LLVMGetVolatile(instruction))
		site.flags |= NORN_SITE_VOLATILE;
	if (norn_access_is_errno(accessed_pointer(instruction)))
		site.flags |= NORN_SITE_ERRNO;
	norn_name_access(pass, accessed_pointer(instruction), type, instruction, &site);
	return site;
}

bool norn_access_reserve(struct norn_pass *pass, LLVMTypeRef type)
{
	if (is_scalable(type) || LLVMStoreSizeOfType(pass->layout, type) == 0)
		return false;
	if (norn_access_is_scalar(pass, type))
		return true;
	uint64_t room = LLVMABISizeOfType(pass->layout, type);
	uint32_t align = LLVMABIAlignmentOfType(pass->layout, type);
	pass->spill_bytes = room > pass->spill_bytes ? room : pass->spill_bytes;
	pass->spill_align = align > pass->spill_align ? align : pass->spill_align;
	return true;
}

void norn_access_consider(struct norn_pass *pass, LLVMValueRef instruction)
{
	LLVMTypeRef type = accessed_type(instruction);
	if (is_scalable(type) || norn_shim_is_vtable_access(instruction) ||
	        !norn_may_be_shared(pass, accessed_pointer(instruction)))
		return;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	bool atomic = is_atomic(instruction);
	enum norn_access_action action = opcode == LLVMLoad ? NORN_ACT_LOAD : NORN_ACT_STORE;
	if (opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg || (atomic && !norn_access_is_scalar(pass, type))) {
		if (LLVMStoreSizeOfType(pass->layout, type) > 16)
			return;
		action = NORN_ACT_ATOMIC;
	} else if (!norn_access_reserve(pass, type)) {
		return;
	}
	struct norn_site site = describe(pass, instruction);
	norn_pass_add(pass, instruction, action, 0, &site);
}

static enum norn_hook scalar_hook(enum norn_hook one, uint64_t bytes)
{
	return one + (bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3);
}

LLVMValueRef norn_access_emit_read(struct norn_pass *pass, LLVMTypeRef type, LLVMValueRef pointer, uint32_t site)
{
	uint64_t bytes = LLVMStoreSizeOfType(pass->layout, type);
	if (norn_access_is_scalar(pass, type)) {
		LLVMValueRef arguments[] = {pointer, norn_emit_site(pass, site)};
		return from_integer(pass, norn_emit_hook(pass, scalar_hook(NORN_HOOK_READ1, bytes), arguments, 2), type);
	}
	LLVMValueRef arguments[] = {pass->spill, pointer, norn_emit_int(pass, pass->i64, bytes), norn_emit_site(pass, site)};
	norn_emit_hook(pass, NORN_HOOK_READN, arguments, 4);
	return LLVMBuildLoad2(pass->builder, type, pass->spill, "");
}

void norn_access_emit_write(struct norn_pass *pass, LLVMValueRef value, LLVMValueRef pointer, uint32_t site)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	uint64_t bytes = LLVMStoreSizeOfType(pass->layout, type);
	if (norn_access_is_scalar(pass, type)) {
		LLVMValueRef arguments[] = {pointer, norn_access_integer(pass, value, bytes), norn_emit_site(pass, site)};
		norn_emit_hook(pass, scalar_hook(NORN_HOOK_WRITE1, bytes), arguments, 3);
		return;
	}
	LLVMBuildStore(pass->builder, value, pass->spill);
	LLVMValueRef arguments[] = {pointer, pass->spill, norn_emit_int(pass, pass->i64, bytes), norn_emit_site(pass, site)};
	norn_emit_hook(pass, NORN_HOOK_WRITEN, arguments, 4);
}

static void rewrite_load(struct norn_pass *pass, LLVMValueRef load, uint32_t site)
{
	if (norn_inline_check_takes(pass, LLVMTypeOf(load)))
		load = norn_inline_check_load(pass, load, site);
	if (norn_multiword_takes(pass, LLVMTypeOf(load))) {
		norn_multiword_rewrite_load(pass, load, site);
		return;
	}
	norn_emit_before(pass, load);
	LLVMReplaceAllUsesWith(load, norn_access_emit_read(pass, LLVMTypeOf(load), LLVMGetOperand(load, 0), site));
	LLVMInstructionEraseFromParent(load);
}

/* Constructors and destructors of C++ begin by storing which class the object is of, without the source saying so: a store of what
 * is there already is none, as others may call its virtual functions meanwhile. Returns the store where it is one. */
static LLVMValueRef rewrite_class(struct norn_pass *pass, LLVMValueRef store)
{
	LLVMValueRef class = LLVMGetOperand(store, 0), object = LLVMGetOperand(store, 1);
	norn_emit_before(pass, store);
	LLVMValueRef before = LLVMBuildLoad2(pass->builder, LLVMTypeOf(class), object, "");
	LLVMValueRef differs = LLVMBuildICmp(pass->builder, LLVMIntNE, before, class, "");
	norn_emit_at(pass, norn_shim_split_if(differs, store), store);
	LLVMValueRef rare = LLVMBuildStore(pass->builder, class, object);
	LLVMInstructionEraseFromParent(store);
	return rare;
}

static void rewrite_store(struct norn_pass *pass, LLVMValueRef store, uint32_t site)
{
	if (norn_shim_is_vtable(LLVMGetOperand(store, 0)) && !is_atomic(store))
		store = rewrite_class(pass, store);
	if (norn_inline_check_takes(pass, LLVMTypeOf(LLVMGetOperand(store, 0))))
		store = norn_inline_check_store(pass, store, site);
	if (norn_multiword_takes(pass, LLVMTypeOf(LLVMGetOperand(store, 0)))) {
		norn_multiword_rewrite_store(pass, store, site);
		return;
	}
	norn_emit_before(pass, store);
	norn_access_emit_write(pass, LLVMGetOperand(store, 0), LLVMGetOperand(store, 1), site);
	/* A recorded store orders what follows by itself (runtime/record/shadow.h); one that is not recorded does not. */
	if (LLVMGetOrdering(store) == LLVMAtomicOrderingSequentiallyConsistent)
		LLVMBuildFence(pass->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
	LLVMInstructionEraseFromParent(store);
}

/* Assembly that compares may not write: it is taken to have written what was there. */
static void rewrite_atomic(struct norn_pass *pass, LLVMValueRef instruction, uint32_t site, unsigned operand)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	bool assembly = opcode == LLVMCall || opcode == LLVMCallBr;
	uint64_t bytes = assembly ? pass->table.sites[site].size : LLVMStoreSizeOfType(pass->layout, accessed_type(instruction));
	LLVMValueRef pointer = assembly ? LLVMGetOperand(instruction, operand) : accessed_pointer(instruction);
	LLVMValueRef size = norn_emit_int(pass, pass->i32, bytes);
	norn_emit_before(pass, instruction);
	LLVMValueRef begin[] = {pointer, size, norn_emit_site(pass, site)};
	norn_emit_hook(pass, NORN_HOOK_RMW_BEGIN, begin, 3);
	for (unsigned i = 0, ways = norn_emit_ways_after(instruction); i < ways; i++) {
		norn_emit_way_after(pass, instruction, i);
		bool reads = opcode == LLVMLoad || (assembly && pass->table.sites[site].kind == NORN_SITE_READ);
		LLVMValueRef wrote = norn_emit_int(pass, pass->i32, !reads);
		if (opcode == LLVMAtomicCmpXchg) {
			LLVMValueRef success = LLVMBuildExtractValue(pass->builder, instruction, 1, "");
			wrote = LLVMBuildZExt(pass->builder, success, pass->i32, "");
		}
		LLVMValueRef end[] = {pointer, size, norn_emit_site(pass, site), wrote};
		norn_emit_hook(pass, NORN_HOOK_RMW_END, end, 4);
	}
}

bool norn_access_consider_assembly(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_assembly a = norn_assembly_of(pass, call);
	if (a.kind != NORN_ASSEMBLY_ATOMIC)
		return false;
	LLVMValueRef pointer = LLVMGetOperand(call, a.operands[0].argument);
	if (!norn_may_be_shared(pass, pointer))
		return true;
	bool reads = a.moves && a.operands[0].reads;
	/* (A store counts as a read-modify-write: it has the same hooks.) */
	struct norn_site site = norn_pass_site(pass, call, reads ? NORN_SITE_READ : a.compares ? NORN_SITE_CMPXCHG : NORN_SITE_RMW);
	norn_name_range(pass, pointer, a.operands[0].bytes, &site);
	site.size = a.operands[0].bytes;
	site.order = site.order_failure = NORN_ORDER_SEQ_CST;
	if (a.moves)
		site.order = site.order_failure = reads ? NORN_ORDER_ACQUIRE : NORN_ORDER_RELEASE;
	norn_pass_add(pass, call, NORN_ACT_ATOMIC, a.operands[0].argument, &site);
	return true;
}

void norn_access_rewrite(struct norn_pass *pass, const struct norn_point *point)
{
	switch (point->action) {
	case NORN_ACT_LOAD:
		rewrite_load(pass, point->instruction, point->site);
		break;
	case NORN_ACT_STORE:
		rewrite_store(pass, point->instruction, point->site);
		break;
	default:
		rewrite_atomic(pass, point->instruction, point->site, point->operand);
	}
}
