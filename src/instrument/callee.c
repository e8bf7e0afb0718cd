/* See callee.h. */
#include "instrument/callee.h"

#include "instrument/assembly.h"
#include "instrument/lend.h"
#include "instrument/share.h"

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

/* Whether memory that others may share is touched in a way that is not recorded. */
static bool touches_unseen(struct norn_pass *pass, LLVMValueRef call, const struct norn_effects *e)
{
	unsigned arguments = LLVMGetNumArgOperands(call);
	bool touched = false;
	for (unsigned i = 0; i < e->part_count; i++) {
		/* What a format takes; the others are pointers themselves. */
		bool rest = e->parts[i].extent >= NORN_EFFECTS_FORMAT && e->parts[i].extent < NORN_EFFECTS_WHOLE;
		touched |= e->parts[i].pointer == NORN_EFFECTS_GLOBAL || rest;
		LLVMValueRef pointer = e->parts[i].pointer < arguments ? LLVMGetOperand(call, e->parts[i].pointer) : NULL;
		touched |= pointer && is_pointer(pointer) && !is_null(pointer) && norn_share_may(pass, pointer);
	}
	return touched;
}

/* ---- resources ---- */

#define BIT(resource) (1u << NORN_EFFECTS_##resource)
/* A thread has its own of these. */
#define OWN (BIT(FENV) | BIT(SIGNAL_MASK))
/* All that is open, and what it is open on, is one: what reads and writes through the kernel looks at it, too
 * (runtime/interpose/kernel_channel.h). */
#define OPEN (BIT(DESCRIPTORS) | BIT(DIRECTORY) | BIT(FILES) | BIT(STREAMS) | BIT(TERMINAL))
/* What functions that the runtime interposes make records of. */
#define RECORDED (BIT(FILES) | BIT(STREAMS) | BIT(HEAP) | BIT(OBJECT) | BIT(MAPPINGS) | BIT(THREADS))

static uint32_t as_events(uint32_t resources)
{
	return (resources & ~(OWN | OPEN)) | (resources & OPEN ? BIT(FILES) : 0);
}

/* Does it give or take numbers of descriptors? Who only uses one makes records enough. */
static bool changes_numbers(const struct norn_effects *e)
{
	for (unsigned i = 0; i < e->use_count; i++)
		if (e->uses[i].resource == NORN_EFFECTS_DESCRIPTORS && e->uses[i].key == NORN_EFFECTS_NONE &&
		        e->uses[i].how & NORN_EFFECTS_WRITES)
			return true;
	return false;
}

static void find_resources(const struct norn_effects *e, struct norn_callee *callee)
{
	uint32_t reads = e->reads, changes = e->writes | e->adds;
	if (e->flags & NORN_EFFECTS_HOOKED) {
		uint32_t recorded = RECORDED;
		if (!changes_numbers(e))
			recorded |= OPEN;
		changes &= ~recorded;
		reads &= ~recorded;
	}
	/* Which keys there are is as it was, or they could not be used. */
	if (strstr(e->name, "specific") || strcmp(e->name, "tss_get") == 0 || strcmp(e->name, "tss_set") == 0)
		reads &= ~BIT(THREADS);
	callee->sizes = strstr(e->name, "stat") || strstr(e->name, "seek") || strstr(e->name, "tell");
	callee->looks = as_events(reads);
	callee->changes = as_events(changes);
}

/* ---- entries ---- */

static bool is_output(const struct norn_effects *e)
{
	bool writes = false;
	for (unsigned i = 0; i < e->part_count; i++)
		writes |= e->parts[i].how & NORN_EFFECTS_WRITES && e->parts[i].extent < NORN_EFFECTS_FORMAT;
	return e->adds && !e->writes && !(e->reads & ~BIT(LOCALE)) && !writes;
}

/* A value of its arguments and the locale. */
static bool is_nearly_pure(const struct norn_effects *e)
{
	bool more =
	        e->flags & ~(unsigned)(NORN_EFFECTS_ERRNO | NORN_EFFECTS_PREFIX) || e->waits || e->calls || e->keeps || e->frees;
	return !more && !e->part_count && !e->writes && !e->adds && e->reads == BIT(LOCALE);
}

/* Memory that it keeps, and others write or read later on, if the runtime does not look after that. Functions are none. */
static bool keeps_memory(LLVMValueRef call, const struct norn_effects *e)
{
	static const char *const watched[] = {"setvbuf", "setbuf", "putenv", "__pthread_", "_pthread_", "pthread_", "thrd_", "tss_",
	        "signal", "sysv_signal", "ssignal", "bsd_signal", "sigset", "openlog", "atexit", "__cxa_", "at_quick_exit",
	        "on_exit", "sigaltstack"};
	for (unsigned i = 0, n = LLVMGetNumArgOperands(call); i < n && i < 16; i++) {
		LLVMValueRef argument = e->keeps >> i & 1 ? LLVMGetOperand(call, i) : NULL;
		if (argument && is_pointer(argument) && !is_null(argument) && !LLVMIsAFunction(argument) &&
		        !is_one_of(e->name, watched, sizeof watched / sizeof *watched))
			return true;
	}
	return false;
}

static bool fills(const struct norn_lending *lending)
{
	for (unsigned i = 0; i < lending->count; i++)
		if (lending->lents[i].writes)
			return true;
	return false;
}

/* syscall(SYS_futex, …), which the runtime sees (runtime/interpose/futex.c), and whose result nobody looks at. */
static bool is_futex(LLVMValueRef call, const char *name)
{
	LLVMValueRef number = strcmp(name, "syscall") == 0 && LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
	return number && LLVMIsAConstantInt(number) && LLVMConstIntGetZExtValue(number) == SYS_futex && !LLVMGetFirstUse(call);
}

static void use_entry(struct norn_pass *pass, LLVMValueRef call, const struct norn_effects *e, struct norn_callee *callee)
{
	struct norn_lending lending;
	bool lent = norn_lend_find(pass, call, &lending), hooked = e->flags & NORN_EFFECTS_HOOKED;
	/* Whoever sets the clock may be anybody. */
	bool sets_clock = e->writes & BIT(CLOCK) && !(e->reads & BIT(CLOCK));
	if (e->flags & NORN_EFFECTS_OPAQUE || sets_clock) {
		/* Who looks at what is open, or at limits, comes after it, if it says so. */
		callee->changes = as_events(e->writes) & (BIT(FILES) | BIT(LIMITS));
		return;
	}
	if (e->flags & NORN_EFFECTS_ENDS) {
		callee->known = NORN_CALLEE_ENDS;
		return;
	}
	find_resources(e, callee);
	/* The locale changes so seldom, and is looked at so often, that no prediction contains a change (X7). */
	if (e->writes & BIT(LOCALE))
		return;
	bool unseen = is_output(e) ? !lent : !lent && !hooked && (e->calls || touches_unseen(pass, call, e));
	if (norn_effects_is_pure(e) || is_nearly_pure(e))
		callee->known = NORN_CALLEE_PURE;
	else if (is_output(e) && !is_looked_at(call) && !fills(&lending))
		callee->known = NORN_CALLEE_OUTPUT;
	else if (!unseen && !keeps_memory(call, e))
		callee->known = NORN_CALLEE_KNOWN;
	else
		callee->looks = callee->changes = 0;
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
