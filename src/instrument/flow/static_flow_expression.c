/* Values as expressions over sources (trace/facts.h), for a stack: of assertions' conditions, and of what calls are given. See
 * static_flow.h. */
#include "instrument/flow/static_flow.h"

#include "instrument/pass_memory.h"
#include "trace/facts.h"

#include <string.h>

#define DEPTH_MAX 48u
#define WAYS_MAX 4u /* branches in a row that choose a value */
#define BLOCKS_MAX 8u /* that are gone back over to where a local was stored */

static bool add_item(struct norn_expression *x, uint64_t item)
{
	if (x->count == NORN_EXPRESSION_ITEMS || item > UINT32_MAX)
		return false;
	x->items[x->count++] = (uint32_t)item;
	return true;
}

static bool add_step(struct norn_expression *x, unsigned op, LLVMTypeRef type, int64_t constant)
{
	uint32_t code = norn_test_width(type);
	uint64_t zigzag = (uint64_t)constant << 1 ^ (uint64_t)(constant >> 63);
	bool wide = zigzag > UINT32_MAX;
	if (code == NORN_NONE || !add_item(x, op | code << 4 | (unsigned)wide << 7))
		return false;
	if (op == NORN_TEST_BITS || op == NORN_TEST_SIGNED)
		return true;
	return add_item(x, (uint32_t)zigzag) && (!wide || add_item(x, zigzag >> 32));
}

static bool add_binary(struct norn_expression *x, unsigned op, LLVMTypeRef type)
{
	uint32_t code = norn_test_width(type);
	x->top--;
	return code != NORN_NONE && add_item(x, NORN_TEST_STACK | code << 4) && add_item(x, op << 1 | 1);
}

/* The three on top become one. */
static bool add_choice(struct norn_expression *x, LLVMTypeRef type)
{
	uint32_t code = norn_test_width(type);
	x->top -= 2;
	return code != NORN_NONE && add_item(x, NORN_TEST_STACK | code << 4) && add_item(x, NORN_STACK_SELECT << 1 | 1);
}

static bool add_constant(struct norn_expression *x, LLVMTypeRef type, int64_t constant)
{
	uint32_t code = norn_test_width(type);
	if (code == NORN_NONE || x->top == NORN_ASSERT_STACK)
		return false;
	x->top++;
	return add_item(x, NORN_TEST_STACK | code << 4) && add_item(x, NORN_STACK_ZERO << 1 | 1) &&
	       add_step(x, NORN_TEST_OR, type, constant);
}

static bool add_source(struct norn_flow *flow, struct norn_expression *x, uint32_t node)
{
	uint32_t place = 0, code = norn_test_width(LLVMTypeOf(flow->nodes[node].value));
	while (place < x->source_count && x->sources[place] != node)
		place++;
	if (place == NORN_ASSERT_SOURCES || x->top == NORN_ASSERT_STACK || code == NORN_NONE)
		return false;
	x->sources[place] = node;
	x->source_count += place == x->source_count;
	x->top++;
	return add_item(x, NORN_TEST_STACK | code << 4) && add_item(x, place << 1);
}

static bool express(struct norn_flow *flow, LLVMValueRef value, struct norn_expression *x);

