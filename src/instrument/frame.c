/* See frame.h. */
#include "instrument/frame.h"

#include "instrument/access_hooks.h"
#include "instrument/assembly.h"
#include "instrument/callee.h"
#include "instrument/emit.h"
#include "instrument/lend.h"
#include "instrument/memory_calls.h"
#include "instrument/name.h"
#include "effects/job_functions.h"

#include <string.h>

#define ARGUMENTS_MAX 6

static bool is_setjmp(LLVMValueRef call)
{
	static const char *const names[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "llvm.eh.sjlj.setjmp"};
	LLVMValueRef callee = norn_shim_callee(call);
	if (!callee)
		return false;
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_call(LLVMValueRef instruction)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
	return opcode == LLVMCall || opcode == LLVMInvoke;
}

/* The first argument's target, named as an access to it would be: the name of a lock. For norn_set: the text, if it is a
 * constant. */
static uint32_t lent_object(struct norn_pass *pass, LLVMValueRef call, const char *callee)
{
	LLVMValueRef argument = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
	if (!argument || LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMPointerTypeKind)
		return 0;
	if (strcmp(callee, "norn_set") == 0) {
		size_t length;
		const char *text = norn_name_constant(argument, &length);
		return text ? norn_site_builder_string(&pass->table, text, strnlen(text, length)) : 0;
	}
	struct norn_site object = {0};
	norn_name_range(pass, argument, 0, &object);
	return object.name;
}

void norn_frame_consider_call(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_callee callee = norn_callee_of(pass, call);
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && !callee.announced) {
		if (!norn_access_consider_assembly(pass, call))
			norn_lend_consider(pass, call);
		return;
	}
	if (callee.intrinsic ? !callee.announced : callee.known == NORN_CALLEE_PURE && norn_shim_is_pure_call(call))
		return;
	size_t length = 0;
	const char *name = callee.function ? LLVMGetValueName2(callee.function, &length) : "";
	if (strncmp(name, "__norn_", 7) == 0)
		return;
	norn_memory_consider_byval(pass, call);
	norn_lend_consider(pass, call);
	struct norn_site site = norn_pass_site(pass, call, NORN_SITE_CALL);
	if (callee.function)
		site.name = norn_name_function(pass, callee.function);
	else if (!callee.intrinsic)
		site.flags |= NORN_SITE_INDIRECT;
	norn_name_result(pass, callee.function, LLVMTypeOf(call), &site);
	site.field = callee.intrinsic ? 0 : lent_object(pass, call, name);
	norn_pass_add(pass, call, NORN_ACT_CALL, callee.announced, &site);
}

void norn_frame_consider_goto(struct norn_pass *pass, LLVMValueRef assembly)
{
	struct norn_assembly a = norn_assembly_of(pass, assembly);
	if (a.kind == NORN_ASSEMBLY_HARMLESS || (a.kind == NORN_ASSEMBLY_OPERANDS_ONLY && a.count == 0))
		return;
	struct norn_site site = norn_pass_site(pass, assembly, NORN_SITE_CALL);
	norn_pass_add(pass, assembly, NORN_ACT_CALL, true, &site);
}

/* Code that may do anything, and comes back at once. */
static void emit_unknown(struct norn_pass *pass, LLVMValueRef place, const struct norn_point *point)
{
	norn_emit_at(pass, place, point->instruction);
	LLVMValueRef site = norn_emit_site(pass, point->site), call[] = {LLVMConstPointerNull(pass->pointer), site};
	LLVMValueRef back[] = {norn_emit_hook(pass, NORN_HOOK_CALL, call, 2), site};
	norn_emit_hook(pass, NORN_HOOK_RETURN, back, 2);
}

/* It may go on at any of its labels: it is told of before it, and there. */
static void rewrite_goto(struct norn_pass *pass, const struct norn_point *point)
{
	emit_unknown(pass, point->instruction, point);
	for (unsigned i = 0, n = LLVMGetNumSuccessors(point->instruction); i < n; i++) {
		LLVMValueRef place = norn_shim_first_insertion(LLVMGetSuccessor(point->instruction, i));
		if (place)
			emit_unknown(pass, place, point);
	}
}

/* To where the call comes back; false: there is no such place. */
static bool emit_at_return(struct norn_pass *pass, LLVMValueRef call)
{
	if (LLVMIsAInvokeInst(call)) {
		LLVMValueRef place = norn_shim_split_normal(call);
		if (place)
			norn_emit_at(pass, place, call);
		return place;
	}
	if (LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail || LLVMIsAUnreachableInst(LLVMGetNextInstruction(call)))
		return false;
	norn_emit_after(pass, call);
	return true;
}

