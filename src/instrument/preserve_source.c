#include "instrument/preserve_source.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/access/inline_assembly.h"
#include "instrument/call/assert_functions.h"
#include "instrument/call/callee.h"
#include "instrument/site/variable_name.h"
#include "instrument/hook_filter.h"
#include "instrument/pass.h"

#define ARGUMENTS_MAX 6u /* as many as are recorded */

static bool has(LLVMValueRef function, const char *attribute)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
	return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

static bool is_ours(LLVMValueRef function)
{
	LLVMLinkage linkage = LLVMGetLinkage(function);
	bool plain = linkage == LLVMExternalLinkage || linkage == LLVMInternalLinkage;
	return plain && !LLVMIsDeclaration(function) && !has(function, "alwaysinline") && !has(function, "inlinehint") &&
	       !has(function, "optnone") && !has(function, "memory") && !norn_shim_is_unfit(function) &&
	       !norn_shim_is_resolver(function);
}

static bool is_register(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMPointerTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
}

/* An instruction that is none, but has an effect as far as the optimiser knows, and uses the arguments: so calls of the function
 * matter, and what they pass matters. */
static void use_arguments(LLVMContextRef context, LLVMValueRef function, LLVMBuilderRef builder)
{
	LLVMValueRef used[ARGUMENTS_MAX];
	LLVMTypeRef types[ARGUMENTS_MAX];
	char constraints[4 * ARGUMENTS_MAX] = "";
	unsigned count = 0;
	for (unsigned i = 0; i < LLVMCountParams(function) && count < ARGUMENTS_MAX; i++) {
		LLVMValueRef argument = LLVMGetParam(function, i);
		if (!is_register(LLVMTypeOf(argument)) || norn_shim_is_byval(argument) || norn_shim_is_swifterror(argument))
			continue;
		used[count] = argument;
		types[count] = LLVMTypeOf(argument);
		strcat(constraints, count++ ? ",X" : "X");
	}
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types, count, false);
	LLVMValueRef nothing =
	        LLVMGetInlineAsm(type, "", 0, constraints, strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
	LLVMPositionBuilderBefore(builder, norn_shim_first_insertion(LLVMGetEntryBasicBlock(function)));
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	LLVMSetCurrentDebugLocation2(
	        builder, subprogram ? LLVMDIBuilderCreateDebugLocation(context, 0, 0, subprogram, NULL) : NULL);
	LLVMBuildCall2(builder, type, nothing, used, count, "");
}

static LLVMAttributeRef attribute_of(LLVMContextRef context, const char *name)
{
	return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

/* ---- loops that are said to end ---- */

struct loop_bounds {
	struct norn_blocks blocks;
	bool *bounded; /* by header */
	bool any;
	bool recursive; /* it calls itself, or will be part of a caller */
};

static void find_loop_bounds(LLVMValueRef function, struct loop_bounds *s)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsACallInst(i))
				continue;
			s->recursive |= LLVMGetCalledValue(i) == function;
			s->any |= norn_assembly_says_loop_ends(i);
		}
}

static bool all_bounded(const struct loop_bounds *s, uint32_t loop)
{
	for (; loop != NORN_NONE; loop = s->blocks.all[loop].outer)
		if (!s->bounded[loop])
			return false;
	return !s->recursive;
}

/* Of block number b: takes note of what is said, or forgets what may come to stand in another loop. */
static void go_through(struct loop_bounds *s, uint32_t b, bool forget)
{
	uint32_t loop = s->blocks.all[b].loop;
	for (LLVMValueRef i = LLVMGetFirstInstruction(s->blocks.all[b].block), next; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!LLVMIsACallInst(i) || !norn_assembly_says_loop_ends(i))
			continue;
		if (!forget && loop != NORN_NONE)
			s->bounded[loop] = true;
		else if (forget && !all_bounded(s, loop))
			LLVMInstructionEraseFromParent(i);
	}
}

/* The optimiser makes one loop of two, of which one stands in the other, or unrolls the inner: what was said of that would then be
 * said of both. So it only counts if it is said of the outer ones, too. Callers may be loops as well. */
