/* Conditions of branches as tests of one read, or of one call's result (V8); results of functions, and what is written, as
 * what is made of one read (V7). See static_flow.h and trace/facts.h.
 *
 * A branch may also go by what other branches have decided alone (a local that these have set to one constant or another): it is
 * tested if they are.
 *
 * A chain of casts, comparisons with constants and arithmetic with constants, through locals that are always stored before they are
 * loaded, leads from a condition to one site. It must come out as it did each time that the site is passed, whether the branch is
 * come to or not: so nothing need be known about instances. */
#include "instrument/flow/static_flow.h"

#include "instrument/pass_memory.h"
#include "trace/facts.h"

#include <string.h>

#define STEPS_MAX 6u
#define CASES_MAX 8u
#define LOGICAL_MAX 4u /* depth of && and || */
#define OTHERS_MAX 64u /* values that are gone through from a branch to others that it goes by */

/* The code of a width (trace/facts.h); -1: none. */
static int width_code(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return 4;
	switch (LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0) {
	case 1:
		return 0;
	case 8:
		return 1;
	case 16:
		return 2;
	case 32:
		return 3;
	case 64:
		return 4;
	default:
		return -1;
	}
}

uint32_t norn_test_width(LLVMTypeRef type)
{
	int code = width_code(type);
	return code < 0 ? NORN_NONE : (uint32_t)code;
}

static bool add_step(struct norn_flow_chain *chain, unsigned op, LLVMTypeRef type, int64_t constant)
{
	int code = width_code(type);
	if (code < 0 || chain->items[0] == STEPS_MAX)
		return false;
	uint64_t zigzag = (uint64_t)constant << 1 ^ (uint64_t)(constant >> 63);
	bool wide = zigzag > UINT32_MAX;
	chain->items[0]++;
	chain->items[chain->count++] = op | (unsigned)code << 4 | (unsigned)wide << 7;
	if (op == NORN_TEST_BITS || op == NORN_TEST_SIGNED)
		return true;
	chain->items[chain->count++] = (uint32_t)zigzag;
	if (wide)
		chain->items[chain->count++] = zigzag >> 32;
	return true;
}

bool norn_test_constant(LLVMValueRef value, int64_t *ret_constant)
{
	*ret_constant = 0;
	if (LLVMIsAConstantPointerNull(value))
		return true;
	if (!LLVMIsAConstantInt(value) || width_code(LLVMTypeOf(value)) < 0)
		return false;
	*ret_constant = LLVMConstIntGetSExtValue(value);
	return true;
}

/* A site of which one record tells the whole value, and which is nothing else. */
bool norn_test_is_source(const struct norn_flow *flow, uint32_t node)
{
	const struct norn_flow_node *n = flow->nodes + node;
	unsigned kind = flow->pass->table.sites[n->index].kind;
	return !n->pieces && !n->edges && (kind == NORN_SITE_READ || kind == NORN_SITE_CALL) &&
	       width_code(LLVMTypeOf(n->value)) > 0;
}

static bool express(struct norn_flow *flow, LLVMValueRef value, struct norn_flow_chain *chain);

LLVMValueRef norn_test_local(const struct norn_flow *flow, uint32_t node)
{
	const struct norn_flow_node *n = flow->nodes + node;
	const struct norn_flow_edge *e = flow->edges + n->edges;
	if (!n->edges || e->next || e->all || !flow->nodes[e->to].value)
		return NULL;
	LLVMValueRef stored = flow->nodes[e->to].value;
	int code = width_code(LLVMTypeOf(stored)); /* of numbers and pointers, which may stand for each other */
	return code >= 0 && code == width_code(LLVMTypeOf(n->value)) ? stored : NULL;
}

/* The value of a local, where only one store can have made it. */
static bool express_local(struct norn_flow *flow, uint32_t node, struct norn_flow_chain *chain)
{
	LLVMValueRef stored = norn_test_local(flow, node);
	return stored && express(flow, stored, chain);
}

/* A comparison with a constant as a test, of which there is one of each two opposites; negated: it holds where the test does not.
 * The second one of a pair has the constant on the left. */
