/* Assertions: branches to code that fails, and their conditions as expressions. See static_flow.h and trace/facts.h.
 *
 * Nothing can come between the site that an assertion is attached to and its branch: it is the last one of its block, or of a block
 * that leads to it alone. It fails if branches on the way lead to it, too; those that are assertions themselves pass. A load means
 * its latest instance (V8): phis, and what passes a back edge, are no part of an expression. */
#include "instrument/flow/static_flow.h"

#include "instrument/access/access_hooks.h"
#include "instrument/call/assert_functions.h"
#include "instrument/call/callee.h"
#include "instrument/pass_memory.h"
#include "trace/facts.h"

#include <string.h>

#define DEPTH_MAX 24u
#define BLOCKS_MAX 4u /* from the branch to the call that fails; from the branch back to the site */

/* ---- code that fails ---- */

static bool is_word(const char *list, const char *word, size_t length)
{
	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == length && memcmp(list, word, length) == 0)
			return true;
	return false;
}

/* Does this call end the program by a failure? */
static bool is_failure(LLVMValueRef call)
{
	static const char failures[] =
	        "__assert_fail __assert_perror_fail __assert abort norn_assert_failed llvm.trap llvm.ubsantrap";
	static const char exits[] = "exit _exit _Exit quick_exit";
	LLVMValueRef function = LLVMGetCalledValue(call);
	size_t length = 0;
	const char *name = LLVMIsAFunction(function) ? LLVMGetValueName2(function, &length) : "";
	if (is_word(failures, name, length) || norn_assert_function_fails(call))
		return true;
	if (!length || !is_word(exits, name, length) || LLVMGetNumArgOperands(call) != 1)
		return false;
	LLVMValueRef status = LLVMGetOperand(call, 0);
	return LLVMIsAConstantInt(status) && LLVMConstIntGetZExtValue(status) != 0;
}

/* May come before the failure: it only prints, or touches nothing. */
static bool is_harmless(struct norn_flow *flow, LLVMValueRef i)
{
	if (!LLVMIsACallInst(i))
		return !LLVMIsAInvokeInst(i) && !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i);
	struct norn_callee callee = norn_callee_of(flow->pass, i);
	return callee.known == NORN_CALLEE_PURE || callee.known == NORN_CALLEE_OUTPUT || (callee.intrinsic && !callee.announced);
}

/* The call by which everything fails that comes to this block; NULL: there is none. */
static LLVMValueRef failure_of(struct norn_flow *flow, uint32_t block)
{
	for (unsigned blocks = 0; blocks < BLOCKS_MAX; blocks++) {
		const struct norn_basic_block *b = flow->blocks.all + block;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b->block); i; i = LLVMGetNextInstruction(i)) {
			if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && is_failure(i))
				return i;
			if (!is_harmless(flow, i))
				return NULL;
		}
		if (b->successor_count != 1)
			return NULL;
		block = flow->blocks.successors[b->successors];
	}
	return NULL;
}

/* Its site; one that has none gets one. */
static uint32_t failing_site(struct norn_flow *flow, LLVMValueRef call)
{
	const struct norn_pass *pass = flow->pass;
	for (size_t p = norn_flow_point(flow, call); p < pass->point_count && pass->points[p].instruction == call; p++)
		if (pass->points[p].action == NORN_ACT_CALL)
			return pass->points[p].site;
	struct norn_site site = norn_pass_site(flow->pass, call, NORN_SITE_CALL);
	site.name = norn_site_builder_string(&flow->pass->table, "__builtin_trap", strlen("__builtin_trap"));
	return norn_site_builder_site(&flow->pass->table, &site);
}

/* ---- where it is come to ---- */

/* Calls that leave a record of their own, the last before they return. */
static bool leaves_record(struct norn_flow *flow, LLVMValueRef call)
{
	static const char recorded[] = "pthread_mutex_lock pthread_mutex_unlock pthread_spin_lock pthread_spin_unlock "
	                               "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock pthread_join";
	struct norn_callee callee = norn_callee_of(flow->pass, call);
	size_t length = 0;
	const char *name = callee.function ? LLVMGetValueName2(callee.function, &length) : "";
	return callee.here || (length && is_word(recorded, name, length));
}

/* Is this an instruction after whose record, the last that it makes, an assertion may come? */
static bool tells(struct norn_flow *flow, const struct norn_point *point)
{
	switch (point->action) {
	case NORN_ACT_LOAD:
		return norn_access_is_scalar(flow->pass, LLVMTypeOf(point->instruction));
	case NORN_ACT_STORE:
		return norn_access_is_scalar(flow->pass, LLVMTypeOf(LLVMGetOperand(point->instruction, 0)));
	case NORN_ACT_CALL:
		return LLVMIsACallInst(point->instruction) && leaves_record(flow, point->instruction);
	default:
		return false;
	}
}

