/* Calls, and what else is written as one: copies of memory, masked vectors. See static_flow.h. */
#include "instrument/flow/static_flow.h"

#include "effects/effects.h"
#include "effects/job_functions.h"
#include "instrument/call/callee.h"
#include "instrument/call/argument_memory.h"
#include "instrument/flow/one_object.h"
#include "instrument/access/masked_vectors.h"
#include "instrument/access/memory_calls.h"
#include "instrument/access/escape_analysis.h"
#include "instrument/site/variable_name.h"
#include "trace/facts.h"

#include <string.h>

#define ARGUMENTS_MAX 255u
#define OBJECTS_MAX 64

static uint32_t operand(struct norn_flow *flow, LLVMValueRef value)
{
	return value ? norn_flow_value(flow, value) : 0;
}

static bool is_pointer(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* ---- ranges ---- */

static void build_range(struct norn_flow *flow, LLVMValueRef call, const struct norn_memory_operands *m, uint32_t block)
{
	uint32_t point = norn_flow_point(flow, call), site = point == NORN_NONE ? 0 : flow->pass->points[point].site;
	unsigned action = point == NORN_NONE ? NORN_ACT_CALL : flow->pass->points[point].action;
	bool reads = action == NORN_ACT_COPY || action == NORN_ACT_COPY_IN;
	bool writes = action == NORN_ACT_COPY || action == NORN_ACT_COPY_OUT || action == NORN_ACT_SET;
	uint32_t held = m->from ? norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0) : operand(flow, m->byte), value = held;
	if (m->from)
		norn_flow_read_memory(flow, held, m->from, block);
	if (reads) {
		flow->nodes[held].untold = false;
		value = norn_flow_node(flow, NORN_FLOW_NODE_SITE, site);
		flow->nodes[value].pieces = true;
		norn_flow_edge(flow, value, held, false);
	}
	norn_flow_write_memory(flow, m->to, value, block, writes);
	if (writes)
		norn_flow_use(flow, site, NORN_FACT_VALUE, 0, held);
	/* Its address is what is read first, of what is recorded. */
	LLVMValueRef based = reads ? m->from : writes ? m->to : NULL;
	if (based)
		norn_flow_address(flow, site, NORN_NONE, based);
	norn_flow_root(flow, m->to == based ? 0 : operand(flow, m->to));
	norn_flow_root(flow, m->from == based ? 0 : operand(flow, m->from));
	norn_flow_root(flow, operand(flow, m->bytes));
	if (reads || writes) {
		uint32_t address = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0);
		norn_flow_edge(flow, address, operand(flow, m->to), false);
		norn_flow_edge(flow, address, operand(flow, m->from), false);
		norn_flow_use(flow, site, NORN_FACT_PLACE, 0, address);
	}
	norn_flow_edge(flow, norn_flow_value(flow, call), operand(flow, m->to), false);
	norn_flow_edge(flow, norn_flow_value(flow, call), operand(flow, m->bytes), false);
	flow->effects[block] = true;
}

static void build_masked(struct norn_flow *flow, LLVMValueRef call, const struct norn_masked_operands *m, uint32_t block)
{
	uint32_t point = norn_flow_point(flow, call), node = norn_flow_value(flow, call);
	bool vector = !is_pointer(m->pointer);
	if (point == NORN_NONE && (vector || norn_may_be_shared(flow->pass, m->pointer))) {
		flow->unknown = true;
		return;
	}
	if (m->stored) {
		if (point != NORN_NONE)
			norn_flow_use(flow, flow->pass->points[point].site, NORN_FACT_VALUE, 0, operand(flow, m->stored));
		if (!vector)
			norn_flow_write_memory(flow, m->pointer, operand(flow, m->stored), block, point != NORN_NONE);
	} else {
		if (point != NORN_NONE) {
			flow->nodes[node].kind = NORN_FLOW_NODE_SITE;
			flow->nodes[node].index = flow->pass->points[point].site;
			flow->nodes[node].pieces = true;
		}
		norn_flow_edge(flow, node, operand(flow, m->passed), false);
		if (!vector)
			norn_flow_read_memory(flow, node, m->pointer, block);
	}
	norn_flow_root(flow, operand(flow, m->pointer));
	norn_flow_root(flow, operand(flow, m->mask));
	flow->effects[block] = true;
}

/* ---- calls ---- */

struct flow_call {
	LLVMValueRef call;
	struct norn_callee callee;
	uint32_t block;
	uint32_t point; /* of the call itself, NORN_NONE if it has no site */
	uint32_t node; /* its result, and what it leaves in memory behind its arguments */
	uint32_t followed; /* bits of arguments that are pointers which it follows */
};

