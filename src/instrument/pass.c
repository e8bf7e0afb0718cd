/* See pass.h. */
#include "instrument/pass.h"
#include "instrument/pass_memory.h"

#include "instrument/access/access_hooks.h"
#include "instrument/access/select_reads.h"
#include "instrument/emit.h"
#include "instrument/flow/fact.h"
#include "instrument/call/assert_functions.h"
#include "instrument/call/callee.h"
#include "instrument/call/frame_hooks.h"
#include "instrument/access/inline_check.h"
#include "instrument/preserve_source.h"
#include "instrument/call/argument_memory.h"
#include "instrument/access/masked_vectors.h"
#include "instrument/access/memory_calls.h"
#include "instrument/site/variable_name.h"
#include "instrument/hook_filter.h"

#include <stdlib.h>
#include <string.h>

#define DONE_MARK "norn.instrumented"

struct norn_site norn_pass_site(struct norn_pass *pass, LLVMValueRef instruction, enum norn_site_kind kind)
{
	struct norn_site site = {.kind = kind, .entry = pass->entry};
	norn_name_position(pass, instruction, &site);
	return site;
}

void norn_pass_add(struct norn_pass *pass, LLVMValueRef instruction, enum norn_access_action action, unsigned operand,
        const struct norn_site *site)
{
	if (pass->level < NORN_INSTRUMENT_LEVEL_SHARED && action != NORN_ACT_CALL)
		return;
	bool named = action == NORN_ACT_CALL || !pass->only ||
	             norn_hook_filter_access(pass->table.strings + site->name, site->flags & NORN_SITE_MEMBER);
	if (!named)
		return;
	if (pass->point_count == pass->point_room) {
		pass->point_room = pass->point_room * 2 + 256;
		pass->points = norn_pass_grow(pass->points, pass->point_room * sizeof *pass->points);
	}
	pass->points[pass->point_count++] =
	        (struct norn_point){instruction, norn_site_builder_site(&pass->table, site), action, operand};
}

/* A fence between a thread and its own signal handlers orders nothing between threads. */
static void consider_fence(struct norn_pass *pass, LLVMValueRef fence, LLVMAtomicOrdering ordering)
{
	struct norn_site site = norn_pass_site(pass, fence, NORN_SITE_FENCE);
	site.order = norn_access_order(ordering);
	norn_pass_add(pass, fence, NORN_ACT_FENCE, 0, &site);
}

static void consider_call(struct norn_pass *pass, LLVMValueRef call)
{
	if (norn_callee_is_fence(call)) /* C does not say what the processor's fences order: taken for all that a fence can */
		consider_fence(pass, call, LLVMAtomicOrderingSequentiallyConsistent);
	if (!norn_memory_consider(pass, call) && !norn_masked_consider(pass, call))
		norn_frame_consider_call(pass, call);
}

static void rewrite_fence(struct norn_pass *pass, const struct norn_point *point)
{
	norn_emit_before(pass, point->instruction);
	LLVMValueRef arguments[] = {norn_emit_site(pass, point->site)};
	norn_emit_hook(pass, NORN_HOOK_FENCE, arguments, 1);
}

static void consider(struct norn_pass *pass, LLVMValueRef instruction)
{
	if (pass->table.site_count >= NORN_PASS_SITES_MAX)
		return;
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		norn_access_consider(pass, instruction);
		break;
	case LLVMCall:
		consider_call(pass, instruction);
		break;
	case LLVMFence:
		if (!LLVMIsAtomicSingleThread(instruction))
			consider_fence(pass, instruction, LLVMGetOrdering(instruction));
		break;
	case LLVMInvoke:
		norn_frame_consider_call(pass, instruction);
		break;
	case LLVMCallBr:
		norn_frame_consider_goto(pass, instruction);
		break;
	default:
		break;
	}
}

static void rewrite(struct norn_pass *pass, const struct norn_point *point)
{
	switch (point->action) {
	case NORN_ACT_LOAD:
	case NORN_ACT_STORE:
	case NORN_ACT_ATOMIC:
		norn_access_rewrite(pass, point);
		break;
	case NORN_ACT_MASKED:
		norn_masked_rewrite(pass, point);
		break;
	case NORN_ACT_ARGUMENT_MEMORY:
		norn_argument_memory_rewrite(pass, point);
		break;
	case NORN_ACT_CALL:
		norn_frame_rewrite_call(pass, point);
		break;
	case NORN_ACT_FENCE:
		rewrite_fence(pass, point);
		break;
	default:
		norn_memory_rewrite(pass, point);
	}
}

static void add_spill(struct norn_pass *pass)
{
	norn_emit_before(pass, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(pass->function)));
	pass->spill = LLVMBuildAlloca(pass->builder, LLVMArrayType2(pass->i8, pass->spill_bytes), "");
	LLVMSetAlignment(pass->spill, pass->spill_align);
}

static bool is_tools(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	return strncmp(name, "__norn_", 7) == 0 || strncmp(name, "__llvm_", 7) == 0; /* the latter: coverage and profiling */
}

bool norn_pass_takes(struct norn_pass *pass, LLVMValueRef function)
{
	uint32_t known = norn_number_map_get(&pass->takes, (uintptr_t)function);
	if (!known) {
		known = LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage ||
		                        is_tools(function) || norn_shim_is_unfit(function) || norn_shim_is_resolver(function)
		                ? 1
		                : 2;
		norn_number_map_set(&pass->takes, (uintptr_t)function, known);
	}
	return known == 2;
}

