#include "instrument/flow/frame_need.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/pass_memory.h"
#include "instrument/site/variable_name.h"

#define WORDS_MAX (UINT64_C(1) << 22) /* of all sets of a function; a larger one is not looked at */

enum value_class {
	VALUE_COMPUTED = 1,
	VALUE_CONSTANT, /* the same in all calls */
	VALUE_PARAMETER, /* made of parameters and constants */
	VALUE_LOCAL, /* the address of a local in memory, or of a part of it */
	VALUE_NOW, /* being looked at */
};

/* A set of things that a frame may need: [0]: its parameters; computed values, and locals in memory. */
struct needs {
	const struct norn_blocks *blocks;
	struct norn_number_map classes; /* enum value_class of a value */
	struct norn_number_map owners; /* the alloca's number, of the address of a local */
	struct norn_number_map held; /* enum value_class of what a variable holds */
	struct norn_number_map numbers; /* of things */
	struct norn_number_map copies; /* how many calls of one origin there are in one loop */
	uint32_t count; /* things */
	uint32_t words; /* of a set */
	uint64_t *used, *set, *live; /* by block: used before they are set; set; needed at the block's end */
	bool unknown;
};

static uint64_t key(LLVMValueRef value)
{
	return (uintptr_t)value;
}

static uint32_t number_of(struct needs *n, LLVMValueRef value)
{
	uint32_t number = norn_number_map_get(&n->numbers, key(value));
	if (!number) {
		number = n->count++;
		norn_number_map_set(&n->numbers, key(value), number);
	}
	return number;
}

static bool is_marker(LLVMValueRef user)
{
	size_t length;
	LLVMValueRef callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
	const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
	return strncmp(name, "llvm.lifetime.", 14) == 0 || strncmp(name, "llvm.dbg.", 9) == 0;
}

static bool is_lifetime(LLVMValueRef user, const char *name)
{
	size_t length;
	return is_marker(user) && strncmp(LLVMGetValueName2(LLVMGetCalledValue(user), &length), name, strlen(name)) == 0;
}

static bool begins_life(LLVMValueRef user)
{
	return is_lifetime(user, "llvm.lifetime.start");
}

/* Until then it may be used through a pointer that is kept somewhere. */
static bool ends_life(LLVMValueRef user)
{
	return is_lifetime(user, "llvm.lifetime.end");
}

static bool has_lifetime(LLVMValueRef alloca)
{
	bool ends = false;
	for (LLVMUseRef use = LLVMGetFirstUse(alloca); use && !ends; use = LLVMGetNextUse(use))
		ends = ends_life(LLVMGetUser(use));
	return ends;
}

/* Is the alloca only loaded and stored, whole? ret_store: the only store, NULL if there are none or several. */
static bool is_plain(LLVMValueRef alloca, LLVMValueRef *ret_store)
{
	LLVMTypeRef type = LLVMGetAllocatedType(alloca);
	unsigned stores = 0;
	*ret_store = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool loads = LLVMIsALoadInst(user) && LLVMTypeOf(user) == type;
		bool stored = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == alloca && LLVMGetOperand(user, 0) != alloca &&
		              LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
		if (!loads && !stored && !is_marker(user))
			return false;
		if (stored)
			*ret_store = stores++ ? NULL : user;
	}
	return true;
}

static enum value_class class_of(struct needs *n, LLVMValueRef value);

/* Of operands: the highest that they need. */
static enum value_class class_of_operands(struct needs *n, LLVMValueRef value)
{
	enum value_class class = VALUE_CONSTANT;
	for (unsigned i = 0, count = (unsigned)LLVMGetNumOperands(value); i < count; i++) {
		LLVMValueRef operand = LLVMGetOperand(value, i);
		enum value_class c = LLVMIsABasicBlock(operand) ? VALUE_CONSTANT : class_of(n, operand);
		if (c == VALUE_COMPUTED || c == VALUE_NOW)
			return VALUE_COMPUTED;
		if (c == VALUE_LOCAL) {
			uint32_t owner = norn_number_map_get(&n->owners, key(operand)),
			         other = norn_number_map_get(&n->owners, key(value));
			if (other && other != owner)
				n->unknown = true;
			norn_number_map_set(&n->owners, key(value), owner);
			class = VALUE_LOCAL;
		} else if (c == VALUE_PARAMETER && class != VALUE_LOCAL) {
			class = VALUE_PARAMETER;
		}
	}
	return class;
}

