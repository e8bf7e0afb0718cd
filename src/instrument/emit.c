/* See emit.h. */
#include "instrument/emit.h"

#include "instrument/flow/frame_need.h"
#include "instrument/hook_filter.h"
#include "instrument/preserve_source.h"

#include <stdlib.h>
#include <string.h>

#define LLVM_PRESERVE_MOST 14

/* Names and types of the hooks: result, then parameters. v void, 1 2 4 8 integers of so many bytes, p pointer. */
static const struct {
	const char *name, *type;
} hooks[NORN_HOOK_COUNT] = {
        [NORN_HOOK_READ1] = {"__norn_read1", "1p4"},
        [NORN_HOOK_READ2] = {"__norn_read2", "2p4"},
        [NORN_HOOK_READ4] = {"__norn_read4", "4p4"},
        [NORN_HOOK_READ8] = {"__norn_read8", "8p4"},
        [NORN_HOOK_WRITE1] = {"__norn_write1", "vp14"},
        [NORN_HOOK_WRITE2] = {"__norn_write2", "vp24"},
        [NORN_HOOK_WRITE4] = {"__norn_write4", "vp44"},
        [NORN_HOOK_WRITE8] = {"__norn_write8", "vp84"},
        [NORN_HOOK_READN] = {"__norn_readn", "vpp84"},
        [NORN_HOOK_WRITEN] = {"__norn_writen", "vpp84"},
        [NORN_HOOK_TOUCH] = {"__norn_touch", "vp84"},
        [NORN_HOOK_PASSED_MEMORY] = {"__norn_passed_memory", "8pp844"},
        [NORN_HOOK_FILLED] = {"__norn_filled", "vp844"},
        [NORN_HOOK_COPY] = {"__norn_copy", "vpp84"},
        [NORN_HOOK_SET] = {"__norn_set", "vp484"},
        [NORN_HOOK_RMW_BEGIN] = {"__norn_rmw_begin", "vp44"},
        [NORN_HOOK_RMW_END] = {"__norn_rmw_end", "vp444"},
        [NORN_HOOK_FENCE] = {"__norn_fence", "v4"},
        [NORN_HOOK_ENTER] = {"__norn_enter", "44"},
        [NORN_HOOK_ARGUMENT] = {"__norn_argument", "v48"},
        [NORN_HOOK_RESULT] = {"__norn_result", "v8"},
        [NORN_HOOK_LEAVE] = {"__norn_leave", "v4"},
        [NORN_HOOK_UNWIND] = {"__norn_unwind", "v4"},
        [NORN_HOOK_CALL] = {"__norn_calls", "4p4"},
        [NORN_HOOK_RETURN] = {"__norn_returned", "v44"},
        [NORN_HOOK_CALL_WITH] = {"__norn_calls_with", "4p4pp"},
        [NORN_HOOK_RETURN_WITH] = {"__norn_returned_with", "v44pp8"},
        [NORN_HOOK_CHANGES] = {"__norn_changes", "v444"},
        [NORN_HOOK_LOOKED] = {"__norn_looked", "v444"},
        [NORN_HOOK_OBJECT] = {"__norn_object", "vp44"},
        [NORN_HOOK_JOBS] = {"__norn_jobs", "vp84"},
        [NORN_HOOK_NAMED] = {"__norn_named", "vp"},
};

static LLVMTypeRef type_of(struct norn_pass *pass, char letter)
{
	switch (letter) {
	case '1':
		return pass->i8;
	case '2':
		return pass->i16;
	case '4':
		return pass->i32;
	case '8':
		return pass->i64;
	case 'p':
		return pass->pointer;
	default:
		return pass->void_type;
	}
}

static LLVMAttributeRef attribute(struct norn_pass *pass, const char *name)
{
	return LLVMCreateEnumAttribute(pass->context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

static LLVMValueRef hook_function(struct norn_pass *pass, enum norn_hook hook)
{
	if (pass->hooks[hook])
		return pass->hooks[hook];
	const char *type = hooks[hook].type;
	LLVMTypeRef parameters[8];
	unsigned count = strlen(type) - 1;
	for (unsigned i = 0; i < count; i++)
		parameters[i] = type_of(pass, type[1 + i]);
	pass->hook_types[hook] = LLVMFunctionType(type_of(pass, type[0]), parameters, count, false);
	LLVMValueRef function = LLVMGetNamedFunction(pass->module, hooks[hook].name);
	if (!function) {
		function = LLVMAddFunction(pass->module, hooks[hook].name, pass->hook_types[hook]);
		LLVMSetFunctionCallConv(function, LLVM_PRESERVE_MOST);
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(pass, "nonlazybind"));
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(pass, "nounwind"));
		for (unsigned i = 0; i <= count; i++) /* the C convention widens narrow integers; index 0 is the result */
			if (type[i] == '1' || type[i] == '2')
				LLVMAddAttributeAtIndex(function, i, attribute(pass, "zeroext"));
	}
	return pass->hooks[hook] = function;
}