static void keep_loops(LLVMValueRef function, LLVMAttributeRef noinline)
{
	struct loop_bounds s = {.recursive = has(function, "alwaysinline")};
	find_loop_bounds(function, &s);
	if (!s.any || has(function, "optnone"))
		return;
	norn_blocks_init(&s.blocks, function);
	s.bounded = calloc(s.blocks.count + (size_t)1, sizeof *s.bounded);
	if (!s.bounded)
		abort();
	for (int forget = 0; forget < 2; forget++)
		for (uint32_t b = 0; b < s.blocks.count; b++)
			go_through(&s, b, forget);
	free(s.bounded);
	norn_blocks_done(&s.blocks);
	if (!s.recursive)
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, noinline);
}

/* ---- variables ---- */

/* Its stores, if accesses are all that is done with it: 0 if they store no more than its initial value, 1 if one other constant
 * comes besides, 2 otherwise. */
static unsigned values_of(LLVMValueRef global)
{
	LLVMValueRef other = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsALoadInst(user))
			continue;
		LLVMValueRef value = LLVMIsAStoreInst(user) ? LLVMGetOperand(user, 0) : NULL;
		if (!value || !LLVMIsAConstant(value) || LLVMGetOperand(user, 1) != global)
			return 2;
		if (value == LLVMGetInitializer(global) || value == other)
			continue;
		if (other)
			return 2;
		other = value;
	}
	return other ? 1 : 0;
}

/* Of a file's own struct or array the optimiser makes a variable for each part. */
static bool would_change(LLVMValueRef global)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMGlobalGetValueType(global));
	return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || values_of(global) == 1;
}

bool norn_preserve_variables(LLVMModuleRef module, bool all)
{
	bool changed = false;
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (LLVMGetLinkage(g) == LLVMInternalLinkage && LLVMGetInitializer(g) && !LLVMIsGlobalConstant(g) &&
		        !LLVMIsThreadLocal(g) && (all || would_change(g))) {
			norn_shim_keep_for_compiler(module, g);
			changed = true;
		}
	return changed;
}

/* ---- writes ---- */

#define KEPT "norn.kept"
#define LOOSE "norn.loose_writes" /* of a module: there were writes through pointers that are not kept */
#define OBJECTS_MAX 8u

static bool may_be_shared(LLVMValueRef pointer)
{
	LLVMValueRef objects[OBJECTS_MAX];
	unsigned count = norn_shim_objects(pointer, objects, OBJECTS_MAX);
	for (unsigned i = 0; i < count && i < OBJECTS_MAX; i++)
		if (!LLVMIsAAllocaInst(objects[i]))
			return true;
	return count > OBJECTS_MAX;
}

static bool is_plain_store(LLVMValueRef i)
{
	return LLVMIsAStoreInst(i) && !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

static bool is_named(struct norn_pass *pass, LLVMValueRef store)
{
	struct norn_site site = {0};
	norn_name_access(pass, LLVMGetOperand(store, 1), LLVMTypeOf(LLVMGetOperand(store, 0)), store, &site);
	return norn_hook_filter_access(pass->table.strings + site.name, site.flags & NORN_SITE_MEMBER);
}

/* A variable by its name: not what is behind a pointer, nor an element that is computed. */
static bool is_variable(LLVMValueRef pointer)
{
	int64_t offset;
	return LLVMIsAGlobalVariable(norn_shim_constant_offset(pointer, &offset)) != NULL;
}

static bool is_kept(struct norn_pass *pass, LLVMValueRef i, bool all)
{
	if (!is_plain_store(i))
		return false;
	LLVMValueRef pointer = LLVMGetOperand(i, 1);
	if (pass->only)
		return may_be_shared(pointer) && is_named(pass, i);
	return all ? may_be_shared(pointer) : is_variable(pointer);
}

/* Properties name no locals. */
static bool is_local(LLVMValueRef pointer)
{
	LLVMValueRef objects[8];
	unsigned count = norn_shim_objects(pointer, objects, 8);
	for (unsigned i = 0; i < count; i++)
		if (i == 8 || !LLVMIsAAllocaInst(objects[i]))
			return false;
	return true;
}

bool norn_preserve_writes(LLVMModuleRef module, bool all, bool merges)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	unsigned kept = LLVMGetMDKindIDInContext(context, KEPT, strlen(KEPT));
	LLVMValueRef mark = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
	struct norn_pass pass;
	norn_pass_init(&pass, module);
	bool changed = false, loose = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		pass.function = f;
		pass.subprogram = LLVMGetSubprogram(f);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				if (!is_kept(&pass, i, all)) {
					loose |= is_plain_store(i) && !is_local(LLVMGetOperand(i, 1));
					continue;
				}
				LLVMSetVolatile(i, true);
				LLVMSetMetadata(i, kept, mark);
				changed = true;
			}
	}
	if (loose && merges && !pass.only)
		LLVMGetOrInsertNamedMetadata(module, LOOSE, strlen(LOOSE));
	norn_pass_done(&pass);
	return changed;
}