/* A local in memory that is like a variable. */
static bool is_variable(struct needs *n, LLVMValueRef value)
{
	return LLVMIsAAllocaInst(value) && class_of(n, value) == VALUE_CONSTANT;
}

/* A variable that is set once, where the function begins, holds that from then on. */
static enum value_class class_of_alloca(struct needs *n, LLVMValueRef alloca)
{
	LLVMValueRef store;
	LLVMBasicBlockRef entry = n->blocks->all[0].block;
	if (!LLVMIsConstant(LLVMGetOperand(alloca, 0)) || LLVMGetInstructionParent(alloca) != entry)
		return VALUE_COMPUTED;
	if (!is_plain(alloca, &store)) {
		norn_number_map_set(&n->owners, key(alloca), number_of(n, alloca));
		return VALUE_LOCAL;
	}
	enum value_class held =
	        store && LLVMGetInstructionParent(store) == entry ? class_of(n, LLVMGetOperand(store, 0)) : VALUE_COMPUTED;
	norn_number_map_set(&n->held, key(alloca), held == VALUE_CONSTANT || held == VALUE_PARAMETER ? held : VALUE_COMPUTED);
	return VALUE_CONSTANT;
}

static enum value_class class_of_load(struct needs *n, LLVMValueRef load)
{
	LLVMValueRef pointer = LLVMGetOperand(load, 0);
	return is_variable(n, pointer) ? norn_number_map_get(&n->held, key(pointer)) : VALUE_COMPUTED;
}

static enum value_class find_class(struct needs *n, LLVMValueRef value)
{
	if (LLVMIsAArgument(value))
		return VALUE_PARAMETER;
	if (!LLVMIsAInstruction(value))
		return VALUE_CONSTANT;
	if (LLVMIsAAllocaInst(value))
		return class_of_alloca(n, value);
	if (LLVMIsALoadInst(value))
		return class_of_load(n, value);
	bool plain = LLVMIsAGetElementPtrInst(value) || LLVMIsACastInst(value) || LLVMIsABinaryOperator(value) ||
	             LLVMIsACmpInst(value) || LLVMIsASelectInst(value) || LLVMIsAFreezeInst(value);
	return plain ? class_of_operands(n, value) : VALUE_COMPUTED;
}

static enum value_class class_of(struct needs *n, LLVMValueRef value)
{
	uint32_t known = norn_number_map_get(&n->classes, key(value));
	if (known)
		return known;
	norn_number_map_set(&n->classes, key(value), VALUE_NOW);
	enum value_class class = find_class(n, value);
	norn_number_map_set(&n->classes, key(value), class);
	return class;
}

/* ---- sets ---- */

static void add(uint64_t *set, uint32_t thing)
{
	set[thing / 64] |= UINT64_C(1) << thing % 64;
}

static void drop(uint64_t *set, uint32_t thing)
{
	set[thing / 64] &= ~(UINT64_C(1) << thing % 64);
}

/* The value is needed. */
static void need(struct needs *n, uint64_t *set, LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
		return;
	enum value_class class = class_of(n, value);
	if (class == VALUE_COMPUTED)
		add(set, number_of(n, value));
	else if (class == VALUE_LOCAL)
		add(set, norn_number_map_get(&n->owners, key(value)));
	else if (class == VALUE_PARAMETER)
		add(set, 0);
}

/* A load of a variable needs it; a load that stands for a parameter needs that. */
static void need_operands(struct needs *n, uint64_t *set, LLVMValueRef i)
{
	if ((is_marker(i) && !ends_life(i)) || LLVMIsAPHINode(i))
		return;
	if (LLVMIsALoadInst(i) && is_variable(n, LLVMGetOperand(i, 0)) && class_of(n, i) == VALUE_COMPUTED)
		add(set, number_of(n, LLVMGetOperand(i, 0)));
	for (unsigned k = 0, count = (unsigned)LLVMGetNumOperands(i); k < count; k++)
		if (!LLVMIsABasicBlock(LLVMGetOperand(i, k)))
			need(n, set, LLVMGetOperand(i, k));
}

/* What the instruction sets is needed no more before it. */
static void set_result(struct needs *n, uint64_t *set, LLVMValueRef i)
{
	LLVMValueRef local = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : begins_life(i) ? LLVMGetOperand(i, 1) : NULL;
	if (norn_number_map_get(&n->numbers, key(i)))
		drop(set, norn_number_map_get(&n->numbers, key(i)));
	if (!local || !LLVMIsAAllocaInst(local) || !norn_number_map_get(&n->numbers, key(local)))
		return;
	if (!LLVMIsAStoreInst(i) || is_variable(n, local))
		drop(set, norn_number_map_get(&n->numbers, key(local)));
}