void norn_emit_init(struct norn_pass *pass)
{
	pass->void_type = LLVMVoidTypeInContext(pass->context);
	pass->i8 = LLVMInt8TypeInContext(pass->context);
	pass->i16 = LLVMInt16TypeInContext(pass->context);
	pass->i32 = LLVMInt32TypeInContext(pass->context);
	pass->i64 = LLVMInt64TypeInContext(pass->context);
	pass->pointer = LLVMPointerTypeInContext(pass->context, 0);
}

static void locate(struct norn_pass *pass, LLVMValueRef instruction)
{
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	if (!location && pass->subprogram)
		location = LLVMDIBuilderCreateDebugLocation(pass->context, 0, 0, pass->subprogram, NULL);
	LLVMSetCurrentDebugLocation2(pass->builder, location);
}

void norn_emit_at(struct norn_pass *pass, LLVMValueRef place, LLVMValueRef instruction)
{
	LLVMPositionBuilderBefore(pass->builder, place); /* takes place's location */
	locate(pass, instruction);
}

void norn_emit_before(struct norn_pass *pass, LLVMValueRef instruction)
{
	norn_emit_at(pass, instruction, instruction);
}

void norn_emit_after(struct norn_pass *pass, LLVMValueRef instruction)
{
	norn_emit_at(pass, LLVMGetNextInstruction(instruction), instruction);
}

LLVMValueRef norn_emit_int(struct norn_pass *pass, LLVMTypeRef type, uint64_t value)
{
	return LLVMConstInt(type, value, false);
}

unsigned norn_emit_ways_after(LLVMValueRef call)
{
	return LLVMGetInstructionOpcode(call) == LLVMCallBr ? LLVMGetNumSuccessors(call) : 1;
}

void norn_emit_way_after(struct norn_pass *pass, LLVMValueRef call, unsigned way)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(call);
	LLVMValueRef place = opcode == LLVMCallBr   ? norn_shim_split_successor(call, way)
	                     : opcode == LLVMInvoke ? norn_shim_split_normal(call)
	                                            : NULL;
	if (place)
		norn_emit_at(pass, place, call);
	else
		norn_emit_after(pass, call);
}

LLVMValueRef norn_emit_hook(struct norn_pass *pass, enum norn_hook hook, LLVMValueRef *arguments, unsigned count)
{
	LLVMValueRef function = hook_function(pass, hook);
	LLVMValueRef call = LLVMBuildCall2(pass->builder, pass->hook_types[hook], function, arguments, count, "");
	LLVMSetInstructionCallConv(call, LLVM_PRESERVE_MOST);
	const char *type = hooks[hook].type;
	for (unsigned i = 0; i <= count; i++)
		if (type[i] == '1' || type[i] == '2')
			LLVMAddCallSiteAttribute(call, i, attribute(pass, "zeroext"));
	return call;
}

/* { i32 base, i32 variables, ptr table, ptr addresses }, filled in by norn_emit_module. Internal, and in no comdat: a comdat
 * function that the linker takes from this object refers to this object's own descriptor. */
static LLVMValueRef descriptor(struct norn_pass *pass)
{
	if (!pass->descriptor) {
		LLVMTypeRef members[] = {pass->i32, pass->i32, pass->pointer, pass->pointer};
		LLVMTypeRef type = LLVMStructTypeInContext(pass->context, members, 4, false);
		pass->descriptor = LLVMAddGlobal(pass->module, type, "norn.module");
		LLVMSetLinkage(pass->descriptor, LLVMInternalLinkage);
		LLVMSetAlignment(pass->descriptor, 8);
	}
	return pass->descriptor;
}

LLVMValueRef norn_emit_site(struct norn_pass *pass, uint32_t site)
{
	LLVMValueRef base = LLVMBuildLoad2(pass->builder, pass->i32, descriptor(pass), "");
	return LLVMBuildAdd(pass->builder, base, norn_emit_int(pass, pass->i32, site), "");
}