/* Does the instruction make a record? The site of its last one, NORN_NONE if it does not tell enough. */
static bool makes_record(struct norn_flow *flow, LLVMValueRef i, uint32_t *ret_site)
{
	const struct norn_pass *pass = flow->pass;
	uint32_t point = norn_flow_point(flow, i);
	if (point == NORN_NONE)
		return LLVMIsACallInst(i) && !is_harmless(flow, i);
	bool one = point + 1 == pass->point_count || pass->points[point + 1].instruction != i;
	*ret_site = one && tells(flow, pass->points + point) ? pass->points[point].site : NORN_NONE;
	return true;
}

static bool add_guard(struct norn_flow *flow, uint32_t branch, uint32_t to, struct norn_assert *a);

static uint32_t site_before(struct norn_flow *flow, uint32_t block, struct norn_assert *a)
{
	for (unsigned blocks = 0; blocks < BLOCKS_MAX; blocks++) {
		const struct norn_basic_block *b = flow->blocks.all + block;
		uint32_t site = NORN_NONE;
		for (LLVMValueRef i = b->terminator; (i = LLVMGetPreviousInstruction(i));)
			if (makes_record(flow, i, &site))
				return site;
		if (block == 0)
			return flow->pass->entry;
		if (b->predecessor_count != 1)
			return NORN_NONE;
		uint32_t to = block;
		block = flow->blocks.predecessors[b->predecessors];
		if (flow->blocks.all[block].successor_count != 1 && !norn_assert_ends(flow, block) &&
		        !add_guard(flow, block, to, a))
			return NORN_NONE;
	}
	return NORN_NONE;
}

/* ---- expressions ---- */

static bool add_item(struct norn_assert *a, uint64_t item)
{
	if (a->count == NORN_EXPRESSION_ITEMS || item > UINT32_MAX)
		return false;
	a->items[a->count++] = (uint32_t)item;
	return true;
}

static bool add_step(struct norn_assert *a, unsigned op, LLVMTypeRef type, int64_t constant)
{
	uint32_t code = norn_test_width(type);
	uint64_t zigzag = (uint64_t)constant << 1 ^ (uint64_t)(constant >> 63);
	bool wide = zigzag > UINT32_MAX;
	if (code == NORN_NONE || !add_item(a, op | code << 4 | (unsigned)wide << 7))
		return false;
	if (op == NORN_TEST_BITS || op == NORN_TEST_SIGNED)
		return true;
	return add_item(a, (uint32_t)zigzag) && (!wide || add_item(a, zigzag >> 32));
}

static bool add_binary(struct norn_assert *a, unsigned op, LLVMTypeRef type)
{
	uint32_t code = norn_test_width(type);
	a->top--;
	return code != NORN_NONE && add_item(a, NORN_TEST_STACK | code << 4) && add_item(a, op << 1 | 1);
}

static bool add_source(struct norn_flow *flow, struct norn_assert *a, uint32_t node)
{
	uint32_t place = 0, code = norn_test_width(LLVMTypeOf(flow->nodes[node].value));
	while (place < a->source_count && a->sources[place] != node)
		place++;
	if (place == NORN_ASSERT_SOURCES || a->top == NORN_ASSERT_STACK || code == NORN_NONE)
		return false;
	a->sources[place] = node;
	a->source_count += place == a->source_count;
	a->top++;
	return add_item(a, NORN_TEST_STACK | code << 4) && add_item(a, place << 1);
}

static bool express(struct norn_flow *flow, LLVMValueRef value, struct norn_assert *a);