/* Backwards past the instruction: what is needed before it. */
static void step_back(struct needs *n, uint64_t *set, LLVMValueRef i)
{
	set_result(n, set, i);
	need_operands(n, set, i);
}

/* What the phis of the successors take by this way is needed at the block's end. */
static void add_live(struct needs *n, const uint64_t *first, uint32_t b, uint64_t *ret_live)
{
	const struct norn_basic_block *block = n->blocks->all + b;
	for (uint32_t k = 0; k < block->successor_count; k++) {
		uint32_t s = n->blocks->successors[block->successors + k];
		for (uint32_t w = 0; w < n->words; w++)
			ret_live[w] |= first[(size_t)s * n->words + w];
		for (LLVMValueRef phi = LLVMGetFirstInstruction(n->blocks->all[s].block); phi && LLVMIsAPHINode(phi);
		        phi = LLVMGetNextInstruction(phi))
			for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
				if (LLVMGetIncomingBlock(phi, i) == block->block)
					need(n, ret_live, LLVMGetIncomingValue(phi, i));
	}
}

/* Does the instruction do more with this address of a local than access it? */
static bool captures(LLVMValueRef i, unsigned operand)
{
	bool derives = LLVMIsAGetElementPtrInst(i) || LLVMIsACastInst(i) || LLVMIsASelectInst(i) || LLVMIsACmpInst(i);
	return !derives && !LLVMIsALoadInst(i) && !is_marker(i) && !(LLVMIsAStoreInst(i) && operand == 1);
}

/* Things get their numbers before the sets have their size. A local whose address may be kept, and whose life has no end, may be
 * needed anywhere. */
static void number_all(struct needs *n)
{
	for (uint32_t b = 0; b < n->blocks->count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(n->blocks->all[b].block); i; i = LLVMGetNextInstruction(i)) {
			if (class_of(n, i) == VALUE_COMPUTED || is_variable(n, i))
				number_of(n, i);
			for (unsigned k = 0, count = (unsigned)LLVMGetNumOperands(i); k < count; k++) {
				LLVMValueRef operand = LLVMGetOperand(i, k);
				if (!LLVMIsAInstruction(operand) || class_of(n, operand) != VALUE_LOCAL || !captures(i, k))
					continue;
				n->unknown |= !LLVMIsAAllocaInst(operand) || !has_lifetime(operand);
			}
		}
}

/* What is needed where each block begins, to the fixpoint; at[b]: where it ends. */
static void find_live(struct needs *n)
{
	uint32_t blocks = n->blocks->count;
	uint64_t *now = n->set;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = blocks; b-- > 0;) {
			uint64_t *end = n->live + (size_t)b * n->words, *begin = n->used + (size_t)b * n->words;
			add_live(n, n->used, b, end);
			memcpy(now, end, n->words * sizeof *now);
			for (LLVMValueRef i = LLVMGetLastInstruction(n->blocks->all[b].block); i; i = LLVMGetPreviousInstruction(i))
				step_back(n, now, i);
			changed |= memcmp(now, begin, n->words * sizeof *now) != 0;
			memcpy(begin, now, n->words * sizeof *now);
		}
	}
}

/* ---- calls ---- */

