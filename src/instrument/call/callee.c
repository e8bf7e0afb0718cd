/* See callee.h. */
#include "instrument/call/callee.h"

#include "instrument/access/inline_assembly.h"
#include "instrument/call/argument_memory.h"
#include "instrument/access/escape_analysis.h"

#include <string.h>
#include <sys/syscall.h>

static bool is_one_of(const char *text, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static struct norn_callee assembly(struct norn_pass *pass, LLVMValueRef call)
{
	struct norn_callee callee = {.intrinsic = true, .known = NORN_CALLEE_KNOWN};
	struct norn_assembly a = norn_assembly_of(pass, call);
	if (a.kind == NORN_ASSEMBLY_HARMLESS) {
		callee.known = NORN_CALLEE_PURE;
		callee.loop_ends = norn_assembly_says_loop_ends(call);
	} else if (a.kind == NORN_ASSEMBLY_OPAQUE) {
		callee.known = NORN_CALLEE_UNKNOWN;
		callee.announced = true;
	}
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
		callee.known = NORN_CALLEE_ENDS;
	else if (norn_shim_is_pure_call(call) || is_one_of(name, harmless, sizeof harmless / sizeof *harmless))
		callee.known = NORN_CALLEE_PURE;
	else
		callee.announced = true;
	return callee;
}

bool norn_callee_is_fence(LLVMValueRef call)
{
	static const char *const fences[] = {"llvm.x86.sse2.mfence", "llvm.x86.sse.sfence", "llvm.x86.sse2.lfence"};
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		return norn_assembly_is_fence(call);
	LLVMValueRef function = norn_shim_callee(call);
	size_t length;
	return function && is_one_of(LLVMGetValueName2(function, &length), fences, sizeof fences / sizeof *fences);
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

const struct norn_effects *norn_callee_effects(LLVMValueRef call)
{
	LLVMValueRef callee = norn_shim_callee(call);
	if (!callee || !LLVMIsDeclaration(callee))
		return NULL;
	char type[NORN_CALLEE_TYPE_MAX];
	size_t length;
	norn_callee_type(call, type);
	return norn_effects_find(LLVMGetValueName2(callee, &length), type);
}

static bool is_null(LLVMValueRef value)
{
	return LLVMIsAConstantPointerNull(value);
}

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* True if the call prints what depends on memory, and its result is used: then the result is unknown, too. */
static bool is_looked_at(LLVMValueRef call)
{
	if (!LLVMGetFirstUse(call))
		return false;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(call, i);
		if (is_pointer(argument) && !LLVMIsAConstant(argument))
			return true;
	}
	return false;
}

/* True if memory that others may share is touched in a way that is not recorded. */
static bool touches_unseen(struct norn_pass *pass, LLVMValueRef call, const struct norn_effects *e)
{
	unsigned arguments = LLVMGetNumArgOperands(call);
	bool touched = false;
	for (unsigned i = 0; i < e->part_count; i++) {
		/* The arguments of a format; the others are pointers themselves. */
		bool rest = e->parts[i].extent >= NORN_EFFECTS_FORMAT && e->parts[i].extent < NORN_EFFECTS_WHOLE;
		touched |= e->parts[i].pointer == NORN_EFFECTS_GLOBAL || rest;
		LLVMValueRef pointer = e->parts[i].pointer < arguments ? LLVMGetOperand(call, e->parts[i].pointer) : NULL;
		touched |= pointer && is_pointer(pointer) && !is_null(pointer) && norn_may_be_shared(pass, pointer);
	}
	return touched;
}

/* ---- entries ---- */

#define LOCALE (1u << NORN_EFFECTS_LOCALE)

static bool is_output(const struct norn_effects *e)
{
	bool writes = false;
	for (unsigned i = 0; i < e->part_count; i++)
		writes |= e->parts[i].how & NORN_EFFECTS_WRITES && e->parts[i].extent < NORN_EFFECTS_FORMAT;
	return e->adds && !e->writes && !(e->reads & ~LOCALE) && !writes;
}

/* A value of its arguments and the locale. */
static bool is_nearly_pure(const struct norn_effects *e)
{
	bool more =
	        e->flags & ~(unsigned)(NORN_EFFECTS_ERRNO | NORN_EFFECTS_PREFIX) || e->waits || e->calls || e->keeps || e->frees;
	return !more && !e->part_count && !e->writes && !e->adds && e->reads == LOCALE;
}

/* Memory that it keeps, and others write or read later on, if the runtime does not look after that. Functions are none. */
static bool keeps_memory(LLVMValueRef call, const struct norn_effects *e)
{
	static const char *const watched[] = {"setvbuf", "setbuf", "putenv", "__pthread_", "_pthread_", "pthread_", "thrd_", "tss_",
	        "signal", "sysv_signal", "ssignal", "bsd_signal", "sigset", "openlog", "atexit", "__cxa_", "at_quick_exit",
	        "on_exit", "sigaltstack", "g_private_", "g_async_queue_"};
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n && i < 16; i++) {
		LLVMValueRef argument = e->keeps >> i & 1 ? LLVMGetOperand(call, i) : NULL;
		if (argument && is_pointer(argument) && !is_null(argument) && !LLVMIsAFunction(argument) &&
		        !is_one_of(e->name, watched, sizeof watched / sizeof *watched))
			return true;
	}
	return false;
}