static bool express_comparison(struct norn_flow *flow, LLVMValueRef icmp, struct norn_expression *x)
{
	static const struct {
		uint8_t op;
		bool exchanged, negated;
	} pairs[] = {[LLVMIntEQ] = {NORN_TEST_EQUAL, false, false},
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
	LLVMTypeRef bit = LLVMTypeOf(icmp), type = LLVMTypeOf(LLVMGetOperand(icmp, 0));
	struct norn_flow_comparison c;
	if (norn_test_comparison(icmp, &c))
		return express(flow, c.value, x) && add_step(x, c.op, type, c.constant) &&
		       (!c.negated || add_step(x, NORN_TEST_XOR, bit, 1));
	bool exchanged = pairs[predicate].exchanged;
	return express(flow, LLVMGetOperand(icmp, exchanged), x) && express(flow, LLVMGetOperand(icmp, !exchanged), x) &&
	       add_binary(x, pairs[predicate].op, type) && (!pairs[predicate].negated || add_step(x, NORN_TEST_XOR, bit, 1));
}

static bool express_pair(struct norn_flow *flow, LLVMValueRef left, LLVMValueRef right, unsigned op, struct norn_expression *x)
{
	return express(flow, left, x) && express(flow, right, x) && add_binary(x, op, LLVMTypeOf(left));
}

static bool express_arithmetic(struct norn_flow *flow, LLVMValueRef i, unsigned op, struct norn_expression *x)
{
	LLVMValueRef left = LLVMGetOperand(i, 0), right = LLVMGetOperand(i, 1);
	bool minus = LLVMGetInstructionOpcode(i) == LLVMSub;
	LLVMTypeRef type = LLVMTypeOf(i);
	int64_t constant;
	if (norn_test_constant(right, &constant))
		return express(flow, left, x) && add_step(x, op, type, minus ? (int64_t)(0 - (uint64_t)constant) : constant);
	return express_pair(flow, left, right, minus ? NORN_TEST_STACK : op, x);
}

static bool express_choice(
        struct norn_flow *flow, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no, struct norn_expression *x)
{
	return express(flow, condition, x) && express(flow, yes, x) && express(flow, no, x) && add_choice(x, LLVMTypeOf(yes));
}

/* Of one bit it is "both" or "either" of two conditions. */
static bool express_select(struct norn_flow *flow, LLVMValueRef select, struct norn_expression *x)
{
	LLVMValueRef condition = LLVMGetOperand(select, 0), yes = LLVMGetOperand(select, 1), no = LLVMGetOperand(select, 2);
	int64_t constant;
	bool bit = norn_test_width(LLVMTypeOf(select)) == 0;
	if (bit && norn_test_constant(no, &constant) && constant == 0)
		return express_pair(flow, condition, yes, NORN_TEST_AND, x);
	if (bit && norn_test_constant(yes, &constant) && constant != 0)
		return express_pair(flow, condition, no, NORN_TEST_OR, x);
	return express_choice(flow, condition, yes, no, x);
}

/* The greater or the lesser of two. */
static bool express_intrinsic(struct norn_flow *flow, LLVMValueRef call, struct norn_expression *x)
{
	static const struct {
		const char *name;
		unsigned op;
		bool greater;
	} all[] = {{"llvm.smax", NORN_TEST_LESS, true}, {"llvm.smin", NORN_TEST_LESS, false}, {"llvm.umax", NORN_TEST_BELOW, true},
	        {"llvm.umin", NORN_TEST_BELOW, false}};
	unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
	for (size_t i = 0; id && i < sizeof all / sizeof *all; i++) {
		if (LLVMLookupIntrinsicID(all[i].name, strlen(all[i].name)) != id)
			continue;
		LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
		LLVMValueRef yes = all[i].greater ? b : a, no = all[i].greater ? a : b;
		return express_pair(flow, a, b, all[i].op, x) && express(flow, yes, x) && express(flow, no, x) &&
		       add_choice(x, LLVMTypeOf(a));
	}
	return false;
}

/* ---- values that the way chooses ---- */

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
	for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
		if (LLVMGetIncomingBlock(phi, i) == from)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

bool norn_expression_is_quiet(const struct norn_flow *flow, uint32_t block)
{
	const struct norn_basic_block *b = flow->blocks.all + block;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b->block); i; i = LLVMGetNextInstruction(i)) {
		bool call = LLVMIsACallInst(i) && !LLVMGetIntrinsicID(LLVMGetCalledValue(i));
		if (call || LLVMIsAInvokeInst(i) || norn_flow_point(flow, i) != NORN_NONE)
			return false;
	}
	return true;
}