/* What it looks at is told after the call, what it changes before it. */
static void add_resources(struct norn_pass *pass, const struct norn_point *point)
{
	struct norn_callee callee = norn_callee_of(pass, point->instruction);
	LLVMValueRef changes = norn_emit_int(pass, pass->i32, callee.changes), site = norn_emit_site(pass, point->site);
	LLVMValueRef before[] = {changes, norn_emit_int(pass, pass->i32, callee.looks != 0), site};
	if (callee.changes)
		norn_emit_hook(pass, NORN_HOOK_CHANGES, before, 3);
	if (!callee.looks || !emit_at_return(pass, point->instruction))
		return;
	LLVMValueRef after[] = {
	        norn_emit_int(pass, pass->i32, (callee.looks & ~callee.changes) | (callee.sizes ? 1u << 31 : 0)), changes, site};
	norn_emit_hook(pass, NORN_HOOK_LOOKED, after, 3);
}

/* The program has other threads run a function of its own, by a library that is known. */
static void announce_jobs(struct norn_pass *pass, LLVMValueRef call, LLVMValueRef callee, uint32_t site)
{
	size_t length;
	const struct norn_job_function *known = callee ? norn_job_function_find(LLVMGetValueName2(callee, &length)) : NULL;
	int count = (int)LLVMGetNumArgOperands(call);
	if (!known || known->job >= count || known->limit >= count)
		return;
	LLVMValueRef job = LLVMConstPointerNull(pass->pointer), limit = norn_emit_int(pass, pass->i64, 0);
	if (known->job != NORN_JOB_NONE &&
	        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, (unsigned)known->job))) == LLVMPointerTypeKind)
		job = LLVMGetOperand(call, (unsigned)known->job);
	if (known->limit != NORN_JOB_NONE &&
	        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, (unsigned)known->limit))) == LLVMIntegerTypeKind)
		limit = LLVMBuildSExtOrBitCast(pass->builder, LLVMGetOperand(call, (unsigned)known->limit), pass->i64, "");
	uint32_t flags = (known->submits ? NORN_CALL_HANDS_OVER : 0) | (known->begins ? NORN_CALL_BEGINS : 0);
	LLVMValueRef number = LLVMBuildOr(pass->builder, norn_emit_site(pass, site), norn_emit_int(pass, pass->i32, flags), "");
	LLVMValueRef arguments[] = {job, limit, number};
	norn_emit_hook(pass, NORN_HOOK_JOBS, arguments, 3);
}

/* A function that is a library's by its name alone. */
static void add_named(struct norn_pass *pass, LLVMValueRef call)
{
	LLVMValueRef target = LLVMGetCalledValue(call);
	if (!norn_callee_of(pass, call).named || LLVMIsAGlobalIFunc(target))
		return;
	norn_emit_hook(pass, NORN_HOOK_NAMED, &target, 1);
	if (emit_at_return(pass, call))
		norn_emit_hook(pass, NORN_HOOK_NAMED, &target, 1);
}

void norn_frame_rewrite_call(struct norn_pass *pass, const struct norn_point *point)
{
	norn_emit_before(pass, point->instruction);
	norn_emit_call_site(pass, point->site);
	if (pass->level < NORN_INSTRUMENT_LEVEL_SHARED)
		return;
	if (LLVMGetInstructionOpcode(point->instruction) == LLVMCallBr) {
		rewrite_goto(pass, point);
		return;
	}
	add_resources(pass, point);
	norn_emit_before(pass, point->instruction);
	LLVMValueRef target = LLVMGetCalledValue(point->instruction), callee = norn_shim_callee(point->instruction);
	announce_jobs(pass, point->instruction, callee, point->site);
	if (!point->operand) {
		add_named(pass, point->instruction);
		return;
	}
	size_t length;
	/* (ThinLTO does not bear that functions refer to an ifunc.) */
	if (LLVMIsAInlineAsm(target) || LLVMIsAGlobalIFunc(target) ||
	        (callee && strncmp(LLVMGetValueName2(callee, &length), "llvm.", 5) == 0))
		target = LLVMConstPointerNull(pass->pointer);
	LLVMValueRef arguments[] = {target, norn_emit_site(pass, point->site)};
	LLVMValueRef token = norn_emit_hook(pass, NORN_HOOK_CALL, arguments, 2);
	/* Code that may have waited for others comes back. */
	LLVMValueRef back[] = {token, norn_emit_site(pass, point->site)};
	if (emit_at_return(pass, point->instruction))
		norn_emit_hook(pass, NORN_HOOK_RETURN, back, 2);
}

struct norn_site norn_frame_site(struct norn_pass *pass)
{
	struct norn_site site = {.kind = NORN_SITE_ENTER};
	site.name = site.function = norn_name_function(pass, pass->function);
	if (pass->subprogram) {
		site.file = norn_name_file(pass, pass->subprogram);
		site.line = LLVMDISubprogramGetLine(pass->subprogram);
	}
	norn_name_result(pass, pass->function, LLVMGetReturnType(LLVMGlobalGetValueType(pass->function)), &site);
	return site;
}