/* The code has the opposites of some comparisons only. */
static bool express_comparison(struct norn_flow *flow, LLVMValueRef icmp, struct norn_assert *a)
{
	static const struct {
		uint8_t op;
		bool exchanged, negated;
	} how[] = {[LLVMIntEQ] = {NORN_TEST_EQUAL, false, false},
	        [LLVMIntNE] = {NORN_TEST_EQUAL, false, true},
	        [LLVMIntUGT] = {NORN_TEST_BELOW, true, false},
	        [LLVMIntUGE] = {NORN_TEST_NOT_ABOVE, true, false},
	        [LLVMIntULT] = {NORN_TEST_BELOW, false, false},
	        [LLVMIntULE] = {NORN_TEST_NOT_ABOVE, false, false},
	        [LLVMIntSGT] = {NORN_TEST_LESS, true, false},
	        [LLVMIntSGE] = {NORN_TEST_NOT_GREATER, true, false},
	        [LLVMIntSLT] = {NORN_TEST_LESS, false, false},
	        [LLVMIntSLE] = {NORN_TEST_NOT_GREATER, false, false}};
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(icmp);
	unsigned op = how[predicate].op;
	LLVMValueRef left = LLVMGetOperand(icmp, how[predicate].exchanged), right = LLVMGetOperand(icmp, !how[predicate].exchanged);
	LLVMTypeRef type = LLVMTypeOf(left), bit = LLVMTypeOf(icmp);
	int64_t constant;
	bool good;
	if (norn_test_constant(right, &constant)) {
		good = express(flow, left, a) && add_step(a, op, type, constant);
	} else if (norn_test_constant(left, &constant)) { /* c < x is not x <= c, c <= x is not x < c */
		bool negated = op != NORN_TEST_EQUAL;
		unsigned opposite = op == NORN_TEST_BELOW         ? NORN_TEST_NOT_ABOVE
		                    : op == NORN_TEST_NOT_ABOVE   ? NORN_TEST_BELOW
		                    : op == NORN_TEST_LESS        ? NORN_TEST_NOT_GREATER
		                    : op == NORN_TEST_NOT_GREATER ? NORN_TEST_LESS
		                                                  : NORN_TEST_EQUAL;
		good = express(flow, right, a) && add_step(a, opposite, type, constant) &&
		       (!negated || add_step(a, NORN_TEST_XOR, bit, 1));
	} else {
		good = express(flow, left, a) && express(flow, right, a) && add_binary(a, op, type);
	}
	return good && (!how[predicate].negated || add_step(a, NORN_TEST_XOR, bit, 1));
}

static bool express_arithmetic(struct norn_flow *flow, LLVMValueRef i, unsigned op, struct norn_assert *a)
{
	LLVMValueRef left = LLVMGetOperand(i, 0), right = LLVMGetOperand(i, 1);
	bool minus = LLVMGetInstructionOpcode(i) == LLVMSub;
	bool shift = op >= NORN_TEST_SHIFT_LEFT && op <= NORN_TEST_SHIFT_SIGNED;
	LLVMTypeRef type = LLVMTypeOf(i);
	int64_t constant;
	if (norn_test_constant(right, &constant))
		return express(flow, left, a) && add_step(a, op, type, minus ? (int64_t)(0 - (uint64_t)constant) : constant);
	if (shift)
		return false;
	if (norn_test_constant(left, &constant))
		return express(flow, right, a) && (!minus || add_step(a, NORN_TEST_MULTIPLY, type, -1)) &&
		       add_step(a, op, type, constant);
	return express(flow, left, a) && express(flow, right, a) && add_binary(a, minus ? NORN_TEST_STACK : op, type);
}

/* "Both" or "either" of two conditions. */
static bool express_select(struct norn_flow *flow, LLVMValueRef select, struct norn_assert *a)
{
	LLVMValueRef condition = LLVMGetOperand(select, 0), yes = LLVMGetOperand(select, 1), no = LLVMGetOperand(select, 2);
	int64_t constant;
	if (norn_test_width(LLVMTypeOf(select)) != 0)
		return false;
	if (norn_test_constant(no, &constant) && constant == 0)
		return express(flow, condition, a) && express(flow, yes, a) && add_binary(a, NORN_TEST_AND, LLVMTypeOf(select));
	return norn_test_constant(yes, &constant) && constant != 0 && express(flow, condition, a) && express(flow, no, a) &&
	       add_binary(a, NORN_TEST_OR, LLVMTypeOf(select));
}