/* The value that the phi has if the block is come to; between it and the phi nothing is recorded. */
static bool express_way(struct norn_flow *flow, LLVMValueRef phi, uint32_t block, unsigned depth, struct norn_expression *x)
{
	uint32_t end = norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(phi)), to[2];
	const struct norn_basic_block *b = flow->blocks.all + block;
	bool two = LLVMIsABranchInst(b->terminator) && LLVMIsConditional(b->terminator);
	if (depth == WAYS_MAX || !LLVMIsABranchInst(b->terminator) || (depth && !norn_expression_is_quiet(flow, block)))
		return false;
	for (unsigned i = 0; i < 1u + two; i++)
		to[i] = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(b->terminator, i));
	if (two && !express(flow, LLVMGetOperand(b->terminator, 0), x))
		return false;
	for (unsigned i = 0; i < 1u + two; i++) {
		LLVMValueRef value = to[i] == end ? incoming(phi, b->block) : NULL;
		if (value ? !express(flow, value, x) : to[i] == end || !express_way(flow, phi, to[i], depth + 1, x))
			return false;
	}
	return !two || add_choice(x, LLVMTypeOf(phi));
}

/* The last value that is stored to the local between this instruction and the block's beginning; NULL: none. */
static LLVMValueRef stored_before(LLVMValueRef i, LLVMValueRef local)
{
	while ((i = LLVMGetPreviousInstruction(i)))
		if (LLVMIsAStoreInst(i) && LLVMGetOperand(i, 1) == local)
			return LLVMGetOperand(i, 0);
	return NULL;
}

/* What a simple local holds, if its block is come to from that one, by ways on which nothing meets; NULL: that is not known. */
static LLVMValueRef stored_from(const struct norn_flow *flow, LLVMValueRef load, LLVMBasicBlockRef from)
{
	LLVMValueRef local = LLVMGetOperand(load, 0);
	uint32_t number = LLVMIsAAllocaInst(local) ? norn_local_of(flow, local) : NORN_NONE;
	if (number == NORN_NONE || !flow->locals[number].simple)
		return NULL;
	LLVMValueRef stored = stored_before(load, local);
	uint32_t block = norn_blocks_find(&flow->blocks, from);
	for (unsigned blocks = 0; !stored && blocks < BLOCKS_MAX && block != NORN_NONE; blocks++) {
		const struct norn_basic_block *b = flow->blocks.all + block;
		stored = stored_before(b->terminator, local);
		block = b->predecessor_count == 1 ? flow->blocks.predecessors[b->predecessors] : NORN_NONE;
	}
	return stored && LLVMTypeOf(stored) == LLVMTypeOf(load) ? stored : NULL;
}

static bool express_phi(struct norn_flow *flow, LLVMValueRef phi, struct norn_expression *x)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
	uint32_t number = norn_blocks_find(&flow->blocks, block);
	if (block == x->block && x->from) {
		LLVMValueRef value = incoming(phi, x->from);
		return value && express(flow, value, x);
	}
	bool repeats = flow->blocks.all[number].loop == number;
	return !repeats && express_way(flow, phi, flow->blocks.all[number].dominator, 0, x);
}