bool norn_preserve_lost_writes(LLVMModuleRef module)
{
	return LLVMGetNamedMetadata(module, LOOSE, strlen(LOOSE)) != NULL;
}

void norn_preserve_release(struct norn_pass *pass)
{
	unsigned kept = LLVMGetMDKindIDInContext(pass->context, KEPT, strlen(KEPT));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(pass->function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsAStoreInst(i) || !LLVMGetMetadata(i, kept))
				continue;
			LLVMSetVolatile(i, false);
			LLVMSetMetadata(i, kept, NULL);
		}
}

bool norn_preserve_conditions(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMAttributeRef conditions = attribute_of(context, "sanitize_thread"), noinline = attribute_of(context, "noinline");
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f)) {
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, conditions);
			keep_loops(f, noinline);
			changed = true;
		}
	return changed;
}

/* Whether a property names it: by the name that people write, as sites have it, not by the linker's. */
static bool property_names(LLVMValueRef function)
{
	size_t length;
	char name[1024] = "";
	LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
	if (subprogram)
		norn_shim_qualified_name(subprogram, name, sizeof name);
	return norn_hook_filter_function(*name ? name : LLVMGetValueName2(function, &length));
}

/* With all its arguments */
static void keep_function(LLVMModuleRef module, LLVMValueRef f, LLVMBuilderRef builder)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute_of(context, "noinline"));
	use_arguments(context, f, builder);
	if (LLVMGetLinkage(f) == LLVMInternalLinkage)
		norn_shim_keep_for_compiler(module, f); /* others might call it: nothing is known of its arguments */
}

bool norn_preserve_asserts(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		bool fit = !LLVMIsDeclaration(f) && !has(f, "alwaysinline") && !has(f, "optnone") && !has(f, "memory") &&
		           !norn_shim_is_unfit(f) && !norn_shim_is_resolver(f);
		if (!fit || !norn_assert_function_is_named(f))
			continue;
		keep_function(module, f, builder);
		changed = true;
	}
	LLVMDisposeBuilder(builder);
	return changed;
}

/* ---- calls ---- */

bool norn_preserve_calls(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	unsigned kind = LLVMGetMDKindIDInContext(context, NORN_CALL_MARK, sizeof NORN_CALL_MARK - 1), number = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		size_t length;
		const char *name = LLVMGetValueName2(f, &length);
		LLVMMetadataRef of = LLVMMDStringInContext2(context, name, length);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				if ((!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i)) || LLVMIsAIntrinsicInst(i))
					continue;
				LLVMValueRef value = LLVMConstInt(LLVMInt32TypeInContext(context), ++number, false);
				LLVMMetadataRef items[] = {LLVMValueAsMetadata(value), of};
				LLVMSetMetadata(i, kind, LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, items, 2)));
			}
	}
	return number;
}

bool norn_preserve_functions(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (!is_ours(f) || (norn_hook_filter_set() && !property_names(f)))
			continue;
		keep_function(module, f, builder);
		changed = true;
	}
	LLVMDisposeBuilder(builder);
	return changed;
}
