/* See escape_analysis.h. */
#include "instrument/access/escape_analysis.h"

#include <stdlib.h>
#include <string.h>

#define OBJECTS_MAX 64

static bool is_threadlocal_address(LLVMValueRef value)
{
	LLVMValueRef callee = LLVMIsACallInst(value) ? norn_shim_callee(value) : NULL;
	size_t length;
	return callee && strncmp(LLVMGetValueName2(callee, &length), "llvm.threadlocal.address", 24) == 0;
}

/* Only direct loads, stores and llvm.threadlocal.address whose result does not escape. */
static bool thread_local_escapes(LLVMValueRef variable)
{
	for (LLVMUseRef use = LLVMGetFirstUse(variable); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_threadlocal_address(user)
		                ? norn_shim_captured(user)
		                : !LLVMIsALoadInst(user) && !(LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != variable))
			return true;
	}
	return false;
}

static bool is_compilers_own(LLVMValueRef variable)
{
	size_t length;
	const char *section = LLVMGetSection(variable), *name = LLVMGetValueName2(variable, &length);
	return (section && strncmp(section, "__llvm_prf_", 11) == 0) || strncmp(name, "__llvm_", 7) == 0 ||
	       strncmp(name, "__sancov_", 9) == 0 || strncmp(name, "__profc_", 8) == 0;
}

static bool is_private_global(LLVMValueRef variable)
{
	if (LLVMIsGlobalConstant(variable))
		return LLVMGetLinkage(variable) != LLVMExternalWeakLinkage;
	if (is_compilers_own(variable))
		return true;
	LLVMLinkage linkage = LLVMGetLinkage(variable);
	bool internal = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
	return LLVMIsThreadLocal(variable) && internal && !thread_local_escapes(variable);
}

static bool judge(LLVMValueRef object)
{
	if (LLVMIsAAllocaInst(object) || norn_shim_is_byval(object))
		return !norn_shim_captured(object);
	if (LLVMIsAGlobalVariable(object))
		return is_private_global(object);
	if (LLVMIsALoadInst(object))
		return norn_shim_is_vtable_access(object); /* points into a table of virtual functions */
	return LLVMIsAFunction(object) || LLVMIsABlockAddress(object) || LLVMIsAConstantPointerNull(object) ||
	       LLVMIsAUndefValue(object);
}

static struct norn_escape_verdict *slot(struct norn_escape_verdict *verdicts, uint32_t room, LLVMValueRef object)
{
	uint32_t i = ((uintptr_t)object >> 4) * 2654435761u & (room - 1);
	while (verdicts[i].object && verdicts[i].object != object)
		i = (i + 1) & (room - 1);
	return verdicts + i;
}

static void make_room(struct norn_pass *pass)
{
	if (pass->verdict_count * 2 < pass->verdict_room)
		return;
	uint32_t room = pass->verdict_room ? pass->verdict_room * 2 : 256;
	struct norn_escape_verdict *verdicts = calloc(room, sizeof *verdicts);
	if (!verdicts)
		abort();
	for (uint32_t i = 0; i < pass->verdict_room; i++)
		if (pass->verdicts[i].object)
			*slot(verdicts, room, pass->verdicts[i].object) = pass->verdicts[i];
	free(pass->verdicts);
	pass->verdicts = verdicts;
	pass->verdict_room = room;
}

static bool is_private(struct norn_pass *pass, LLVMValueRef object)
{
	/* Loads may be erased later and their memory reused; the others stay as long as the module is being worked on. */
	if (!LLVMIsAAllocaInst(object) && !LLVMIsAArgument(object) && !LLVMIsAGlobalVariable(object))
		return judge(object);
	make_room(pass);
	struct norn_escape_verdict *verdict = slot(pass->verdicts, pass->verdict_room, object);
	if (!verdict->object) {
		*verdict = (struct norn_escape_verdict){object, judge(object)};
		pass->verdict_count++;
	}
	return verdict->private;
}

bool norn_may_be_shared(struct norn_pass *pass, LLVMValueRef pointer)
{
	LLVMTypeRef type = LLVMTypeOf(pointer);
	if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type) != 0 ||
	        norn_shim_is_swifterror(pointer))
		return false;
	LLVMValueRef objects[OBJECTS_MAX];
	unsigned count = norn_shim_objects(pointer, objects, OBJECTS_MAX);
	for (unsigned i = 0; i < count && i < OBJECTS_MAX; i++)
		if (!is_private(pass, objects[i]))
			return true;
	return count > OBJECTS_MAX;
}