static bool is_lock(LLVMValueRef call)
{
	static const char *const names[] = {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	        "pthread_spin_lock", "sem_wait", "mtx_lock"};
	size_t length;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Which call of the source the instruction is, by the number that it got before the optimiser (norn_preserve_calls); 0: it is not
 * known, or of another function that was inlined. */
static uint32_t origin_of(const struct norn_pass *pass, LLVMValueRef call)
{
	LLVMValueRef mark = LLVMGetMetadata(call, LLVMGetMDKindIDInContext(pass->context, NORN_CALL_MARK, strlen(NORN_CALL_MARK)));
	LLVMValueRef items[2];
	size_t own_length;
	unsigned length;
	if (!mark || LLVMGetMDNodeNumOperands(mark) != 2)
		return 0;
	LLVMGetMDNodeOperands(mark, items);
	const char *name = LLVMGetMDString(items[1], &length), *own = LLVMGetValueName2(pass->function, &own_length);
	bool same = name && length == own_length && memcmp(name, own, length) == 0;
	return same && LLVMIsAConstantInt(items[0]) ? (uint32_t)LLVMConstIntGetZExtValue(items[0]) : 0;
}

static bool is_call(const struct norn_point *point)
{
	return point->action == NORN_ACT_CALL && (LLVMIsACallInst(point->instruction) || LLVMIsAInvokeInst(point->instruction));
}

/* Calls in loops, their copies before the loop, and locks. */
static uint64_t copy_key(const struct norn_blocks *blocks, uint32_t block, uint32_t origin)
{
	return (uint64_t)origin << 32 | (blocks->all[block].loop + 1);
}

static void find_candidates(const struct norn_pass *pass, const struct norn_blocks *blocks, struct norn_number_map *ret_points,
        struct norn_number_map *ret_copies)
{
	struct norn_number_map in_loop = {0};
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < pass->point_count; i++) {
			LLVMValueRef call = pass->points[i].instruction;
			if (!is_call(pass->points + i))
				continue;
			uint32_t block = norn_blocks_find(blocks, LLVMGetInstructionParent(call)), origin = origin_of(pass, call);
			bool loops = block != NORN_NONE && blocks->all[block].loop != NORN_NONE;
			if (loops && origin)
				norn_number_map_set(&in_loop, origin, 1);
			if (block != NORN_NONE && origin && round == 0)
				norn_number_map_set(ret_copies, copy_key(blocks, block, origin),
				        norn_number_map_get(ret_copies, copy_key(blocks, block, origin)) + 1);
			bool copied = origin && norn_number_map_get(&in_loop, origin);
			if (block != NORN_NONE && (loops || copied || is_lock(call)))
				norn_number_map_set(ret_points, key(call), (uint32_t)i + 1);
		}
	norn_number_map_done(&in_loop);
}

/* By what is needed before the call: after it, but for its result; and what it is given. */
static enum norn_frame_need of_set(const struct needs *n, const uint64_t *set)
{
	bool parameters = set[0] & 1, others = set[0] > 1;
	for (uint32_t w = 1; w < n->words; w++)
		others |= set[w] != 0;
	return others ? NORN_FRAME_NEEDS_LOCALS : parameters ? NORN_FRAME_NEEDS_PARAMETERS : NORN_FRAME_NEEDS_NOTHING;
}

/* A loop that was unrolled has several copies of a call beside each other, and which of them a thread stands at tells what it has
 * counted to. A loop that begins with a copy of its own test has one before it, and one within. */
static uint32_t origin_apart(const struct needs *n, const struct norn_pass *pass, uint32_t block, LLVMValueRef call)
{
	uint32_t origin = origin_of(pass, call);
	return origin && norn_number_map_get(&n->copies, copy_key(n->blocks, block, origin)) == 1 ? origin : 0;
}

static void of_block(struct needs *n, const struct norn_pass *pass, uint32_t b, const struct norn_number_map *candidates,
        struct norn_call_need *needs, uint32_t first)
{
	memcpy(n->set, n->live + (size_t)b * n->words, n->words * sizeof *n->set);
	for (LLVMValueRef i = LLVMGetLastInstruction(n->blocks->all[b].block); i; i = LLVMGetPreviousInstruction(i)) {
		step_back(n, n->set, i);
		uint32_t point = norn_number_map_get(candidates, key(i));
		if (point)
			needs[pass->points[point - 1].site - first] =
			        (struct norn_call_need){of_set(n, n->set), origin_apart(n, pass, b, i)};
	}
}

static bool has_memory_parameter(LLVMValueRef function)
{
	for (unsigned i = 0; i < LLVMCountParams(function); i++)
		if (norn_shim_is_byval(LLVMGetParam(function, i)))
			return true;
	return LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
}

static void of_calls(struct needs *n, const struct norn_pass *pass, const struct norn_number_map *candidates,
        struct norn_call_need *needs, uint32_t first)
{
	number_all(n);
	n->words = n->count / 64 + 1;
	uint64_t words = (uint64_t)n->words * n->blocks->count;
	if (n->unknown || words > WORDS_MAX)
		return;
	n->live = calloc(words + 1, sizeof *n->live);
	n->used = calloc(words + 1, sizeof *n->used);
	n->set = calloc(n->words, sizeof *n->set);
	if (!n->live || !n->used || !n->set)
		abort();
	find_live(n);
	for (uint32_t b = 0; b < n->blocks->count; b++)
		of_block(n, pass, b, candidates, needs, first);
}