static void build_value(struct norn_flow *flow, const struct flow_call *c)
{
	bool nothing = LLVMGetTypeKind(LLVMTypeOf(c->call)) == LLVMVoidTypeKind;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++) {
		norn_flow_edge(flow, c->node, operand(flow, LLVMGetOperand(c->call, i)), false);
		if (!nothing)
			norn_flow_number(flow, operand(flow, LLVMGetOperand(c->call, i)));
	}
	uint32_t loop = flow->blocks.all[c->block].loop;
	if (c->callee.loop_ends && loop != NORN_NONE)
		flow->bounded[loop] = true;
}

/* A local whose address is passed: what it holds is read, and something else may be left there. True if there is any. */
static bool pass_local(struct norn_flow *flow, const struct flow_call *c, LLVMValueRef pointer, bool writes)
{
	LLVMValueRef objects[OBJECTS_MAX];
	unsigned count = norn_shim_objects(pointer, objects, OBJECTS_MAX);
	bool found = false;
	flow->unknown |= count > OBJECTS_MAX;
	for (unsigned i = 0; i < count && i < OBJECTS_MAX; i++) {
		uint32_t local = norn_local_of(flow, objects[i]);
		if (local == NORN_NONE)
			continue;
		found = true;
		norn_flow_root(flow, norn_local_load(flow, local, c->block));
		if (writes)
			norn_local_store(flow, local, c->block, c->node);
	}
	return found;
}

/* By-value arguments of any function: what is read of memory, or of a local, is what is passed. */
static bool pass_copy(struct norn_flow *flow, const struct flow_call *c, unsigned i, uint32_t *ret_node)
{
	if (!norn_shim_byval_bytes(c->call, i))
		return false;
	LLVMValueRef argument = LLVMGetOperand(c->call, i);
	const struct norn_pass *pass = flow->pass;
	*ret_node = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0);
	for (size_t p = norn_flow_point(flow, c->call); p < pass->point_count && pass->points[p].instruction == c->call; p++)
		if (pass->points[p].action == NORN_ACT_BYVAL && pass->points[p].operand == i) {
			flow->nodes[*ret_node].kind = NORN_FLOW_NODE_SITE;
			flow->nodes[*ret_node].index = pass->points[p].site;
			flow->nodes[*ret_node].pieces = true;
		}
	norn_flow_read_memory(flow, *ret_node, argument, c->block);
	norn_flow_root(flow, operand(flow, argument));
	return true;
}

/* May this argument, a pointer that a function without hooks is given, become a number: as text (%p), or in what is called back? */
static bool numbers_pointer(const struct flow_call *c, unsigned argument)
{
	unsigned fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(c->call));
	size_t length;
	const char *name = c->callee.function ? LLVMGetValueName2(c->callee.function, &length) : "";
	const struct norn_effects *effects = norn_effects_find(name, NULL);
	bool told = argument < fixed;
	if (effects && effects->calls)
		return true;
	for (unsigned i = 0; i < fixed && argument >= fixed; i++) {
		const char *format = norn_name_constant(LLVMGetOperand(c->call, i), &length);
		if (format && memchr(format, 'p', length))
			return true;
		told |= format != NULL;
	}
	return !told;
}

static void build_output(struct norn_flow *flow, const struct flow_call *c)
{
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(c->call, i);
		uint32_t node = operand(flow, argument);
		if (is_pointer(argument) && numbers_pointer(c, i))
			norn_flow_number(flow, node);
		if (is_pointer(argument) && (node || pass_local(flow, c, argument, false))) {
			norn_flow_root(flow, i < 32 && c->followed >> i & 1 ? 0 : node);
			flow->effects[c->block] = true;
		}
		norn_flow_edge(flow, c->node, node, false);
	}
}

/* A handle identifies a thread: its numeric value does not matter. */
static bool is_thread(const struct flow_call *c, unsigned argument)
{
	static const char *const names[] = {"pthread_join", "pthread_detach", "pthread_tryjoin_np", "pthread_timedjoin_np",
	        "pthread_clockjoin_np", "thrd_join", "thrd_detach"};
	size_t length;
	const char *name = argument == 0 && c->callee.function ? LLVMGetValueName2(c->callee.function, &length) : "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The number of the argument that a new thread begins with, NORN_NONE: the call makes none. */
static uint32_t thread_argument(const struct flow_call *c)
{
	size_t length;
	const char *name = c->callee.function ? LLVMGetValueName2(c->callee.function, &length) : "";
	return strcmp(name, "pthread_create") == 0 ? 3 : strcmp(name, "thrd_create") == 0 ? 2 : NORN_NONE;
}

/* Sources of the pointers that a function of libc is given. */
static void build_addresses(struct norn_flow *flow, const struct flow_call *c)
{
	uint32_t address = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0), begins = thread_argument(c);
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++)
		if (begins == NORN_NONE ? is_pointer(LLVMGetOperand(c->call, i)) : i == begins)
			norn_flow_edge(flow, address, operand(flow, LLVMGetOperand(c->call, i)), false);
	norn_flow_use(flow, flow->pass->points[c->point].site, NORN_FACT_PLACE, 0, address);
}

