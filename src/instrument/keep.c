#include "instrument/keep.h"

#include <string.h>

#include "instrument/only.h"
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

bool norn_keep_conditions(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	const char *name = "sanitize_thread";
	LLVMAttributeRef attribute = LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f)) {
			LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, attribute);
			changed = true;
		}
	return changed;
}

bool norn_keep_functions(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMAttributeRef noinline =
	        LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", strlen("noinline")), 0);
	bool changed = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		size_t length;
		if (!is_ours(f) || (norn_only_some() && !norn_only_function(LLVMGetValueName2(f, &length))))
			continue;
		LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, noinline);
		use_arguments(context, f, builder);
		if (LLVMGetLinkage(f) == LLVMInternalLinkage)
			norn_shim_keep_for_compiler(module, f); /* others might call it: nothing is known of its arguments */
		changed = true;
	}
	LLVMDisposeBuilder(builder);
	return changed;
}