bool norn_test_comparison(LLVMValueRef icmp, struct norn_flow_comparison *ret_comparison)
{
	static const struct {
		uint8_t op;
		bool negated;
	} all[][2] = {[LLVMIntEQ] = {{NORN_TEST_EQUAL, false}, {NORN_TEST_EQUAL, false}},
	        [LLVMIntNE] = {{NORN_TEST_EQUAL, true}, {NORN_TEST_EQUAL, true}},
	        [LLVMIntUGT] = {{NORN_TEST_NOT_ABOVE, true}, {NORN_TEST_BELOW, false}},
	        [LLVMIntUGE] = {{NORN_TEST_BELOW, true}, {NORN_TEST_NOT_ABOVE, false}},
	        [LLVMIntULT] = {{NORN_TEST_BELOW, false}, {NORN_TEST_NOT_ABOVE, true}},
	        [LLVMIntULE] = {{NORN_TEST_NOT_ABOVE, false}, {NORN_TEST_BELOW, true}},
	        [LLVMIntSGT] = {{NORN_TEST_NOT_GREATER, true}, {NORN_TEST_LESS, false}},
	        [LLVMIntSGE] = {{NORN_TEST_LESS, true}, {NORN_TEST_NOT_GREATER, false}},
	        [LLVMIntSLT] = {{NORN_TEST_LESS, false}, {NORN_TEST_NOT_GREATER, true}},
	        [LLVMIntSLE] = {{NORN_TEST_NOT_GREATER, false}, {NORN_TEST_LESS, true}}};
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(icmp);
	int64_t constant;
	bool left = !norn_test_constant(LLVMGetOperand(icmp, 1), &constant);
	if (left && !norn_test_constant(LLVMGetOperand(icmp, 0), &constant))
		return false;
	*ret_comparison = (struct norn_flow_comparison){
	        LLVMGetOperand(icmp, left), constant, all[predicate][left].op, all[predicate][left].negated};
	return true;
}

/* Only whether it comes out the same matters. */
static bool express_comparison(struct norn_flow *flow, LLVMValueRef icmp, struct norn_flow_chain *chain)
{
	struct norn_flow_comparison c;
	return norn_test_comparison(icmp, &c) && express(flow, c.value, chain) &&
	       add_step(chain, c.op, LLVMTypeOf(c.value), c.constant);
}

bool norn_test_holds(LLVMValueRef condition, const struct norn_flow_chain *test, unsigned *ret_outcome)
{
	struct norn_flow_comparison c;
	unsigned comparisons = 0;
	for (uint32_t at = 1; at < test->count; at++) {
		unsigned op = test->items[at] & 15, wide = test->items[at] >> 7 & 1;
		comparisons += op >= NORN_TEST_EQUAL && op <= NORN_TEST_NOT_GREATER;
		at += op == NORN_TEST_BITS || op == NORN_TEST_SIGNED ? 0 : 1 + wide;
	}
	*ret_outcome = 1;
	if (!LLVMIsAICmpInst(condition))
		return !comparisons;
	if (!norn_test_comparison(condition, &c))
		return false;
	*ret_outcome = !c.negated;
	return comparisons == 1;
}

/* The read that this value is, as it is; 0: it is none. */
static uint32_t read_itself(struct norn_flow *flow, LLVMValueRef value)
{
	for (unsigned depth = 0; value && LLVMIsALoadInst(value) && depth < STEPS_MAX; depth++) {
		uint32_t node = norn_flow_value(flow, value);
		if (flow->nodes[node].kind == NORN_FLOW_NODE_SITE)
			return norn_test_is_source(flow, node) ? node : 0;
		value = flow->nodes[node].kind == NORN_FLOW_NODE_INNER ? norn_test_local(flow, node) : NULL;
	}
	return 0;
}

/* Was the source read from the place that the value is stored to? */
static bool is_updated(const struct norn_flow *flow, const struct norn_flow_chain *chain, uint32_t read)
{
	LLVMValueRef load = read ? flow->nodes[read].value : NULL;
	return load && LLVMIsALoadInst(load) && LLVMGetOperand(load, 0) == chain->into;
}

static void add_pair(struct norn_flow_chain *chain, unsigned code, unsigned op)
{
	chain->pair = chain->count;
	chain->items[0]++;
	chain->items[chain->count++] = NORN_TEST_STACK | code << 4;
	chain->items[chain->count++] = op;
}

