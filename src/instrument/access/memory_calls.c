/* See memory_calls.h. */
#include "instrument/access/memory_calls.h"

#include "instrument/emit.h"
#include "instrument/site/variable_name.h"
#include "instrument/access/escape_analysis.h"

#include <string.h>

enum result { RESULT_NONE, RESULT_TO, RESULT_END };

/* Positions of the arguments of each function; -1: none. byte -2: zeros. */
static const struct range_function {
	const char *name;
	int8_t arguments, to, from, byte, bytes, check;
	uint8_t result;
} functions[] = {
        {"memcpy", 3, 0, 1, -1, 2, -1, RESULT_TO},
        {"memmove", 3, 0, 1, -1, 2, -1, RESULT_TO},
        {"mempcpy", 3, 0, 1, -1, 2, -1, RESULT_END},
        {"__mempcpy", 3, 0, 1, -1, 2, -1, RESULT_END},
        {"bcopy", 3, 1, 0, -1, 2, -1, RESULT_NONE},
        {"memset", 3, 0, -1, 1, 2, -1, RESULT_TO},
        {"bzero", 2, 0, -1, -2, 1, -1, RESULT_NONE},
        {"explicit_bzero", 2, 0, -1, -2, 1, -1, RESULT_NONE},
        {"__memcpy_chk", 4, 0, 1, -1, 2, 3, RESULT_TO},
        {"__memmove_chk", 4, 0, 1, -1, 2, 3, RESULT_TO},
        {"__mempcpy_chk", 4, 0, 1, -1, 2, 3, RESULT_END},
        {"__memset_chk", 4, 0, -1, 1, 2, 3, RESULT_TO},
        {"__explicit_bzero_chk", 3, 0, -1, -2, 1, 2, RESULT_NONE},
        /* intrinsics, whose names go on with their types; the last argument says whether they are volatile */
        {"llvm.memcpy.inline.", 4, 0, 1, -1, 2, -1, RESULT_NONE},
        {"llvm.memset.inline.", 4, 0, -1, 1, 2, -1, RESULT_NONE},
        {"llvm.memcpy.p", 4, 0, 1, -1, 2, -1, RESULT_NONE},
        {"llvm.memmove.p", 4, 0, 1, -1, 2, -1, RESULT_NONE},
        {"llvm.memset.p", 4, 0, -1, 1, 2, -1, RESULT_NONE},
};

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(LLVMTypeOf(value)) == 0;
}

static bool is_integer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
}

static bool check_passes(LLVMValueRef bytes, LLVMValueRef room)
{
	if (!LLVMIsAConstantInt(room))
		return false;
	uint64_t limit = LLVMConstIntGetZExtValue(room);
	return limit == UINT64_MAX || (LLVMIsAConstantInt(bytes) && LLVMConstIntGetZExtValue(bytes) <= limit);
}

static bool fits(LLVMValueRef call, const struct range_function *f)
{
	if ((int)LLVMGetNumArgOperands(call) != f->arguments || !is_pointer(LLVMGetOperand(call, f->to)))
		return false;
	if ((f->from >= 0 && !is_pointer(LLVMGetOperand(call, f->from))) || !is_integer(LLVMGetOperand(call, f->bytes)))
		return false;
	if (f->byte >= 0 && !is_integer(LLVMGetOperand(call, f->byte)))
		return false;
	if (f->result != RESULT_NONE && LLVMTypeOf(call) != LLVMTypeOf(LLVMGetOperand(call, f->to)))
		return false;
	return f->check < 0 || check_passes(LLVMGetOperand(call, f->bytes), LLVMGetOperand(call, f->check));
}

static const struct range_function *find(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMIsACallInst(call) ? norn_shim_callee(call) : NULL;
	if (!callee || !LLVMIsDeclaration(callee) || LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
		return NULL;
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const struct range_function *f = functions + i;
		bool intrinsic = strncmp(f->name, "llvm.", 5) == 0;
		if (intrinsic ? strncmp(name, f->name, strlen(f->name)) == 0 : strcmp(name, f->name) == 0)
			return fits(call, f) ? f : NULL;
	}
	return NULL;
}

bool norn_memory_operands(LLVMValueRef call, struct norn_memory_operands *ret_operands)
{
	const struct range_function *f = find(call);
	if (!f)
		return false;
	*ret_operands = (struct norn_memory_operands){
	        .to = LLVMGetOperand(call, f->to),
	        .from = f->from >= 0 ? LLVMGetOperand(call, f->from) : NULL,
	        .byte = f->byte >= 0 ? LLVMGetOperand(call, f->byte) : NULL,
	        .bytes = LLVMGetOperand(call, f->bytes),
	};
	return true;
}

