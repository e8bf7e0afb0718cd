/* See callee.h. */
#include "instrument/callee.h"

#include "instrument/lend.h"
#include "instrument/share.h"

#include <string.h>

/* ---- inline assembly ---- */

#define LOOP_ENDS "# norn: this loop ends" /* include/norn.h */

static bool is_one_of(const char *text, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Nothing, a hint to the processor, a fence, or its clock. */
static bool is_harmless_text(const char *text, size_t length)
{
	static const char *const harmless[] = {
	        "", "pause", "rep; nop", "rep;nop", "rep nop", "nop", "mfence", "lfence", "sfence", "rdtsc", "rdtscp", LOOP_ENDS};
	while (length && strchr(" \t\n;", text[length - 1]))
		length--;
	while (length && strchr(" \t\n;", *text))
		text++, length--;
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (strlen(harmless[i]) == length && memcmp(text, harmless[i], length) == 0)
			return true;
	return false;
}

bool norn_callee_says_loop_ends(LLVMValueRef call)
{
	LLVMValueRef code = LLVMGetCalledValue(call);
	size_t length;
	if (!LLVMIsAInlineAsm(code))
		return false;
	const char *text = LLVMGetInlineAsmAsmString(code, &length);
	return length >= strlen(LOOP_ENDS) && strncmp(text, LOOP_ENDS, strlen(LOOP_ENDS)) == 0;
}

static struct norn_callee assembly(LLVMValueRef call, LLVMValueRef code)
{
	struct norn_callee callee = {.intrinsic = true};
	size_t text_length, length;
	const char *text = LLVMGetInlineAsmAsmString(code, &text_length);
	const char *constraints = LLVMGetInlineAsmConstraintString(code, &length);
	if (is_harmless_text(text, text_length)) {
		callee.known = NORN_KNOWN_FUNCTION_PURE;
		callee.loop_ends = norn_callee_says_loop_ends(call);
		return callee;
	}
	bool memory = !norn_shim_is_pure_call(call) && (strstr(constraints, "{memory}") || strchr(constraints, '*'));
	callee.known = memory ? NORN_KNOWN_FUNCTION_OPAQUE : NORN_KNOWN_FUNCTION_QUIET;
	callee.announced = memory;
	return callee;
}

/* ---- intrinsics ---- */

static struct norn_callee intrinsic(LLVMValueRef call, LLVMValueRef function, const char *name)
{
	static const char *const harmless[] = {"llvm.lifetime.", "llvm.dbg.", "llvm.assume", "llvm.stacksave", "llvm.stackrestore",
	        "llvm.va_start", "llvm.va_end", "llvm.va_copy", "llvm.invariant.", "llvm.prefetch", "llvm.x86.sse2.pause",
	        "llvm.x86.rdtsc", "llvm.x86.sse2.mfence", "llvm.x86.sse.sfence", "llvm.x86.sse2.lfence", "llvm.donothing",
	        "llvm.sideeffect", "llvm.experimental.noalias", "llvm.pseudoprobe", "llvm.instrprof", "llvm.readcyclecounter",
	        "llvm.threadlocal.address", "llvm.frameaddress", "llvm.returnaddress", "llvm.eh.", "llvm.launder.", "llvm.strip."};
	static const char *const ends[] = {"llvm.trap", "llvm.debugtrap", "llvm.ubsantrap"};
	struct norn_callee callee = {.function = function, .intrinsic = true};
	if (is_one_of(name, ends, sizeof ends / sizeof *ends))
		callee.known = NORN_KNOWN_FUNCTION_ENDS;
	else if (norn_shim_is_pure_call(call) || is_one_of(name, harmless, sizeof harmless / sizeof *harmless))
		callee.known = NORN_KNOWN_FUNCTION_PURE;
	else
		callee.announced = true;
	return callee;
}

/* ---- functions ---- */

static char letter(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind:
		return 'v';
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 32 ? 'i' : LLVMGetIntTypeWidth(type) == 64 ? 'l' : '?';
	case LLVMFloatTypeKind:
		return 'f';
	case LLVMDoubleTypeKind:
		return 'd';
	case LLVMX86_FP80TypeKind:
		return 'x';
	case LLVMPointerTypeKind:
		return 'p';
	default:
		return '?';
	}
}