/* Of two sources: the second one goes in as it was. Of an update that is not what is there. */
static bool express_pair(struct norn_flow *flow, LLVMValueRef i, unsigned op, struct norn_flow_chain *chain)
{
	int code = width_code(LLVMTypeOf(i));
	bool minus = LLVMGetInstructionOpcode(i) == LLVMSub, shift = op >= NORN_TEST_SHIFT_LEFT && op <= NORN_TEST_SHIFT_SIGNED;
	bool may = chain->pairs && !chain->operand && !chain->recorded && !shift && code >= 0;
	uint32_t operand = may ? read_itself(flow, LLVMGetOperand(i, 1)) : 0;
	bool exchanged = may && !minus && is_updated(flow, chain, operand);
	if (exchanged)
		operand = read_itself(flow, LLVMGetOperand(i, 0));
	chain->operand = operand;
	if (!operand || !express(flow, LLVMGetOperand(i, exchanged), chain))
		return false;
	if (chain->items[0] == STEPS_MAX || chain->node == operand)
		return false;
	add_pair(chain, (unsigned)code, minus ? NORN_TEST_STACK : op);
	return true;
}

/* ---- sums of a source and what is as it was ---- */

/* May the value come from this site, which later calls may be given without telling? */
static bool comes_from(struct norn_flow *flow, LLVMValueRef value, uint32_t site)
{
	uint32_t work[OTHERS_MAX] = {norn_flow_value(flow, value)}, count = 1;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_flow_node *n = flow->nodes + work[i];
		bool call = n->kind == NORN_FLOW_NODE_SITE && flow->pass->table.sites[n->index].kind == NORN_SITE_CALL;
		bool told = !call || (n->value && norn_flow_comes_before(flow, n->value, flow->nodes[site].value));
		if (work[i] == site || !told || n->untold)
			return true;
		for (uint32_t e = n->edges; e; e = flow->edges[e].next) {
			uint32_t k = 0;
			while (k < count && work[k] != flow->edges[e].to)
				k++;
			if (k == OTHERS_MAX)
				return true;
			work[k] = flow->edges[e].to;
			count += k == count;
		}
	}
	return false;
}

/* What is added is what the record says, together with all that has been added before. */
static bool add_recorded(struct norn_flow_chain *chain, unsigned code)
{
	if (chain->recorded)
		return true;
	if (chain->operand) {
		uint32_t *op = chain->items + chain->pair + 1;
		if (*op != NORN_TEST_ADD && *op != NORN_TEST_STACK)
			return false;
		*op = NORN_TEST_ADD;
		chain->operand = 0;
	} else if (chain->items[0] == STEPS_MAX) {
		return false;
	} else {
		add_pair(chain, code, NORN_TEST_ADD);
	}
	chain->recorded = true;
	return true;
}

/* Is the chain, from there on, a sum? Then what was added is told by what came out. */
static bool is_sum(const struct norn_flow_chain *chain)
{
	const uint32_t *at = chain->items + chain->pair, *end = chain->items + chain->count;
	norn_test_step(&at, end);
	while (at < end) {
		unsigned op = norn_test_step(&at, end).op;
		if (op != NORN_TEST_BITS && op != NORN_TEST_ADD)
			return false;
	}
	return true;
}

/* Of a sum or difference: one side is made of a source, and the other one is as it was, whatever it is made of. Of an update the
 * side that is what was there. */
static bool express_sum(struct norn_flow *flow, LLVMValueRef i, struct norn_flow_chain *chain)
{
	int code = width_code(LLVMTypeOf(i));
	bool minus = LLVMGetInstructionOpcode(i) == LLVMSub;
	unsigned first = is_updated(flow, chain, read_itself(flow, LLVMGetOperand(i, 1)));
	for (unsigned k = 0; k < 2 && chain->pairs && code >= 0; k++) {
		unsigned side = first ^ k;
		struct norn_flow_chain tried = *chain;
		if (!express(flow, LLVMGetOperand(i, side), &tried) || comes_from(flow, LLVMGetOperand(i, !side), tried.node))
			continue;
		bool negated = minus && side == 1;
		if (negated && (tried.recorded || tried.operand || !add_step(&tried, NORN_TEST_MULTIPLY, LLVMTypeOf(i), -1)))
			continue;
		if (!add_recorded(&tried, (unsigned)code))
			continue;
		*chain = tried;
		return true;
	}
	return false;
}