/* Code that may do anything: the analysis finds its frame, or else takes it for opaque. Arguments of an ellipsis have no
 * parameter. */
static void build_unknown(struct norn_flow *flow, const struct flow_call *c)
{
	bool follows = c->callee.known == NORN_CALLEE_UNKNOWN && c->point != NORN_NONE && !c->callee.intrinsic;
	unsigned parameters = LLVMCountParamTypes(LLVMGetCalledFunctionType(c->call));
	flow->effects[c->block] = true;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(c->call, i);
		uint32_t node = operand(flow, argument);
		if (!pass_copy(flow, c, i, &node) && is_pointer(argument))
			pass_local(flow, c, argument, true);
		bool followed = follows && i < parameters && i < ARGUMENTS_MAX, known = c->callee.function && !follows;
		if (followed) {
			norn_flow_use(flow, flow->pass->points[c->point].site, NORN_FACT_ARGUMENT, i, node);
			norn_flow_give(flow, flow->pass->points[c->point].site, i, argument);
		} else if (i >= 32 || !(c->followed >> i & 1)) {
			norn_flow_root(flow, node);
		}
		if (followed && is_pointer(argument) && !norn_shim_byval_bytes(c->call, i))
			norn_flow_address(flow, flow->pass->points[c->point].site, i, argument);
		if (!followed && !is_thread(c, i) && (!is_pointer(argument) || (known && numbers_pointer(c, i))))
			norn_flow_number(flow, node);
	}
	if (!follows && c->point != NORN_NONE && !c->callee.intrinsic)
		build_addresses(flow, c);
	if (!c->callee.intrinsic && !c->callee.function)
		norn_flow_address(
		        flow, follows ? flow->pass->points[c->point].site : NORN_NONE, NORN_NONE, LLVMGetCalledValue(c->call));
	if (c->point == NORN_NONE) /* a value of its arguments, which decide */
		for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++)
			norn_flow_edge(flow, c->node, operand(flow, LLVMGetOperand(c->call, i)), false);
}