void norn_callee_type(LLVMValueRef call, char text[static NORN_CALLEE_TYPE_MAX])
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(call), parameters[NORN_CALLEE_TYPE_MAX];
	unsigned count = LLVMCountParamTypes(type), at = 0;
	text[at++] = letter(LLVMGetReturnType(type));
	if (count > NORN_CALLEE_TYPE_MAX - 8)
		count = 0;
	else
		LLVMGetParamTypes(type, parameters);
	for (unsigned i = 0; i < count; i++)
		text[at++] = letter(parameters[i]);
	strcpy(text + at, LLVMIsFunctionVarArg(type) ? "..." : "");
}

static bool is_null(LLVMValueRef value)
{
	return LLVMIsAConstantPointerNull(value);
}

/* True if the call prints what depends on memory, and its result is used: then the result is unknown, too. */
static bool is_looked_at(LLVMValueRef call)
{
	if (!LLVMGetFirstUse(call))
		return false;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind && !LLVMIsAConstant(argument))
			return true;
	}
	return false;
}

/* True if the call may read shared memory through its arguments; such reads are not recorded. */
static bool reads_shared(struct norn_pass *pass, LLVMValueRef call, const char *name)
{
	if (norn_known_function_only_writes(name))
		return false;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind && !is_null(argument) &&
		        norn_share_may(pass, argument))
			return true;
	}
	return false;
}

static enum norn_known_function look_up(struct norn_pass *pass, LLVMValueRef call, const char *name)
{
	char type[NORN_CALLEE_TYPE_MAX];
	struct norn_lending lending;
	norn_callee_type(call, type);
	enum norn_known_function known = norn_known_function_find(name, type);
	bool lent = norn_lend_find(call, &lending);
	if (known == NORN_KNOWN_FUNCTION_OPAQUE && lent)
		return NORN_KNOWN_FUNCTION_QUIET;
	/* The program says so: __attribute__((const)), NORN_PURE. */
	if (known == NORN_KNOWN_FUNCTION_OPAQUE && norn_shim_is_pure_call(call))
		return NORN_KNOWN_FUNCTION_PURE;
	if (known == NORN_KNOWN_FUNCTION_OUTPUT && is_looked_at(call))
		return lent ? NORN_KNOWN_FUNCTION_QUIET : NORN_KNOWN_FUNCTION_OPAQUE;
	if (known == NORN_KNOWN_FUNCTION_ORDERED && !lent && reads_shared(pass, call, name))
		return NORN_KNOWN_FUNCTION_OPAQUE;
	/* Of what nanosleep did not sleep it tells by its second argument. */
	if (known == NORN_KNOWN_FUNCTION_PURE && strstr(name, "sleep") && LLVMGetNumArgOperands(call) == 2 &&
	        !is_null(LLVMGetOperand(call, 1)))
		return NORN_KNOWN_FUNCTION_OPAQUE;
	return known;
}

struct norn_callee norn_callee_of(struct norn_pass *pass, LLVMValueRef call)
{
	LLVMValueRef value = LLVMGetCalledValue(call), function = norn_shim_callee(call);
	if (LLVMIsAInlineAsm(value))
		return assembly(call, value);
	if (!function)
		return (struct norn_callee){.announced = true};
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	if (strncmp(name, "llvm.", 5) == 0)
		return intrinsic(call, function, name);
	struct norn_callee callee = {.function = function};
	LLVMLinkage linkage = LLVMGetLinkage(function);
	callee.here = norn_pass_takes(pass, function) && linkage != LLVMWeakAnyLinkage && linkage != LLVMLinkOnceAnyLinkage;
	if (!callee.here)
		callee.known = look_up(pass, call, name);
	callee.announced =
	        !callee.here && (callee.known == NORN_KNOWN_FUNCTION_OPAQUE || callee.known == NORN_KNOWN_FUNCTION_ORDERED);
	return callee;
}