uint32_t norn_pass_variable(struct norn_pass *pass, LLVMValueRef variable)
{
	uint32_t number = norn_number_map_get(&pass->variable_numbers, (uintptr_t)variable);
	if (number)
		return number - 1;
	if (pass->variable_count == pass->variable_room) {
		pass->variable_room = pass->variable_room * 2 + 64;
		pass->variables = norn_pass_grow(pass->variables, pass->variable_room * sizeof *pass->variables);
	}
	pass->variables[pass->variable_count++] = variable;
	norn_number_map_set(&pass->variable_numbers, (uintptr_t)variable, pass->variable_count);
	return pass->variable_count - 1;
}

/* A thread may start in it: what kind of thread that is, is told by what it enters first. */
static bool is_pointed_to(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool call = LLVMIsACallInst(user) || LLVMIsAInvokeInst(user);
		if (!call || norn_shim_callee(user) != function)
			return true;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == function)
				return true;
	}
	return false;
}

/* Of a program that is to be watched, values are told only where properties ask for them. */
static void add_frame(struct norn_pass *pass, const char *name)
{
	bool values = pass->values;
	pass->values &= !pass->only || norn_hook_filter_values(name);
	norn_frame_add(pass);
	pass->values = values;
}

static bool work_on_function(struct norn_pass *pass, LLVMValueRef function)
{
	if (!norn_pass_takes(pass, function))
		return false;
	pass->function = function;
	pass->subprogram = LLVMGetSubprogram(function);
	pass->point_count = 0;
	pass->spill_bytes = 0;
	pass->spill_align = 1;
	pass->seen = NULL;
	norn_preserve_release(pass);
	norn_select_reads_restore(pass);
	if (!pass->only)
		norn_assert_function_split(function);
	/* Functions that touch nothing shared are entered and left all the same: properties may name them. */
	struct norn_site enter = norn_frame_site(pass);
	enter.entry = pass->table.site_count;
	pass->entry = norn_site_builder_site(&pass->table, &enter);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			consider(pass, i);
	if (!pass->only)
		norn_fact_find(pass); /* such a program is watched; what is recorded of it is not enough for predictions */
	if (pass->spill_bytes)
		add_spill(pass);
	for (size_t i = 0; i < pass->point_count; i++)
		rewrite(pass, pass->points + i);
	norn_inline_check_finish(pass);
	if (!pass->only || norn_hook_filter_function(pass->table.strings + enter.name) || is_pointed_to(function) ||
	        norn_frame_calls_setjmp(function))
		add_frame(pass, pass->table.strings + enter.name);
	norn_shim_drop_attributes(function);
	norn_shim_forget_lines(function);
	norn_shim_mark(function, pass->level >= NORN_INSTRUMENT_LEVEL_SHARED && !pass->only ? NORN_HOOKED : NORN_HALF_HOOKED);
	return true;
}

static void configure(struct norn_pass *pass)
{
	const char *level = getenv("NORN_LEVEL"), *values = getenv("NORN_VALUES");
	pass->level = level && strcmp(level, "sync") == 0 ? NORN_INSTRUMENT_LEVEL_SYNC : NORN_INSTRUMENT_LEVEL_SHARED;
	pass->only = norn_hook_filter_set();
	pass->values = !values || strcmp(values, "0") != 0;
}

/* Hooks exist for x86-64 only; -m32 and code for accelerators come by here, too. A module may also come by again: fat LTO
 * objects, a distributed ThinLTO back end. */
bool norn_pass_wants(LLVMModuleRef module)
{
	return strncmp(LLVMGetTarget(module), "x86_64", 6) == 0 && LLVMPointerSize(LLVMGetModuleDataLayout(module)) == 8 &&
	       !LLVMGetNamedMetadata(module, DONE_MARK, strlen(DONE_MARK));
}

void norn_pass_init(struct norn_pass *pass, LLVMModuleRef module)
{
	*pass = (struct norn_pass){
	        .module = module, .context = LLVMGetModuleContext(module), .layout = LLVMGetModuleDataLayout(module)};
	configure(pass);
	pass->builder = LLVMCreateBuilderInContext(pass->context);
	norn_site_builder_init(&pass->table);
	norn_emit_init(pass);
}

void norn_pass_done(struct norn_pass *pass)
{
	norn_site_builder_done(&pass->table);
	norn_shim_types_free(pass->types);
	free(pass->points);
	free(pass->verdicts);
	free(pass->variables);
	norn_number_map_done(&pass->takes);
	norn_number_map_done(&pass->variable_numbers);
	LLVMDisposeBuilder(pass->builder);
}

bool norn_pass_module(LLVMModuleRef module)
{
	if (!norn_pass_wants(module))
		return false;
	struct norn_pass pass;
	norn_pass_init(&pass, module);
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		changed |= work_on_function(&pass, f);
	if (changed) {
		norn_emit_module(&pass);
		LLVMGetOrInsertNamedMetadata(module, DONE_MARK, strlen(DONE_MARK));
	}
	norn_pass_done(&pass);
	return changed;
}