static bool express_arithmetic(struct norn_flow *flow, LLVMValueRef i, unsigned op, bool commutes, struct norn_flow_chain *chain)
{
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	int64_t constant;
	bool left = commutes && norn_test_constant(a, &constant);
	if (!left && !norn_test_constant(b, &constant)) {
		const struct norn_flow_chain before = *chain;
		if (express_pair(flow, i, op, chain))
			return true;
		*chain = before;
		return op == NORN_TEST_ADD && express_sum(flow, i, chain);
	}
	if (LLVMGetInstructionOpcode(i) == LLVMSub)
		constant = (int64_t)(0 - (uint64_t)constant);
	return express(flow, left ? b : a, chain) && add_step(chain, op, LLVMTypeOf(i), constant);
}

static bool express_instruction(struct norn_flow *flow, LLVMValueRef i, struct norn_flow_chain *chain)
{
	LLVMValueRef first = LLVMGetOperand(i, 0);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMICmp:
		return express_comparison(flow, i, chain);
	case LLVMAdd:
	case LLVMSub:
		return express_arithmetic(flow, i, NORN_TEST_ADD, LLVMGetInstructionOpcode(i) == LLVMAdd, chain);
	case LLVMAnd:
		return express_arithmetic(flow, i, NORN_TEST_AND, true, chain);
	case LLVMOr:
		return express_arithmetic(flow, i, NORN_TEST_OR, true, chain);
	case LLVMXor:
		return express_arithmetic(flow, i, NORN_TEST_XOR, true, chain);
	case LLVMMul:
		return express_arithmetic(flow, i, NORN_TEST_MULTIPLY, true, chain);
	case LLVMShl:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_LEFT, false, chain);
	case LLVMLShr:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_RIGHT, false, chain);
	case LLVMAShr:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_SIGNED, false, chain);
	case LLVMTrunc:
		return express(flow, first, chain) && add_step(chain, NORN_TEST_BITS, LLVMTypeOf(i), 0);
	case LLVMSExt:
		return express(flow, first, chain) && add_step(chain, NORN_TEST_SIGNED, LLVMTypeOf(first), 0) &&
		       add_step(chain, NORN_TEST_BITS, LLVMTypeOf(i), 0);
	case LLVMZExt:
	case LLVMFreeze:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return width_code(LLVMTypeOf(i)) >= 0 && width_code(LLVMTypeOf(i)) >= width_code(LLVMTypeOf(first)) &&
		       express(flow, first, chain);
	default:
		return false;
	}
}

static bool express(struct norn_flow *flow, LLVMValueRef value, struct norn_flow_chain *chain)
{
	if (!LLVMIsAInstruction(value) || LLVMIsAAllocaInst(value) || ++chain->depth > 4 * STEPS_MAX)
		return false;
	uint32_t node = norn_flow_value(flow, value);
	if (flow->nodes[node].kind == NORN_FLOW_NODE_SITE) {
		chain->node = node;
		return norn_test_is_source(flow, node);
	}
	if (flow->nodes[node].kind != NORN_FLOW_NODE_INNER)
		return false;
	return LLVMIsALoadInst(value) ? express_local(flow, node, chain) : express_instruction(flow, value, chain);
}

static bool in_one_file(LLVMValueRef a, LLVMValueRef b)
{
	unsigned size, other;
	const char *name = LLVMGetDebugLocFilename(a, &size), *second = LLVMGetDebugLocFilename(b, &other);
	return name && second && size == other && memcmp(name, second, size) == 0;
}

static uint32_t line_of(const struct norn_flow *flow, uint32_t node)
{
	LLVMValueRef source = flow->nodes[node].value;
	unsigned line = flow->testing ? LLVMGetDebugLocLine(flow->testing) : 0;
	if (!line || !source || !LLVMIsAInstruction(source) || !in_one_file(flow->testing, source))
		return 0;
	int64_t difference = (int64_t)line - (int64_t)LLVMGetDebugLocLine(source);
	return 1 + (uint32_t)((uint64_t)difference << 1 ^ (uint64_t)(difference >> 63));
}