/* A function that goes where its pointers say, whatever they are: null crashes. */
static bool follows_pointers(const struct flow_call *c)
{
	static const char *const names[] = {"strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll",
	        "strchr", "strrchr", "strchrnul", "strstr", "strcasestr", "strpbrk", "strspn", "strcspn", "strdup", "strndup",
	        "strcpy", "strncpy", "strcat", "strncat", "stpcpy", "memcmp", "memchr", "memrchr", "atoi", "atol", "atoll", "atof",
	        "strtol", "strtoul", "strtoll", "strtoull", "strtod", "puts", "fputs"};
	size_t length;
	const char *name = c->callee.function ? LLVMGetValueName2(c->callee.function, &length) : "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* The argument is the base of the memory at this point, unless it may be that none is touched. */
static void follow_argument(
        struct norn_flow *flow, struct flow_call *c, const struct norn_point *point, const struct norn_argument_part *part)
{
	bool first = part->pointer < 32 && !(c->followed >> part->pointer & 1);
	if (!first || part->global || part->careful || part->condition != NORN_EFFECTS_ALWAYS || !follows_pointers(c))
		return;
	norn_flow_address(flow, point->site, NORN_NONE, LLVMGetOperand(c->call, part->pointer));
	c->followed |= UINT32_C(1) << part->pointer;
}

/* A function that makes one record of the object of synchronization that its first argument points to: null crashes. */
static bool uses_object(const struct flow_call *c)
{
	static const char *const names[] = {"pthread_mutex_lock", "pthread_mutex_unlock", "pthread_spin_lock",
	        "pthread_spin_unlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock",
	        "pthread_cond_signal", "pthread_cond_broadcast", "sem_post", "sem_wait"};
	size_t length;
	const char *name = c->callee.function ? LLVMGetValueName2(c->callee.function, &length) : "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void follow_object(struct norn_flow *flow, struct flow_call *c)
{
	if (c->point == NORN_NONE || c->callee.here || c->callee.known == NORN_CALLEE_UNKNOWN || !uses_object(c))
		return;
	norn_flow_address(flow, flow->pass->points[c->point].site, NORN_NONE, LLVMGetOperand(c->call, 0));
	c->followed |= 1;
}

/* Bytes of whatever is there, an address among them. No text has one, nor has a structure of the library's. */
static bool is_raw(const struct norn_argument_part *part)
{
	switch (part->extent & ~(unsigned)(NORN_EXTENT_BEHIND | NORN_EXTENT_CAREFUL)) {
	case NORN_EXTENT_BYTES:
	case NORN_EXTENT_KERNEL:
		return part->limit != NORN_EFFECTS_NONE;
	case NORN_EXTENT_SAME_BYTES:
	case NORN_EXTENT_UNTIL_BYTES:
		return true;
	default:
		return false;
	}
}

/* Does the function only pass its argument on to another thread? */
static bool makes_thread(const struct flow_call *c)
{
	size_t length;
	const struct norn_job_function *known =
	        c->callee.function ? norn_job_function_find(LLVMGetValueName2(c->callee.function, &length)) : NULL;
	return known && known->begins;
}

/* Memory behind its arguments that a function of libc reads: it decides, unless it is only printed. */
static void build_passed_memory(struct norn_flow *flow, struct flow_call *c)
{
	const struct norn_pass *pass = flow->pass;
	struct norn_argument_parts parts;
	if (!norn_argument_memory_find(flow->pass, c->call, &parts))
		return;
	for (size_t p = norn_flow_point(flow, c->call); p < pass->point_count && pass->points[p].instruction == c->call; p++) {
		if (pass->points[p].action != NORN_ACT_ARGUMENT_MEMORY)
			continue;
		flow->effects[c->block] = true;
		follow_argument(flow, c, pass->points + p, &parts.list[pass->points[p].operand]);
		if (parts.list[pass->points[p].operand].writes)
			continue;
		uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_SITE, pass->points[p].site);
		flow->nodes[node].pieces = true;
		if (c->callee.known != NORN_CALLEE_OUTPUT || LLVMIsAInvokeInst(c->call)) {
			norn_flow_root(flow, node);
			if (!makes_thread(c) && is_raw(&parts.list[pass->points[p].operand]) && !norn_flow_is_of_text(c->call))
				norn_flow_number(flow, node);
		}
	}
}

/* Assembly that reads and writes at once: what it reads decides, and so does all that it is given. */
static void build_atomic(struct norn_flow *flow, const struct flow_call *c, uint32_t site)
{
	uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_SITE, site);
	norn_flow_root(flow, node);
	flow->effects[c->block] = true;
}

static void find_call_point(struct norn_flow *flow, struct flow_call *c)
{
	const struct norn_pass *pass = flow->pass;
	c->point = NORN_NONE;
	for (size_t p = norn_flow_point(flow, c->call); p < pass->point_count && pass->points[p].instruction == c->call; p++)
		if (pass->points[p].action == NORN_ACT_CALL)
			c->point = p;
}

void norn_flow_call(struct norn_flow *flow, LLVMValueRef call, uint32_t block)
{
	struct norn_memory_operands range;
	struct norn_masked_operands masked;
	if (norn_memory_operands(call, &range)) {
		build_range(flow, call, &range, block);
		return;
	}
	if (norn_masked_operands(call, &masked)) {
		build_masked(flow, call, &masked, block);
		return;
	}
	struct flow_call c = {.call = call, .callee = norn_callee_of(flow->pass, call), .block = block};
	c.node = norn_flow_value(flow, call);
	find_call_point(flow, &c);
	flow->unknown |= norn_shim_returns_twice(call);
	uint32_t point = norn_flow_point(flow, call);
	if (point != NORN_NONE && flow->pass->points[point].action == NORN_ACT_ATOMIC)
		build_atomic(flow, &c, flow->pass->points[point].site);
	if (point != NORN_NONE && flow->pass->points[point].action == NORN_ACT_FENCE)
		flow->effects[block] = true;
	build_passed_memory(flow, &c);
	follow_object(flow, &c);
	bool throws = LLVMIsAInvokeInst(call); /* whether it throws may depend on its arguments */
	bool pure = c.callee.known == NORN_CALLEE_PURE, output = c.callee.known == NORN_CALLEE_OUTPUT;
	if ((c.point == NORN_NONE || pure || output) && is_pointer(call))
		flow->nodes[c.node].untold = true;
	if (pure && !throws) {
		build_value(flow, &c);
		return;
	}
	if (c.point != NORN_NONE && !output) {
		flow->nodes[c.node].kind = NORN_FLOW_NODE_SITE;
		flow->nodes[c.node].index = flow->pass->points[c.point].site;
	}
	if (output && !throws)
		build_output(flow, &c);
	else
		build_unknown(flow, &c);
}