struct norn_call_need *norn_frame_need_find(struct norn_pass *pass, const struct norn_blocks *blocks, uint32_t first)
{
	struct norn_call_need *needs = calloc(pass->table.site_count - first + (size_t)1, sizeof *needs);
	struct needs n = {.blocks = blocks, .count = 1};
	struct norn_number_map candidates = {0};
	if (!needs)
		abort();
	find_candidates(pass, blocks, &candidates, &n.copies);
	if (candidates.used && !has_memory_parameter(pass->function))
		of_calls(&n, pass, &candidates, needs, first);
	norn_number_map_done(&candidates);
	norn_number_map_done(&n.classes);
	norn_number_map_done(&n.owners);
	norn_number_map_done(&n.held);
	norn_number_map_done(&n.numbers);
	norn_number_map_done(&n.copies);
	free(n.live);
	free(n.used);
	free(n.set);
	return needs;
}

/* Is the function used otherwise than by calls that only set something, in which this argument is null? */
static bool asks(const struct norn_pass *pass, const char *name, unsigned argument)
{
	LLVMValueRef function = LLVMGetNamedFunction(pass->module, name);
	for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		bool sets = (LLVMIsACallInst(call) || LLVMIsAInvokeInst(call)) && LLVMGetCalledValue(call) == function &&
		            LLVMGetNumArgOperands(call) > argument && LLVMIsAConstantPointerNull(LLVMGetOperand(call, argument));
		if (!sets)
			return true;
	}
	return false;
}

/* Assembly that reads what the processor keeps for each thread. */
static bool has_such_assembly(const struct norn_pass *pass)
{
	static const char *const words[] = {
	        "%fs", "%gs", "fsbase", "gsbase", "stcw", "stsw", "stenv", "mxcsr", "rdtscp", "rdpid", "xsave"};
	for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				LLVMValueRef assembly = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
				size_t length;
				const char *text = assembly && LLVMIsAInlineAsm(assembly)
				                           ? LLVMGetInlineAsmAsmString(assembly, &length)
				                           : NULL;
				for (size_t w = 0; text && w < sizeof words / sizeof *words; w++)
					if (memmem(text, length, words[w], strlen(words[w])))
						return true;
			}
	return false;
}

bool norn_frame_need_knows_threads(const struct norn_pass *pass)
{
	static const char *const names[] = {"pthread_self", "thrd_current", "gettid", "syscall", "sched_getcpu", "getcpu",
	        "pthread_getspecific", "tss_get", "g_private_get", "g_thread_self", "uv_thread_self", "uv_key_get",
	        "omp_get_thread_num", "llvm.thread.pointer", "pthread_getname_np", "pthread_getattr_np", "pthread_equal",
	        "pthread_cancel", "pthread_kill", "pthread_tryjoin_np", "pthread_timedjoin_np", "uselocale", "swapcontext",
	        "setcontext",
	        /* what the kernel keeps for each thread: priority, processors, names, signals, namespaces */
	        "prctl", "arch_prctl", "nice", "getpriority", "ioprio_get", "sched_getaffinity", "sched_getparam",
	        "sched_getscheduler", "sched_getattr", "sched_rr_get_interval", "pthread_getaffinity_np", "pthread_getschedparam",
	        "pthread_getcpuclockid", "clock_getcpuclockid", "getrusage", "sigpending", "sigaltstack", "unshare", "setns",
	        "clone",
	        /* and the processor: rounding, exceptions of floating point, segments */
	        "fegetround", "fesetround", "fetestexcept", "feclearexcept", "feraiseexcept", "fegetexceptflag", "fesetexceptflag",
	        "fegetenv", "fesetenv", "feholdexcept", "feupdateenv", "fegetmode", "fesetmode", "fegetexcept", "feenableexcept",
	        "fedisableexcept", "llvm.get.rounding", "llvm.set.rounding", "llvm.x86.sse.stmxcsr", "llvm.x86.sse.ldmxcsr",
	        "llvm.x86.rdfsbase.64", "llvm.x86.rdgsbase.64", "llvm.x86.rdtscp", "llvm.x86.rdpid"};
	for (LLVMValueRef g = LLVMGetFirstGlobal(pass->module); g; g = LLVMGetNextGlobal(g)) {
		size_t length;
		if (LLVMIsThreadLocal(g) && strncmp(LLVMGetValueName2(g, &length), "__norn_", 7) != 0)
			return true;
		const char *text = norn_name_constant(g, &length);
		if (text && memmem(text, length, "/proc/thread-self", strlen("/proc/thread-self")))
			return true;
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (LLVMGetNamedFunction(pass->module, names[i]))
			return true;
	return asks(pass, "pthread_sigmask", 2) || asks(pass, "sigprocmask", 2) || asks(pass, "pthread_setcancelstate", 1) ||
	       asks(pass, "pthread_setcanceltype", 1) || has_such_assembly(pass);
}