static bool express_instruction(struct norn_flow *flow, LLVMValueRef i, struct norn_assert *a)
{
	LLVMValueRef first = LLVMGetOperand(i, 0);
	LLVMTypeRef type = LLVMTypeOf(i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMICmp:
		return express_comparison(flow, i, a);
	case LLVMAdd:
	case LLVMSub:
		return express_arithmetic(flow, i, NORN_TEST_ADD, a);
	case LLVMAnd:
		return express_arithmetic(flow, i, NORN_TEST_AND, a);
	case LLVMOr:
		return express_arithmetic(flow, i, NORN_TEST_OR, a);
	case LLVMXor:
		return express_arithmetic(flow, i, NORN_TEST_XOR, a);
	case LLVMMul:
		return express_arithmetic(flow, i, NORN_TEST_MULTIPLY, a);
	case LLVMShl:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_LEFT, a);
	case LLVMLShr:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_RIGHT, a);
	case LLVMAShr:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_SIGNED, a);
	case LLVMSelect:
		return express_select(flow, i, a);
	case LLVMTrunc:
		return express(flow, first, a) && add_step(a, NORN_TEST_BITS, type, 0);
	case LLVMSExt:
		return express(flow, first, a) && add_step(a, NORN_TEST_SIGNED, LLVMTypeOf(first), 0) &&
		       add_step(a, NORN_TEST_BITS, type, 0);
	case LLVMZExt:
	case LLVMFreeze:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return norn_test_width(LLVMTypeOf(first)) != NORN_NONE && norn_test_width(type) != NORN_NONE &&
		       norn_test_width(type) >= norn_test_width(LLVMTypeOf(first)) && express(flow, first, a);
	default:
		return false;
	}
}

static bool express(struct norn_flow *flow, LLVMValueRef value, struct norn_assert *a)
{
	if (!LLVMIsAInstruction(value) || LLVMIsAAllocaInst(value) || ++a->depth > DEPTH_MAX)
		return false;
	uint32_t node = norn_flow_value(flow, value);
	if (flow->nodes[node].kind == NORN_FLOW_NODE_SITE)
		return norn_test_is_source(flow, node) && add_source(flow, a, node);
	if (flow->nodes[node].kind != NORN_FLOW_NODE_INNER)
		return false;
	if (!LLVMIsALoadInst(value))
		return express_instruction(flow, value, a);
	LLVMValueRef stored = norn_test_local(flow, node);
	return stored && express(flow, stored, a);
}

/* It fails only if this branch leads to the block, too. */
static bool add_guard(struct norn_flow *flow, uint32_t branch, uint32_t to, struct norn_assert *a)
{
	LLVMValueRef terminator = flow->blocks.all[branch].terminator;
	if (!LLVMIsABranchInst(terminator) || !LLVMIsConditional(terminator) || flow->blocks.all[branch].successor_count != 2)
		return false;
	LLVMValueRef condition = LLVMGetOperand(terminator, 0);
	LLVMTypeRef bit = LLVMTypeOf(condition);
	bool if_true = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(terminator, 0)) == to;
	if (!a->fails_if && !add_step(a, NORN_TEST_XOR, bit, 1))
		return false;
	a->fails_if = true;
	return express(flow, condition, a) && (if_true || add_step(a, NORN_TEST_XOR, bit, 1)) && add_binary(a, NORN_TEST_AND, bit);
}

/* ---- finding them ---- */

static bool find_failure(struct norn_flow *flow, uint32_t block, struct norn_assert *ret_assert)
{
	const struct norn_basic_block *b = flow->blocks.all + block;
	if (!LLVMIsABranchInst(b->terminator) || !LLVMIsConditional(b->terminator) || b->successor_count != 2)
		return false;
	const uint32_t *to = flow->blocks.successors + b->successors;
	uint32_t if_true = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(b->terminator, 0));
	LLVMValueRef first = failure_of(flow, to[0]), second = failure_of(flow, to[1]);
	if (!first == !second)
		return false;
	ret_assert->block = block;
	ret_assert->failure = first ? first : second;
	ret_assert->fails_if = (first ? to[0] : to[1]) == if_true;
	return true;
}

bool norn_assert_ends(const struct norn_flow *flow, uint32_t block)
{
	for (uint32_t i = 0; i < flow->assert_count; i++)
		if (flow->asserts[i].block == block)
			return true;
	return false;
}

static void add_assert(struct norn_flow *flow, const struct norn_assert *a)
{
	if (flow->assert_count == flow->assert_room) {
		flow->assert_room = flow->assert_room * 2 + 16;
		flow->asserts = norn_pass_grow(flow->asserts, flow->assert_room * sizeof *flow->asserts);
	}
	flow->asserts[flow->assert_count++] = *a;
}

/* Blocks come in reverse postorder: assertions that one comes after are known. */
void norn_asserts_find(struct norn_flow *flow)
{
	for (uint32_t b = 0; b < flow->blocks.count && !flow->unknown && !flow->blocks.irreducible; b++) {
		struct norn_assert a = {0};
		if (!find_failure(flow, b, &a) || !express(flow, LLVMGetOperand(flow->blocks.all[b].terminator, 0), &a))
			continue;
		a.site = site_before(flow, b, &a);
		if (a.site == NORN_NONE)
			continue; /* a branch like others */
		a.fails = failing_site(flow, a.failure);
		add_assert(flow, &a);
	}
}
