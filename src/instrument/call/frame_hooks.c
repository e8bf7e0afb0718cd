/* See frame_hooks.h. */
#include "instrument/call/frame_hooks.h"

#include "instrument/access/access_hooks.h"
#include "instrument/access/inline_assembly.h"
#include "instrument/call/callee.h"
#include "instrument/emit.h"
#include "instrument/call/argument_memory.h"
#include "instrument/access/memory_calls.h"
#include "instrument/site/variable_name.h"
#include "effects/job_functions.h"
#include "trace/site.h"

#include <stdio.h>
#include <string.h>

#define ARGUMENTS_MAX 6
#define CALL_ROOM 3u /* runtime/interpose/known_calls.h: NORN_KNOWN_CALL_ROOM */
#define CALL_NAME_MAX 256
#define CALL_TEXT "norn.call."

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
static uint32_t passed_object(struct norn_pass *pass, LLVMValueRef call, const char *callee)
{
	LLVMValueRef argument = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
	if (!argument || LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMPointerTypeKind)
		return 0;
	if (strcmp(callee, "norn_set") == 0 || strcmp(callee, "__assert_fail") == 0 || strcmp(callee, "norn_assert_failed") == 0) {
		size_t length;
		const char *text = norn_name_constant(argument, &length);
		return text ? norn_site_builder_string(&pass->table, text, strnlen(text, length)) : 0;
	}
	struct norn_site object = {0};
	norn_name_range(pass, argument, 0, &object);
	return object.name;
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

/* ---- calls that are looked up when they are made ---- */

/* Through a pointer, or of a function that nothing is known of: a model may say what it does. */
static bool takes_arguments(LLVMValueRef call, const struct norn_callee *callee)
{
	bool tail = LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
	return callee->announced && !callee->intrinsic && !tail && !LLVMIsAGlobalIFunc(LLVMGetCalledValue(call));
}

static unsigned count_arguments(LLVMValueRef call)
{
	unsigned count = LLVMGetNumArgOperands(call);
	return count > NORN_CALLEE_TYPE_MAX - 8 ? 0 : count; /* as in its types */
}

static void reserve_arguments(struct norn_pass *pass, LLVMValueRef call)
{
	uint64_t room = (count_arguments(call) + (uint64_t)CALL_ROOM) * 8;
	pass->spill_bytes = room > pass->spill_bytes ? room : pass->spill_bytes;
	pass->spill_align = pass->spill_align < 8 ? 8 : pass->spill_align;
}

/* As a signed number; what is none, 0. */
static LLVMValueRef as_number(struct norn_pass *pass, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
		return LLVMBuildSExtOrBitCast(pass->builder, value, pass->i64, "");
	if (kind == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0)
		return LLVMBuildPtrToInt(pass->builder, value, pass->i64, "");
	return norn_emit_int(pass, pass->i64, 0);
}

/* Types and name of the callee, as runtime/interpose/known_calls.h wants them: one text for all calls that are alike. */
static LLVMValueRef describe_call(struct norn_pass *pass, LLVMValueRef call, LLVMValueRef callee, uint32_t site)
{
	char types[NORN_CALLEE_TYPE_MAX], symbol[NORN_CALLEE_TYPE_MAX + CALL_NAME_MAX + sizeof CALL_TEXT] = CALL_TEXT;
	char *text = symbol + strlen(CALL_TEXT);
	norn_callee_type(call, types);
	const char *name = callee ? pass->table.strings + pass->table.sites[site].name : "";
	snprintf(text, sizeof symbol - sizeof CALL_TEXT, callee ? "%s:%.*s" : "%s", types, CALL_NAME_MAX - 2, name);
	LLVMValueRef global = LLVMGetNamedGlobal(pass->module, symbol);
	if (!global) {
		global = LLVMBuildGlobalString(pass->builder, text, symbol);
		LLVMSetLinkage(global, LLVMPrivateLinkage);
	}
	return global;
}

static LLVMValueRef call_word(struct norn_pass *pass, unsigned number)
{
	LLVMValueRef index = norn_emit_int(pass, pass->i64, number);
	return LLVMBuildInBoundsGEP2(pass->builder, pass->i64, pass->spill, &index, 1, "");
}

static void call_with_arguments(struct norn_pass *pass, const struct norn_point *point, LLVMValueRef target, LLVMValueRef callee)
{
	LLVMValueRef call = point->instruction, site = norn_emit_site(pass, point->site);
	unsigned count = count_arguments(call);
	LLVMBuildStore(pass->builder, norn_emit_int(pass, pass->i64, count), pass->spill);
	for (unsigned i = 0; i < count; i++)
		LLVMBuildStore(pass->builder, as_number(pass, LLVMGetOperand(call, i)), call_word(pass, CALL_ROOM + i));
	LLVMValueRef text = describe_call(pass, call, callee, point->site), arguments = call_word(pass, CALL_ROOM);
	LLVMValueRef before[] = {target, site, text, arguments};
	LLVMValueRef token = norn_emit_hook(pass, NORN_HOOK_CALL_WITH, before, 4);
	if (!emit_at_return(pass, call))
		return;
	bool nothing = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind;
	LLVMValueRef result = nothing ? norn_emit_int(pass, pass->i64, 0) : as_number(pass, call);
	LLVMValueRef after[] = {token, norn_emit_site(pass, point->site), text, arguments, result};
	/* Most callees have hooks: then the token is 0, and there is nothing to say. */
	LLVMValueRef any = LLVMBuildICmp(pass->builder, LLVMIntNE, token, norn_emit_int(pass, pass->i32, 0), "");
	norn_emit_at(pass, norn_shim_split_if(any, LLVMGetNextInstruction(any)), call);
	norn_emit_hook(pass, NORN_HOOK_RETURN_WITH, after, 5);
}

static uint32_t assembly_name(struct norn_pass *pass)
{
	return norn_site_builder_string(&pass->table, NORN_SITE_ASSEMBLY, strlen(NORN_SITE_ASSEMBLY));
}

void norn_frame_consider_call(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_callee callee = norn_callee_of(pass, call);
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && !callee.announced) {
		if (!norn_access_consider_assembly(pass, call))
			norn_argument_memory_consider(pass, call);
		return;
	}
	if (callee.intrinsic ? !callee.announced : callee.known == NORN_CALLEE_PURE && norn_shim_is_pure_call(call))
		return;
	size_t length = 0;
	const char *name = callee.function ? LLVMGetValueName2(callee.function, &length) : "";
	if (strncmp(name, "__norn_", 7) == 0)
		return;
	norn_memory_consider_byval(pass, call);
	norn_argument_memory_consider(pass, call);
	struct norn_site site = norn_pass_site(pass, call, NORN_SITE_CALL);
	if (callee.function)
		norn_name_callee(pass, callee.function, &site);
	else if (!callee.intrinsic)
		site.flags |= NORN_SITE_INDIRECT;
	else
		site.name = assembly_name(pass);
	norn_name_result(pass, callee.function, LLVMTypeOf(call), &site);
	site.field = callee.intrinsic ? 0 : passed_object(pass, call, name);
	if (takes_arguments(call, &callee))
		reserve_arguments(pass, call);
	norn_pass_add(pass, call, NORN_ACT_CALL, callee.announced, &site);
}