void norn_emit_call_site(struct norn_pass *pass, uint32_t site)
{
	if (!pass->call_site) {
		pass->call_site = LLVMGetNamedGlobal(pass->module, "__norn_call_site");
		if (!pass->call_site)
			pass->call_site = LLVMAddGlobal(pass->module, pass->i32, "__norn_call_site");
		LLVMSetThreadLocalMode(pass->call_site, LLVMInitialExecTLSModel);
	}
	LLVMValueRef store = LLVMBuildStore(pass->builder, norn_emit_site(pass, site), pass->call_site);
	/* Or link-time optimisation drops it before a call that is said to touch only memory of its own, as malloc is. */
	LLVMSetVolatile(store, true);
}

void norn_emit_callee(struct norn_pass *pass, LLVMValueRef function)
{
	LLVMValueRef callee = LLVMGetNamedGlobal(pass->module, "__norn_callee");
	if (!callee)
		callee = LLVMAddGlobal(pass->module, pass->pointer, "__norn_callee");
	LLVMSetThreadLocalMode(callee, LLVMInitialExecTLSModel);
	LLVMSetVolatile(LLVMBuildStore(pass->builder, function, callee), true);
}

static void emit_constructor(struct norn_pass *pass)
{
	LLVMTypeRef parameter = pass->pointer, type = LLVMFunctionType(pass->void_type, &parameter, 1, false);
	LLVMValueRef target = LLVMGetNamedFunction(pass->module, "__norn_module");
	if (!target)
		target = LLVMAddFunction(pass->module, "__norn_module", type);
	LLVMValueRef constructor =
	        LLVMAddFunction(pass->module, "norn.constructor", LLVMFunctionType(pass->void_type, NULL, 0, false));
	LLVMSetLinkage(constructor, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(constructor, LLVMAttributeFunctionIndex, attribute(pass, "nounwind"));
	LLVMPositionBuilderAtEnd(pass->builder, LLVMAppendBasicBlockInContext(pass->context, constructor, ""));
	LLVMSetCurrentDebugLocation2(pass->builder, NULL);
	LLVMBuildCall2(pass->builder, type, target, &pass->descriptor, 1, "");
	LLVMBuildRetVoid(pass->builder);
	norn_shim_add_constructor(pass->module, constructor, 0);
}

/* The addresses of the variables that facts name; the dynamic linker fills them in. */
static LLVMValueRef emit_addresses(struct norn_pass *pass)
{
	if (!pass->variable_count)
		return LLVMConstNull(pass->pointer);
	LLVMValueRef content = LLVMConstArray2(pass->pointer, pass->variables, pass->variable_count);
	LLVMValueRef addresses = LLVMAddGlobal(pass->module, LLVMTypeOf(content), "norn.addresses");
	LLVMSetInitializer(addresses, content);
	LLVMSetLinkage(addresses, LLVMInternalLinkage);
	LLVMSetGlobalConstant(addresses, true);
	LLVMSetAlignment(addresses, 8);
	return addresses;
}

void norn_emit_module(struct norn_pass *pass)
{
	size_t bytes, length;
	const char *source = LLVMGetSourceFileName(pass->module, &length);
	void *blob = norn_site_builder_build(&pass->table, source, length,
	        pass->level | (norn_preserve_lost_writes(pass->module) ? NORN_SITE_LOOSE_WRITES : 0) |
	                (norn_frame_need_knows_threads(pass) ? NORN_SITE_KNOWS_THREADS : 0),
	        pass->only ? norn_hook_filter_text() : "", &bytes);
	LLVMValueRef content = LLVMConstStringInContext2(pass->context, blob, bytes, true);
	free(blob);
	LLVMValueRef table = LLVMAddGlobal(pass->module, LLVMTypeOf(content), "norn.sites");
	LLVMSetInitializer(table, content);
	LLVMSetLinkage(table, LLVMInternalLinkage);
	LLVMSetGlobalConstant(table, true);
	LLVMSetSection(table, "norn_sites");
	LLVMSetAlignment(table, 8);
	norn_shim_keep(pass->module, table);
	LLVMValueRef members[] = {norn_emit_int(pass, pass->i32, 0), norn_emit_int(pass, pass->i32, pass->variable_count), table,
	        emit_addresses(pass)};
	LLVMSetInitializer(descriptor(pass), LLVMConstStructInContext(pass->context, members, 4, false));
	emit_constructor(pass);
}