static bool express_instruction(struct norn_flow *flow, LLVMValueRef i, struct norn_expression *x)
{
	LLVMValueRef first = LLVMGetOperand(i, 0);
	LLVMTypeRef type = LLVMTypeOf(i);
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMICmp:
		return express_comparison(flow, i, x);
	case LLVMAdd:
	case LLVMSub:
		return express_arithmetic(flow, i, NORN_TEST_ADD, x);
	case LLVMAnd:
		return express_arithmetic(flow, i, NORN_TEST_AND, x);
	case LLVMOr:
		return express_arithmetic(flow, i, NORN_TEST_OR, x);
	case LLVMXor:
		return express_arithmetic(flow, i, NORN_TEST_XOR, x);
	case LLVMMul:
		return express_arithmetic(flow, i, NORN_TEST_MULTIPLY, x);
	case LLVMShl:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_LEFT, x);
	case LLVMLShr:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_RIGHT, x);
	case LLVMAShr:
		return express_arithmetic(flow, i, NORN_TEST_SHIFT_SIGNED, x);
	case LLVMUDiv:
		return express_pair(flow, first, LLVMGetOperand(i, 1), NORN_STACK_DIVIDE, x);
	case LLVMSDiv:
		return express_pair(flow, first, LLVMGetOperand(i, 1), NORN_STACK_DIVIDE_SIGNED, x);
	case LLVMURem:
		return express_pair(flow, first, LLVMGetOperand(i, 1), NORN_STACK_REMAINDER, x);
	case LLVMSRem:
		return express_pair(flow, first, LLVMGetOperand(i, 1), NORN_STACK_REMAINDER_SIGNED, x);
	case LLVMSelect:
		return express_select(flow, i, x);
	case LLVMCall:
		return express_intrinsic(flow, i, x);
	case LLVMPHI:
		return express_phi(flow, i, x);
	case LLVMTrunc:
		return express(flow, first, x) && add_step(x, NORN_TEST_BITS, type, 0);
	case LLVMSExt:
		return express(flow, first, x) && add_step(x, NORN_TEST_SIGNED, LLVMTypeOf(first), 0) &&
		       add_step(x, NORN_TEST_BITS, type, 0);
	case LLVMZExt:
	case LLVMFreeze:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return norn_test_width(LLVMTypeOf(first)) != NORN_NONE && norn_test_width(type) != NORN_NONE &&
		       norn_test_width(type) >= norn_test_width(LLVMTypeOf(first)) && express(flow, first, x);
	default:
		return false;
	}
}

/* What a read-modify-write read is one, too. */
static bool is_source(const struct norn_flow *flow, uint32_t node)
{
	const struct norn_flow_node *n = flow->nodes + node;
	bool rmw = flow->pass->table.sites[n->index].kind == NORN_SITE_RMW;
	return rmw ? !n->pieces && !n->edges : norn_test_is_source(flow, node);
}

static bool express(struct norn_flow *flow, LLVMValueRef value, struct norn_expression *x)
{
	int64_t constant;
	if (norn_test_constant(value, &constant))
		return add_constant(x, LLVMTypeOf(value), constant);
	bool argument = LLVMIsAArgument(value);
	if ((!argument && !LLVMIsAInstruction(value)) || LLVMIsAAllocaInst(value) || ++x->depth > DEPTH_MAX)
		return false;
	uint32_t node = norn_flow_value(flow, value);
	if (flow->nodes[node].kind == NORN_FLOW_NODE_SITE)
		return is_source(flow, node) && add_source(flow, x, node);
	if (flow->nodes[node].kind == NORN_FLOW_NODE_PARAMETER)
		return add_source(flow, x, node);
	if (argument)
		return false;
	if (!LLVMIsALoadInst(value))
		return express_instruction(flow, value, x);
	LLVMValueRef stored = norn_test_local(flow, node);
	if (!stored && x->from && LLVMGetInstructionParent(value) == x->block)
		stored = stored_from(flow, value, x->from);
	return stored && express(flow, stored, x);
}

bool norn_expression_add(struct norn_flow *flow, LLVMValueRef value, struct norn_expression *x)
{
	return express(flow, value, x);
}

bool norn_expression_negate(struct norn_expression *x, LLVMValueRef condition)
{
	return add_step(x, NORN_TEST_XOR, LLVMTypeOf(condition), 1);
}

bool norn_expression_both(struct norn_expression *x, LLVMValueRef condition)
{
	return add_binary(x, NORN_TEST_AND, LLVMTypeOf(condition));
}

bool norn_expression_any_case(
        struct norn_flow *flow, LLVMValueRef value, const int64_t *cases, unsigned count, struct norn_expression *x)
{
	for (unsigned i = 0; i < count; i++) {
		if (!express(flow, value, x) || !add_step(x, NORN_TEST_EQUAL, LLVMTypeOf(value), cases[i]))
			return false;
		if (i && !add_binary(x, NORN_TEST_OR, LLVMInt1TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)))))
			return false;
	}
	return count;
}