static bool fills(const struct norn_argument_parts *parts)
{
	for (unsigned i = 0; i < parts->count; i++)
		if (parts->list[i].writes)
			return true;
	return false;
}

/* syscall(SYS_futex, …), which the runtime sees (runtime/interpose/futex.c), and whose result is not used. */
static bool is_futex(LLVMValueRef call, const char *name)
{
	LLVMValueRef number = strcmp(name, "syscall") == 0 && LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
	return number && LLVMIsAConstantInt(number) && LLVMConstIntGetZExtValue(number) == SYS_futex && !LLVMGetFirstUse(call);
}

static void use_entry(struct norn_pass *pass, LLVMValueRef call, const struct norn_effects *e, struct norn_callee *callee)
{
	struct norn_argument_parts parts;
	bool listed = norn_argument_memory_find(pass, call, &parts), hooked = e->flags & NORN_EFFECTS_HOOKED;
	if (e->flags & NORN_EFFECTS_OPAQUE) {
		callee->resources.changes = norn_resource_events_of_opaque(e);
		return;
	}
	if (e->flags & NORN_EFFECTS_ENDS) {
		callee->known = NORN_CALLEE_ENDS;
		return;
	}
	callee->resources = norn_resource_events_of(e);
	if (norn_resource_events_blind(e))
		return;
	bool unseen = is_output(e) ? !listed : !listed && !hooked && (e->calls || touches_unseen(pass, call, e));
	if (norn_effects_is_pure(e) || is_nearly_pure(e))
		callee->known = NORN_CALLEE_PURE;
	else if (is_output(e) && !is_looked_at(call) && !fills(&parts))
		callee->known = NORN_CALLEE_OUTPUT;
	else if (!unseen && !keeps_memory(call, e))
		callee->known = NORN_CALLEE_KNOWN;
	else
		callee->resources = (struct norn_resource_events){0};
}

/* Names that no function of the program's own may have, by C's rules; those of them that are called often. */
static bool is_reserved(const char *name)
{
	static const char *const beginnings[] = {"_", "str", "mem", "wcs", "is", "to"};
	static const char *const names[] = {"acos", "asin", "atan", "atan2", "cos", "sin", "tan", "acosh", "asinh", "atanh", "cosh",
	        "sinh", "tanh", "exp", "exp2", "expm1", "frexp", "ilogb", "ldexp", "log", "log10", "log1p", "log2", "logb", "modf",
	        "scalbn", "cbrt", "fabs", "hypot", "pow", "sqrt", "erf", "erfc", "lgamma", "tgamma", "ceil", "floor", "nearbyint",
	        "rint", "lrint", "llrint", "round", "lround", "llround", "trunc", "fmod", "remainder", "copysign", "fdim", "fmax",
	        "fmin", "fma", "abs", "labs", "llabs", "atoi", "atol", "atoll", "atof", "rand", "srand", "qsort", "bsearch",
	        "getenv", "time", "clock", "printf", "fprintf", "sprintf", "snprintf", "vprintf", "vfprintf", "vsnprintf", "sscanf",
	        "puts", "fputs", "fputc", "putc", "putchar", "fwrite", "fflush", "malloc", "calloc", "realloc", "free"};
	if (is_one_of(name, beginnings, sizeof beginnings / sizeof *beginnings))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t length = strlen(names[i]);
		if (strncmp(name, names[i], length) == 0 &&
		        (!name[length] || ((name[length] == 'f' || name[length] == 'l') && !name[length + 1])))
			return true;
	}
	return false;
}

struct norn_callee norn_callee_of(struct norn_pass *pass, LLVMValueRef call)
{
	LLVMValueRef value = LLVMGetCalledValue(call), function = norn_shim_callee(call);
	if (LLVMIsAInlineAsm(value))
		return assembly(pass, call);
	if (!function)
		return (struct norn_callee){.announced = true};
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	if (strncmp(name, "llvm.", 5) == 0)
		return intrinsic(call, function, name);
	struct norn_callee callee = {.function = function};
	LLVMLinkage linkage = LLVMGetLinkage(function);
	callee.here = norn_pass_takes(pass, function) && linkage != LLVMWeakAnyLinkage && linkage != LLVMLinkOnceAnyLinkage;
	const struct norn_effects *e = norn_callee_effects(call);
	if (is_futex(call, name))
		callee.known = NORN_CALLEE_KNOWN;
	else if (e)
		use_entry(pass, call, e, &callee);
	/* The program says so: __attribute__((const)), NORN_PURE. */
	else if (!callee.here && norn_shim_is_pure_call(call))
		callee.known = NORN_CALLEE_PURE;
	callee.named = e && callee.known != NORN_CALLEE_UNKNOWN && callee.known != NORN_CALLEE_ENDS &&
	               !(e->flags & (NORN_EFFECTS_HOOKED | NORN_EFFECTS_TWICE)) && !is_reserved(name);
	callee.announced = !callee.here && callee.known == NORN_CALLEE_UNKNOWN;
	return callee;
}