static void add_test(struct norn_flow *flow, const struct norn_flow_chain *chain)
{
	if (flow->test_count == flow->test_room)
		flow->tests = norn_pass_grow(flow->tests, (flow->test_room = flow->test_room * 2 + 16) * sizeof *flow->tests);
	flow->tests[flow->test_count] = *chain;
	flow->tests[flow->test_count].asserts = flow->asserting;
	flow->tests[flow->test_count].line = line_of(flow, chain->node);
	flow->tests[flow->test_count].place = flow->place;
	flow->tests[flow->test_count++].masks = flow->masking;
}

static bool test_cases(struct norn_flow *flow, LLVMValueRef branch, const struct norn_flow_chain *chain)
{
	unsigned cases = LLVMGetNumSuccessors(branch) - 1;
	for (int add = 0; add < 2; add++)
		for (unsigned i = 0; i < cases; i++) {
			struct norn_flow_chain test = *chain;
			int64_t constant;
			if (cases > CASES_MAX || !norn_test_constant(LLVMGetOperand(branch, 2 + 2 * i), &constant) ||
			        !add_step(&test, NORN_TEST_EQUAL, LLVMTypeOf(LLVMGetOperand(branch, 0)), constant))
				return false;
			if (add)
				add_test(flow, &test);
		}
	return true;
}

/* Is this "both" or "either" of two conditions? Then each of them is to come out the same. */
static bool is_logical(LLVMValueRef condition, LLVMValueRef parts[2])
{
	bool binary = LLVMIsAInstruction(condition) &&
	              (LLVMGetInstructionOpcode(condition) == LLVMAnd || LLVMGetInstructionOpcode(condition) == LLVMOr);
	if (!binary && !LLVMIsASelectInst(condition))
		return false;
	parts[0] = LLVMGetOperand(condition, 0);
	parts[1] = LLVMGetOperand(condition, 1);
	if (!binary && LLVMIsAConstantInt(parts[1]))
		parts[1] = LLVMGetOperand(condition, 2);
	else if (!binary && !LLVMIsAConstantInt(LLVMGetOperand(condition, 2)))
		return false;
	return width_code(LLVMTypeOf(condition)) == 0 && !LLVMIsAConstant(parts[0]) && !LLVMIsAConstant(parts[1]);
}

static bool test_condition(struct norn_flow *flow, LLVMValueRef condition, unsigned depth)
{
	struct norn_flow_chain chain = {.count = 1};
	LLVMValueRef parts[2];
	if (is_logical(condition, parts))
		return depth < LOGICAL_MAX && test_condition(flow, parts[0], depth + 1) &&
		       test_condition(flow, parts[1], depth + 1);
	if (!express(flow, condition, &chain) || !add_step(&chain, NORN_TEST_BITS, LLVMTypeOf(condition), 0))
		return false;
	add_test(flow, &chain);
	return true;
}

/* False: its condition is no such chain. */
static bool test_itself(struct norn_flow *flow, uint32_t block)
{
	LLVMValueRef branch = flow->blocks.all[block].terminator, condition = LLVMGetOperand(branch, 0);
	struct norn_flow_chain chain = {.count = 1};
	uint32_t before = flow->test_count;
	flow->testing = branch;
	if (LLVMIsASwitchInst(branch))
		return express(flow, condition, &chain) && test_cases(flow, branch, &chain);
	if (LLVMIsABranchInst(branch) && test_condition(flow, condition, 0))
		return true;
	flow->test_count = before;
	return false;
}

/* ---- branches that go by others ---- */

/* Nodes of conditions: one comes out the same if the branch does. */
static void find_decisions(struct norn_flow *flow)
{
	for (uint32_t b = 0; b < flow->blocks.count; b++) {
		uint32_t node = flow->conditions[b];
		bool inner = node && flow->nodes[node].kind == NORN_FLOW_NODE_INNER;
		if (inner && LLVMIsABranchInst(flow->blocks.all[b].terminator))
			norn_number_map_set(&flow->decisions, node, b + 1);
	}
}

static bool test_node(struct norn_flow *flow, uint32_t node, uint32_t *work, uint32_t *count)
{
	const struct norn_flow_node *n = flow->nodes + node;
	uint32_t branch = norn_number_map_get(&flow->decisions, node);
	if (branch && norn_test_branch(flow, branch - 1))
		return true;
	if (n->kind != NORN_FLOW_NODE_INNER || n->untold)
		return false;
	for (uint32_t e = n->edges; e; e = flow->edges[e].next) {
		uint32_t k = 0;
		while (k < *count && work[k] != flow->edges[e].to)
			k++;
		if (k == OTHERS_MAX)
			return false;
		work[k] = flow->edges[e].to;
		*count += k == *count;
	}
	return true;
}