void norn_frame_consider_goto(struct norn_pass *pass, LLVMValueRef assembly)
{
	struct norn_assembly a = norn_assembly_of(pass, assembly);
	if (a.kind == NORN_ASSEMBLY_OPAQUE) {
		struct norn_site site = norn_pass_site(pass, assembly, NORN_SITE_CALL);
		site.name = assembly_name(pass);
		norn_pass_add(pass, assembly, NORN_ACT_CALL, true, &site);
	} else if (!norn_access_consider_assembly(pass, assembly)) {
		norn_argument_memory_consider(pass, assembly);
	}
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

/* Objects of the call that are only looked at, or are changed. */
static void add_objects(struct norn_pass *pass, const struct norn_point *point, const struct norn_resource_events *r, bool changed,
        enum norn_object_use use)
{
	for (unsigned i = 0; i < r->object_count; i++) {
		if (r->objects[i].changes != changed)
			continue;
		LLVMValueRef arguments[] = {LLVMGetOperand(point->instruction, r->objects[i].argument),
		        norn_emit_int(pass, pass->i32, use), norn_emit_site(pass, point->site)};
		norn_emit_hook(pass, NORN_HOOK_OBJECT, arguments, 3);
	}
}

/* Its looks are logged after the call, and before it, too, if it changes anything; its changes before it, and after it, too, if it
 * looks at anything. Before the call its changes come first, after it its looks: so nothing that others change between the record
 * of a change and the call is seen by the call, but not by its first look (X7). */
static void add_resources(struct norn_pass *pass, const struct norn_point *point)
{
	struct norn_resource_events r = norn_callee_of(pass, point->instruction).resources;
	uint32_t looks = r.looks & ~r.changes;
	bool changes_any = norn_resource_events_change(&r);
	LLVMValueRef changes = norn_emit_int(pass, pass->i32, r.changes), site = norn_emit_site(pass, point->site);
	LLVMValueRef before[] = {changes, norn_emit_int(pass, pass->i32, r.reads ? looks << 1 | 1 : 0), site};
	add_objects(pass, point, &r, true, r.reads ? NORN_OBJECT_CHANGES : NORN_OBJECT_SETS);
	if (r.changes || (r.reads && changes_any && looks))
		norn_emit_hook(pass, NORN_HOOK_CHANGES, before, 3);
	if (r.reads && changes_any)
		add_objects(pass, point, &r, false, NORN_OBJECT_LOOKED);
	if (!r.reads || !emit_at_return(pass, point->instruction))
		return;
	add_objects(pass, point, &r, false, NORN_OBJECT_LOOKED);
	LLVMValueRef after[] = {norn_emit_int(pass, pass->i32, looks | (r.sizes ? 1u << 31 : 0)), changes, site};
	if (r.looks | r.changes)
		norn_emit_hook(pass, NORN_HOOK_LOOKED, after, 3);
	add_objects(pass, point, &r, true, NORN_OBJECT_CHANGED);
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

/* The runtime stands in for some functions where they are called: of the same type, and told where the function is. */
static void stand_in(struct norn_pass *pass, LLVMValueRef call)
{
	const struct norn_effects *e = LLVMIsACallBrInst(call) ? NULL : norn_callee_effects(call);
	if (!e || !(e->flags & NORN_EFFECTS_HOOKED_CALL))
		return;
	char name[128];
	snprintf(name, sizeof name, "__norn_%s", e->name);
	LLVMValueRef function = LLVMGetNamedFunction(pass->module, name);
	if (!function)
		function = LLVMAddFunction(pass->module, name, LLVMGetCalledFunctionType(call));
	norn_emit_before(pass, call);
	norn_emit_callee(pass, LLVMGetCalledValue(call));
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, function); /* the last one is the callee */
}

void norn_frame_rewrite_call(struct norn_pass *pass, const struct norn_point *point)
{
	norn_emit_before(pass, point->instruction);
	norn_emit_call_site(pass, point->site);
	if (pass->level < NORN_INSTRUMENT_LEVEL_SHARED) {
		stand_in(pass, point->instruction);
		return;
	}
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
		stand_in(pass, point->instruction);
		return;
	}
	size_t length;
	/* (ThinLTO does not bear that functions refer to an ifunc.) */
	if (LLVMIsAInlineAsm(target) || LLVMIsAGlobalIFunc(target) ||
	        (callee && strncmp(LLVMGetValueName2(callee, &length), "llvm.", 5) == 0))
		target = LLVMConstPointerNull(pass->pointer);
	struct norn_callee known = norn_callee_of(pass, point->instruction);
	if (takes_arguments(point->instruction, &known)) {
		call_with_arguments(pass, point, target, callee);
		return;
	}
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
	norn_name_callee(pass, pass->function, &site);
	site.function = site.name;
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
