/* Calls, and what else is written as one: copies of memory, masked vectors. See static_flow.h. */
#include "instrument/flow/static_flow.h"

#include "instrument/callee.h"
#include "instrument/lend.h"
#include "instrument/masked.h"
#include "instrument/memory_calls.h"
#include "instrument/share.h"
#include "trace/facts.h"

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
		value = norn_flow_node(flow, NORN_FLOW_NODE_SITE, site);
		flow->nodes[value].pieces = true;
		norn_flow_edge(flow, value, held, false);
	}
	norn_flow_write_memory(flow, m->to, value, block, writes);
	if (writes)
		norn_flow_use(flow, site, NORN_FACT_VALUE, 0, held);
	norn_flow_root(flow, operand(flow, m->to));
	norn_flow_root(flow, operand(flow, m->from));
	norn_flow_root(flow, operand(flow, m->bytes));
	norn_flow_edge(flow, norn_flow_value(flow, call), operand(flow, m->to), false);
	norn_flow_edge(flow, norn_flow_value(flow, call), operand(flow, m->bytes), false);
	flow->effects[block] = true;
}

static void build_masked(struct norn_flow *flow, LLVMValueRef call, const struct norn_masked_operands *m, uint32_t block)
{
	uint32_t point = norn_flow_point(flow, call), node = norn_flow_value(flow, call);
	bool vector = !is_pointer(m->pointer);
	if (point == NORN_NONE && (vector || norn_share_may(flow->pass, m->pointer))) {
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

struct call {
	LLVMValueRef call;
	struct norn_callee callee;
	uint32_t block;
	uint32_t point; /* of the call itself, NORN_NONE if it has no site */
	uint32_t node; /* its result, and what it leaves in memory that it was lent */
};

static void build_value(struct norn_flow *flow, const struct call *c)
{
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++)
		norn_flow_edge(flow, c->node, operand(flow, LLVMGetOperand(c->call, i)), false);
	uint32_t loop = flow->blocks.all[c->block].loop;
	if (c->callee.loop_ends && loop != NORN_NONE)
		flow->bounded[loop] = true;
}

/* A local that is lent: what it holds is read, and something else may be left there. True if there is any. */
static bool lend(struct norn_flow *flow, const struct call *c, LLVMValueRef pointer, bool writes)
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
static bool pass_copy(struct norn_flow *flow, const struct call *c, unsigned i, uint32_t *ret_node)
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

static void build_output(struct norn_flow *flow, const struct call *c)
{
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(c->call, i);
		uint32_t node = operand(flow, argument);
		if (is_pointer(argument) && (node || lend(flow, c, argument, false))) {
			norn_flow_root(flow, node);
			flow->effects[c->block] = true;
		}
		norn_flow_edge(flow, c->node, node, false);
	}
}

/* Code that may do anything: the analysis finds its frame, or else takes it for opaque. What goes by an ellipsis has no
 * parameter. */
static void build_unknown(struct norn_flow *flow, const struct call *c)
{
	bool follows = c->callee.known == NORN_CALLEE_UNKNOWN && c->point != NORN_NONE && !c->callee.intrinsic;
	unsigned parameters = LLVMCountParamTypes(LLVMGetCalledFunctionType(c->call));
	flow->effects[c->block] = true;
	for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++) {
		LLVMValueRef argument = LLVMGetOperand(c->call, i);
		uint32_t node = operand(flow, argument);
		if (!pass_copy(flow, c, i, &node) && is_pointer(argument))
			lend(flow, c, argument, true);
		if (follows && i < parameters && i < ARGUMENTS_MAX)
			norn_flow_use(flow, flow->pass->points[c->point].site, NORN_FACT_ARGUMENT, i, node);
		else
			norn_flow_root(flow, node);
	}
	if (!c->callee.intrinsic && !c->callee.function)
		norn_flow_root(flow, operand(flow, LLVMGetCalledValue(c->call)));
	if (c->point == NORN_NONE) /* a value of its arguments, which decide */
		for (unsigned i = 0, n = LLVMGetNumArgOperands(c->call); i < n; i++)
			norn_flow_edge(flow, c->node, operand(flow, LLVMGetOperand(c->call, i)), false);
}

/* Lent memory that a function of libc reads: it decides, unless it is only printed. */
static void build_lent(struct norn_flow *flow, const struct call *c)
{
	const struct norn_pass *pass = flow->pass;
	struct norn_lending lending;
	if (!norn_lend_find(flow->pass, c->call, &lending))
		return;
	for (size_t p = norn_flow_point(flow, c->call); p < pass->point_count && pass->points[p].instruction == c->call; p++) {
		if (pass->points[p].action != NORN_ACT_LENT)
			continue;
		flow->effects[c->block] = true;
		if (lending.lents[pass->points[p].operand].writes)
			continue;
		uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_SITE, pass->points[p].site);
		flow->nodes[node].pieces = true;
		if (c->callee.known != NORN_CALLEE_OUTPUT)
			norn_flow_root(flow, node);
	}
}

/* Assembly that reads and writes at once: what it reads decides, and so does all that it is given. */
static void build_atomic(struct norn_flow *flow, const struct call *c, uint32_t site)
{
	uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_SITE, site);
	norn_flow_root(flow, node);
	flow->effects[c->block] = true;
}

static void find_call_point(struct norn_flow *flow, struct call *c)
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
	struct call c = {.call = call, .callee = norn_callee_of(flow->pass, call), .block = block};
	c.node = norn_flow_value(flow, call);
	find_call_point(flow, &c);
	flow->unknown |= norn_shim_returns_twice(call);
	uint32_t point = norn_flow_point(flow, call);
	if (point != NORN_NONE && flow->pass->points[point].action == NORN_ACT_ATOMIC)
		build_atomic(flow, &c, flow->pass->points[point].site);
	build_lent(flow, &c);
	if (c.callee.known == NORN_CALLEE_PURE) {
		build_value(flow, &c);
		return;
	}
	if (c.point != NORN_NONE && c.callee.known != NORN_CALLEE_OUTPUT) {
		flow->nodes[c.node].kind = NORN_FLOW_NODE_SITE;
		flow->nodes[c.node].index = flow->pass->points[c.point].site;
	}
	if (c.callee.known == NORN_CALLEE_OUTPUT)
		build_output(flow, &c);
	else
		build_unknown(flow, &c);
}