/* A bit for each that is told. */
static uint8_t log_arguments(struct norn_pass *pass)
{
	uint8_t told = 0;
	unsigned position = 0, struct_return = LLVMGetEnumAttributeKindForName("sret", 4);
	unsigned count = LLVMCountParams(pass->function);
	for (unsigned i = 0; i < count && position < ARGUMENTS_MAX; i++) {
		LLVMValueRef argument = LLVMGetParam(pass->function, i);
		if (LLVMGetEnumAttributeAtIndex(pass->function, i + 1, struct_return))
			continue;
		int known = norn_shim_parameter(argument);
		if (known >= 0)
			position = known;
		unsigned index = position++;
		if (index >= ARGUMENTS_MAX || norn_shim_is_byval(argument) || norn_shim_is_swifterror(argument))
			continue;
		if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMVectorTypeKind)
			continue;
		if (!LLVMGetFirstUse(argument)) /* the optimiser lets callers pass anything */
			continue;
		LLVMValueRef value = norn_access_integer(pass, argument, 8);
		LLVMValueRef arguments[] = {norn_emit_int(pass, pass->i32, index), value};
		if (value) {
			norn_emit_hook(pass, NORN_HOOK_ARGUMENT, arguments, 2);
			told |= (uint8_t)(1u << index);
		}
	}
	return told;
}

static void log_result(struct norn_pass *pass, LLVMValueRef result)
{
	if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVectorTypeKind)
		return;
	LLVMValueRef value = norn_access_integer(pass, result, 8);
	if (value)
		norn_emit_hook(pass, NORN_HOOK_RESULT, &value, 1);
}

/* The musttail call that this return ends, or NULL. */
static LLVMValueRef musttail_before(LLVMValueRef instruction)
{
	LLVMValueRef at = LLVMGetPreviousInstruction(instruction);
	if (at && LLVMIsABitCastInst(at))
		at = LLVMGetPreviousInstruction(at);
	return at && LLVMIsACallInst(at) && LLVMGetTailCallKind(at) == LLVMTailCallKindMustTail ? at : NULL;
}

static void leave(struct norn_pass *pass, LLVMValueRef instruction)
{
	LLVMValueRef tail = musttail_before(instruction);
	norn_emit_before(pass, tail ? tail : instruction);
	if (!tail && pass->values && LLVMGetNumOperands(instruction) == 1)
		log_result(pass, LLVMGetOperand(instruction, 0));
	LLVMValueRef site = norn_emit_site(pass, pass->entry);
	norn_emit_hook(pass, NORN_HOOK_LEAVE, &site, 1);
}

/* home: where the depth is kept if setjmp is called, else NULL. */
static void unwind(struct norn_pass *pass, LLVMValueRef before, LLVMValueRef depth, LLVMValueRef home)
{
	norn_emit_before(pass, before);
	if (home) {
		depth = LLVMBuildLoad2(pass->builder, pass->i32, home, "");
		LLVMSetVolatile(depth, true);
	}
	norn_emit_hook(pass, NORN_HOOK_UNWIND, &depth, 1);
}

/* After setjmp's first return there is nothing to leave. */
static void unwind_setjmp(struct norn_pass *pass, LLVMValueRef call, LLVMValueRef home)
{
	norn_emit_before(
	        pass, LLVMIsAInvokeInst(call) ? norn_shim_first_insertion(LLVMGetNormalDest(call)) : LLVMGetNextInstruction(call));
	LLVMValueRef depth = LLVMBuildLoad2(pass->builder, pass->i32, home, "");
	LLVMSetVolatile(depth, true);
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(call));
	LLVMValueRef first = LLVMBuildICmp(pass->builder, LLVMIntEQ, call, zero, "");
	depth = LLVMBuildSelect(pass->builder, first, norn_emit_int(pass, pass->i32, UINT32_MAX), depth, "");
	norn_emit_hook(pass, NORN_HOOK_UNWIND, &depth, 1);
}

static void add_exits(struct norn_pass *pass, LLVMBasicBlockRef block, LLVMValueRef depth, LLVMValueRef home)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (LLVMIsAReturnInst(i))
			leave(pass, i);
		else if (LLVMIsALandingPadInst(i))
			unwind(pass, norn_shim_first_insertion(block), depth, home);
		else if (home && is_call(i) && is_setjmp(i))
			unwind_setjmp(pass, i, home);
	}
}

bool norn_frame_calls_setjmp(LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_call(i) && is_setjmp(i))
				return true;
	return false;
}

void norn_frame_add(struct norn_pass *pass)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(pass->function);
	LLVMValueRef home = NULL, first = LLVMGetFirstInstruction(entry);
	if (norn_frame_calls_setjmp(pass->function)) {
		norn_emit_before(pass, first);
		home = LLVMBuildAlloca(pass->builder, pass->i32, "");
	}
	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	norn_emit_before(pass, first);
	LLVMSetCurrentDebugLocation2(pass->builder,
	        pass->subprogram ? LLVMDIBuilderCreateDebugLocation(pass->context, 0, 0, pass->subprogram, NULL) : NULL);
	LLVMValueRef site = norn_emit_site(pass, pass->entry);
	LLVMValueRef depth = norn_emit_hook(pass, NORN_HOOK_ENTER, &site, 1);
	if (home)
		LLVMSetVolatile(LLVMBuildStore(pass->builder, depth, home), true);
	if (pass->values)
		pass->table.sites[pass->entry].order_failure = log_arguments(pass);
	for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
		add_exits(pass, b, depth, home);
}