/* All that the condition is made of are outcomes of branches that are tested: whichever of their instances, all are the same. */
static bool test_others(struct norn_flow *flow, uint32_t block)
{
	uint32_t work[OTHERS_MAX], count = 0;
	for (uint32_t e = flow->nodes[flow->conditions[block]].edges; e && count < OTHERS_MAX; e = flow->edges[e].next)
		work[count++] = flow->edges[e].to;
	if (!count || count == OTHERS_MAX || flow->nodes[flow->conditions[block]].kind != NORN_FLOW_NODE_INNER)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!test_node(flow, work[i], work, &count))
			return false;
	return true;
}

/* Its tests are shared with another branch from now on. */
static void share_tests(struct norn_flow *flow, const struct norn_tested *t)
{
	for (uint32_t i = t->first; i < t->end; i++) {
		flow->tests[i].asserts &= flow->asserting;
		flow->tests[i].masks &= flow->masking;
	}
}

bool norn_test_branch(struct norn_flow *flow, uint32_t block)
{
	if (flow->blocks.irreducible)
		return false;
	if (!flow->tested) {
		flow->tested = norn_pass_grow(NULL, flow->blocks.count * sizeof *flow->tested);
		memset(flow->tested, 0, flow->blocks.count * sizeof *flow->tested);
		find_decisions(flow);
	}
	struct norn_tested *t = flow->tested + block;
	switch (t->state) {
	case NORN_TESTED_NOW: /* it goes by itself, in a loop */
	case NORN_TESTED_NOT:
		return false;
	case NORN_TESTED_ITSELF:
		share_tests(flow, t);
		return true;
	case NORN_TESTED_BY_OTHERS: /* whose tests are shared now */
		break;
	case NORN_TESTED_NOT_YET:
		t->first = flow->test_count;
		bool itself = test_itself(flow, block);
		flow->testing = NULL;
		if (itself) {
			t->end = flow->test_count;
			t->state = NORN_TESTED_ITSELF;
			return true;
		}
	}
	t->state = NORN_TESTED_NOW;
	bool tested = test_others(flow, block);
	t->state = tested ? NORN_TESTED_BY_OTHERS : NORN_TESTED_NOT;
	return tested;
}

/* ---- divisions ---- */

void norn_flow_trap(struct norn_flow *flow, LLVMValueRef division)
{
	if (flow->trap_count == flow->trap_room) {
		flow->trap_room = flow->trap_room * 2 + 16;
		flow->traps = norn_pass_grow(flow->traps, flow->trap_room * sizeof *flow->traps);
	}
	flow->traps[flow->trap_count++] = division;
}

/* Whether the operand is this constant comes out as it did, or it decides. */
static void test_operand(struct norn_flow *flow, LLVMValueRef operand, int64_t constant)
{
	struct norn_flow_chain chain = {.count = 1};
	norn_flow_decides(flow, norn_flow_value(flow, operand), flow->place);
	if (!flow->blocks.irreducible && express(flow, operand, &chain) &&
	        add_step(&chain, NORN_TEST_EQUAL, LLVMTypeOf(operand), constant))
		add_test(flow, &chain);
	else
		norn_flow_root(flow, norn_flow_value(flow, operand));
}

void norn_test_traps(struct norn_flow *flow)
{
	for (uint32_t i = 0; i < flow->trap_count; i++) {
		LLVMValueRef division = flow->traps[i], dividend = LLVMGetOperand(division, 0),
		             divisor = LLVMGetOperand(division, 1);
		flow->place = division;
		bool is_signed = LLVMGetInstructionOpcode(division) == LLVMSDiv || LLVMGetInstructionOpcode(division) == LLVMSRem;
		bool scalar = LLVMGetTypeKind(LLVMTypeOf(divisor)) == LLVMIntegerTypeKind;
		unsigned bits = scalar ? LLVMGetIntTypeWidth(LLVMTypeOf(divisor)) : 0;
		if (bits == 0 || bits > 64) {
			norn_flow_root(flow, norn_flow_value(flow, division));
			continue;
		}
		test_operand(flow, divisor, 0);
		if (is_signed) { /* the lowest number by -1 */
			test_operand(flow, divisor, -1);
			test_operand(flow, dividend, (int64_t)(UINT64_MAX << (bits - 1)));
		}
	}
	flow->place = NULL;
}