static struct norn_site describe(
        struct norn_pass *pass, LLVMValueRef call, enum norn_site_kind kind, LLVMValueRef pointer, uint64_t bytes)
{
	struct norn_site site = norn_pass_site(pass, call, kind);
	site.size = bytes <= UINT32_MAX ? bytes : 0;
	norn_name_range(pass, pointer, bytes, &site);
	return site;
}

bool norn_memory_consider(struct norn_pass *pass, LLVMValueRef call)
{
	const struct range_function *f = find(call);
	if (!f)
		return false;
	LLVMValueRef to = LLVMGetOperand(call, f->to), from = f->from >= 0 ? LLVMGetOperand(call, f->from) : NULL;
	LLVMValueRef length = LLVMGetOperand(call, f->bytes);
	uint64_t bytes = LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : 0;
	bool writes = norn_may_be_shared(pass, to), reads = from && norn_may_be_shared(pass, from);
	if (!writes && !reads)
		return true;
	enum norn_site_kind kind = from ? NORN_SITE_COPY : NORN_SITE_SET;
	struct norn_site site = describe(pass, call, kind, writes ? to : from, bytes);
	enum norn_access_action action = !from             ? NORN_ACT_SET
	                                 : writes && reads ? NORN_ACT_COPY
	                                 : writes          ? NORN_ACT_COPY_OUT
	                                                   : NORN_ACT_COPY_IN;
	norn_pass_add(pass, call, action, 0, &site);
	return true;
}

void norn_memory_consider_byval(struct norn_pass *pass, LLVMValueRef call)
{
	unsigned count = LLVMGetNumArgOperands(call);
	for (unsigned i = 0; i < count && i < 256; i++) {
		LLVMValueRef argument = LLVMGetOperand(call, i);
		uint64_t bytes = norn_shim_byval_bytes(call, i);
		if (!bytes || !norn_may_be_shared(pass, argument))
			continue;
		struct norn_site site = describe(pass, call, NORN_SITE_BYVAL, argument, bytes);
		norn_pass_add(pass, call, NORN_ACT_BYVAL, i, &site);
	}
}

static LLVMValueRef as_integer(struct norn_pass *pass, LLVMValueRef value, LLVMTypeRef type)
{
	return LLVMBuildZExtOrBitCast(pass->builder, value, type, "");
}

static void rewrite_byval(struct norn_pass *pass, const struct norn_point *point)
{
	LLVMValueRef call = point->instruction;
	norn_emit_before(pass, call);
	LLVMValueRef arguments[] = {LLVMGetOperand(call, point->operand),
	        norn_emit_int(pass, pass->i64, norn_shim_byval_bytes(call, point->operand)), norn_emit_site(pass, point->site)};
	norn_emit_hook(pass, NORN_HOOK_TOUCH, arguments, 3);
}

static void replace(struct norn_pass *pass, LLVMValueRef call, const struct range_function *f, LLVMValueRef bytes)
{
	LLVMValueRef to = LLVMGetOperand(call, f->to);
	if (f->result == RESULT_TO)
		LLVMReplaceAllUsesWith(call, to);
	else if (f->result == RESULT_END)
		LLVMReplaceAllUsesWith(call, LLVMBuildGEP2(pass->builder, pass->i8, to, &bytes, 1, ""));
	LLVMInstructionEraseFromParent(call);
}

static void rewrite_range(struct norn_pass *pass, const struct norn_point *point)
{
	static const enum norn_hook copies[] = {
	        [NORN_ACT_COPY] = NORN_HOOK_COPY, [NORN_ACT_COPY_IN] = NORN_HOOK_READN, [NORN_ACT_COPY_OUT] = NORN_HOOK_WRITEN};
	LLVMValueRef call = point->instruction;
	const struct range_function *f = find(call);
	norn_emit_before(pass, call);
	LLVMValueRef to = LLVMGetOperand(call, f->to), bytes = as_integer(pass, LLVMGetOperand(call, f->bytes), pass->i64);
	LLVMValueRef site = norn_emit_site(pass, point->site);
	if (point->action == NORN_ACT_SET) {
		LLVMValueRef byte = norn_emit_int(pass, pass->i32, 0);
		if (f->byte >= 0)
			byte = as_integer(pass, LLVMGetOperand(call, f->byte), pass->i32);
		LLVMValueRef arguments[] = {to, byte, bytes, site};
		norn_emit_hook(pass, NORN_HOOK_SET, arguments, 4);
	} else {
		LLVMValueRef arguments[] = {to, LLVMGetOperand(call, f->from), bytes, site};
		norn_emit_hook(pass, copies[point->action], arguments, 4);
	}
	replace(pass, call, f, bytes);
}

void norn_memory_rewrite(struct norn_pass *pass, const struct norn_point *point)
{
	if (point->action == NORN_ACT_BYVAL)
		rewrite_byval(pass, point);
	else
		rewrite_range(pass, point);
}