/* ---- code that fails by several branches ---- */

/* Pushes whether the failure is come to from this block. */
static bool express_failing(struct norn_flow *flow, struct norn_expression_region *r, uint32_t block, struct norn_expression *x);

/* The same of a way: *ret_constant is 0 or 1 if it is certain, and nothing is pushed then. */
static bool is_certain(
        struct norn_expression_region *r, uint32_t from, uint32_t block, const struct norn_flow *flow, int *ret_constant)
{
	bool inner = block > from && flow->blocks.all[block].predecessor_count && norn_expression_is_quiet(flow, block) &&
	             LLVMIsABranchInst(flow->blocks.all[block].terminator) &&
	             LLVMIsConditional(flow->blocks.all[block].terminator) && norn_blocks_dominates(&flow->blocks, r->first, block);
	*ret_constant = r->fails(flow, block, r->failure);
	if (*ret_constant || inner)
		return *ret_constant;
	r->good &= r->elsewhere == NORN_NONE || r->elsewhere == block; /* it decides no more than whether it fails */
	r->elsewhere = block;
	return true;
}

static bool express_way_of(struct norn_flow *flow, struct norn_expression_region *r, uint32_t block, struct norn_expression *x)
{
	LLVMValueRef branch = flow->blocks.all[block].terminator, condition = LLVMGetOperand(branch, 0);
	LLVMTypeRef bit = LLVMTypeOf(condition);
	uint32_t yes = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(branch, 0)),
	         no = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(branch, 1));
	int if_yes, if_no;
	bool certain = is_certain(r, block, yes, flow, &if_yes), otherwise = is_certain(r, block, no, flow, &if_no);
	if (!express(flow, condition, x))
		return false;
	if (certain && otherwise) /* if_yes and if_no differ, or it does not matter */
		return if_yes != if_no && (if_yes || add_step(x, NORN_TEST_XOR, bit, 1));
	if (certain) /* c or F; not c and F */
		return (if_yes || add_step(x, NORN_TEST_XOR, bit, 1)) && express_failing(flow, r, no, x) &&
		       add_binary(x, if_yes ? NORN_TEST_OR : NORN_TEST_AND, bit);
	if (otherwise) /* not c or F; c and F */
		return (!if_no || add_step(x, NORN_TEST_XOR, bit, 1)) && express_failing(flow, r, yes, x) &&
		       add_binary(x, if_no ? NORN_TEST_OR : NORN_TEST_AND, bit);
	return express_failing(flow, r, yes, x) && express_failing(flow, r, no, x) && add_choice(x, bit);
}

static bool express_failing(struct norn_flow *flow, struct norn_expression_region *r, uint32_t block, struct norn_expression *x)
{
	uint32_t place = 0;
	while (place < r->count && r->blocks[place] != block)
		place++;
	if (place == NORN_REGION_BLOCKS)
		return false;
	r->blocks[place] = block;
	r->count += place == r->count;
	return express_way_of(flow, r, block, x);
}

bool norn_expression_failing(struct norn_flow *flow, struct norn_expression_region *region, struct norn_expression *x)
{
	region->count = 0;
	region->elsewhere = NORN_NONE;
	region->good = true;
	return express_failing(flow, region, region->first, x) && region->good;
}

void norn_flow_give(struct norn_flow *flow, uint32_t site, uint32_t argument, LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind || norn_test_width(LLVMTypeOf(value)) == NORN_NONE)
		return;
	if (flow->give_count == flow->give_room) {
		flow->give_room = flow->give_room * 2 + 32;
		flow->gives = norn_pass_grow(flow->gives, flow->give_room * sizeof *flow->gives);
	}
	flow->gives[flow->give_count++] = (struct norn_give){site, argument, value};
}