void norn_test_result(struct norn_flow *flow, LLVMValueRef result)
{
	struct norn_flow_chain chain = {.count = 1};
	if (!express(flow, result, &chain))
		return;
	/* What a call returned is passed on as it is. */
	if (flow->pass->table.sites[flow->nodes[chain.node].index].kind == NORN_SITE_READ || chain.items[0] == 0)
		flow->yields = chain;
}

void norn_flow_written(struct norn_flow *flow, uint32_t site, LLVMValueRef instruction)
{
	if (flow->written_count == flow->written_room) {
		flow->written_room = flow->written_room * 2 + 32;
		flow->written = norn_pass_grow(flow->written, flow->written_room * sizeof *flow->written);
	}
	flow->written[flow->written_count++] = (struct norn_written){site, instruction};
}

/* The constant that a simple local was given last, in the same block; otherwise the value itself. Without optimisation operands
 * of atomics are passed so. */
static LLVMValueRef stored_last(const struct norn_flow *flow, LLVMValueRef value)
{
	LLVMValueRef local = LLVMIsALoadInst(value) ? LLVMGetOperand(value, 0) : NULL;
	uint32_t number = local && LLVMIsAAllocaInst(local) ? norn_local_of(flow, local) : NORN_NONE;
	if (number == NORN_NONE || !flow->locals[number].simple)
		return value;
	LLVMValueRef i = LLVMGetPreviousInstruction(value);
	while (i && !(LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == local))
		i = LLVMGetPreviousInstruction(i);
	return i && LLVMTypeOf(LLVMGetOperand(i, 0)) == LLVMTypeOf(value) ? LLVMGetOperand(i, 0) : value;
}

/* The value that an rmw with a constant leaves. */
static bool express_rmw(struct norn_flow *flow, LLVMValueRef rmw, struct norn_flow_chain *chain)
{
	LLVMTypeRef type = LLVMTypeOf(rmw);
	LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(rmw);
	int64_t constant;
	chain->node = norn_flow_value(flow, rmw);
	if (!norn_test_constant(stored_last(flow, LLVMGetOperand(rmw, 1)), &constant))
		return (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub) &&
		       add_recorded(chain, (unsigned)width_code(type));
	switch (op) {
	case LLVMAtomicRMWBinOpXchg:
		return add_step(chain, NORN_TEST_AND, type, 0) && add_step(chain, NORN_TEST_OR, type, constant);
	case LLVMAtomicRMWBinOpAdd:
		return add_step(chain, NORN_TEST_ADD, type, constant);
	case LLVMAtomicRMWBinOpSub:
		return add_step(chain, NORN_TEST_ADD, type, (int64_t)(0 - (uint64_t)constant));
	case LLVMAtomicRMWBinOpAnd:
		return add_step(chain, NORN_TEST_AND, type, constant);
	case LLVMAtomicRMWBinOpOr:
		return add_step(chain, NORN_TEST_OR, type, constant);
	case LLVMAtomicRMWBinOpXor:
		return add_step(chain, NORN_TEST_XOR, type, constant);
	default:
		return false;
	}
}

bool norn_test_written(struct norn_flow *flow, LLVMValueRef instruction, struct norn_flow_chain *ret_chain)
{
	bool store = LLVMIsAStoreInst(instruction);
	LLVMValueRef value = store ? LLVMGetOperand(instruction, 0) : instruction;
	*ret_chain = (struct norn_flow_chain){.count = 1, .pairs = true, .into = store ? LLVMGetOperand(instruction, 1) : NULL};
	if (flow->blocks.irreducible || width_code(LLVMTypeOf(value)) < 1)
		return false;
	if (!store && flow->nodes[norn_flow_value(flow, value)].kind == NORN_FLOW_NODE_SITE)
		return express_rmw(flow, value, ret_chain);
	return express(flow, value, ret_chain) && (!ret_chain->recorded || is_sum(ret_chain)) &&
	       flow->pass->table.sites[flow->nodes[ret_chain->node].index].kind == NORN_SITE_READ;
}
