/* Loops that count, and so end by themselves whatever their bound is. See static_flow.h.
 *
 * Such a loop has a test that each of its rounds comes to, and that leaves it: of a counter, to which each round adds the same, and
 * of a bound that the loop does not change. The counter comes to the bound, or would overflow, which the program says that it does
 * not (nsw, nuw). Counters are phis; without optimisation, locals. What the loop does besides may keep it: that is for the branches
 * there, and for what it calls. */
#include "instrument/flow/static_flow.h"
#include "instrument/pass_memory.h"

struct loop_counter {
	int64_t step;
	bool nsw, nuw; /* the addition of a round does not overflow */
	bool aligned; /* it begins with a constant that the step divides */
};

static bool is_in(const struct norn_flow *flow, uint32_t header, LLVMValueRef instruction)
{
	uint32_t block = norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(instruction));
	return block != NORN_NONE && norn_blocks_loop_contains(&flow->blocks, header, block);
}

/* Does every round of the loop come by this block? */
static bool is_in_each_round(const struct norn_flow *flow, uint32_t header, uint32_t block)
{
	const struct norn_basic_block *h = flow->blocks.all + header;
	for (uint32_t k = 0; k < h->predecessor_count; k++) {
		uint32_t latch = flow->blocks.predecessors[h->predecessors + k];
		if (norn_blocks_loop_contains(&flow->blocks, header, latch) && !norn_blocks_dominates(&flow->blocks, block, latch))
			return false;
	}
	return flow->blocks.all[block].loop == header;
}

/* value is before + a constant. */
static bool adds_to(LLVMValueRef value, LLVMValueRef *ret_before, struct loop_counter *ret)
{
	int64_t by;
	if (!LLVMIsABinaryOperator(value))
		return false;
	LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	if ((opcode != LLVMAdd && opcode != LLVMSub) || !norn_test_constant(LLVMGetOperand(value, 1), &by) || by == 0 ||
	        by == INT64_MIN)
		return false;
	*ret_before = LLVMGetOperand(value, 0);
	*ret = (struct loop_counter){.step = opcode == LLVMAdd ? by : -by,
	        .nsw = LLVMGetNSW(value),
	        .nuw = LLVMGetNUW(value) && opcode == LLVMAdd && by > 0};
	return true;
}

/* A phi of the header that each round adds to. */
static bool counts_by_phi(const struct norn_flow *flow, uint32_t header, LLVMValueRef phi, struct loop_counter *ret)
{
	LLVMValueRef next = NULL, before;
	int64_t start = 1;
	if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != flow->blocks.all[header].block)
		return false;
	for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++) {
		uint32_t from = norn_blocks_find(&flow->blocks, LLVMGetIncomingBlock(phi, i));
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		if (from == NORN_NONE || !norn_blocks_loop_contains(&flow->blocks, header, from)) {
			if (!norn_test_constant(value, &start))
				start = 1;
			continue;
		}
		if (next && value != next)
			return false;
		next = value;
	}
	if (!next || !adds_to(next, &before, ret) || before != phi)
		return false;
	ret->aligned = LLVMCountIncoming(phi) == 2 && start % ret->step == 0;
	return true;
}

/* The only store to the local within the loop; NULL: there is none, or *ret_many. */
static LLVMValueRef store_to(const struct norn_flow *flow, uint32_t header, LLVMValueRef local, bool *ret_many)
{
	LLVMValueRef store = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAStoreInst(user) || !is_in(flow, header, user))
			continue;
		*ret_many |= store != NULL;
		store = user;
	}
	return *ret_many ? NULL : store;
}

/* The local that the value is loaded from, if it is only loaded and stored; NULL: it is no such load. */
static LLVMValueRef loaded_local(const struct norn_flow *flow, LLVMValueRef value)
{
	LLVMValueRef object = LLVMIsALoadInst(value) && !LLVMGetVolatile(value) ? LLVMGetOperand(value, 0) : NULL;
	uint32_t local = object ? norn_local_of(flow, object) : NORN_NONE;
	return local != NORN_NONE && flow->locals[local].simple ? object : NULL;
}

/* A local that each round adds to. */
static bool counts_by_local(const struct norn_flow *flow, uint32_t header, LLVMValueRef value, struct loop_counter *ret)
{
	LLVMValueRef local = loaded_local(flow, value), before;
	bool many = false;
	LLVMValueRef store = local ? store_to(flow, header, local, &many) : NULL;
	return store && is_in_each_round(flow, header, norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(store))) &&
	       adds_to(LLVMGetOperand(store, 0), &before, ret) && loaded_local(flow, before) == local &&
	       is_in(flow, header, before);
}

/* The counter, the sum that it becomes, or either made wider without overflow. */
static bool is_counter(const struct norn_flow *flow, uint32_t header, LLVMValueRef value, struct loop_counter *ret)
{
	LLVMValueRef before;
	struct loop_counter sum;
	bool sign = LLVMIsASExtInst(value), zero = LLVMIsAZExtInst(value);
	if (sign || zero)
		return is_counter(flow, header, LLVMGetOperand(value, 0), ret) && (sign ? ret->nsw : ret->nuw);
	if (counts_by_phi(flow, header, value, ret) || counts_by_local(flow, header, value, ret))
		return true;
	return adds_to(value, &before, &sum) && counts_by_phi(flow, header, before, ret) && sum.step == ret->step;
}

/* Does it have one value while the loop goes on? */
static bool is_fixed(const struct norn_flow *flow, uint32_t header, LLVMValueRef value)
{
	bool many = false;
	if (LLVMIsAConstantInt(value) || LLVMIsAArgument(value))
		return true;
	if (!LLVMIsAInstruction(value))
		return false;
	if (!is_in(flow, header, value))
		return true;
	if (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value) || LLVMIsATruncInst(value))
		return is_fixed(flow, header, LLVMGetOperand(value, 0));
	LLVMValueRef local = loaded_local(flow, value);
	return local && !store_to(flow, header, local, &many) && !many;
}

static LLVMIntPredicate turned_round(LLVMIntPredicate p) /* a p b is b turned_round(p) a */
{
	switch (p) {
	case LLVMIntSLT:
		return LLVMIntSGT;
	case LLVMIntSGT:
		return LLVMIntSLT;
	case LLVMIntULT:
		return LLVMIntUGT;
	case LLVMIntUGT:
		return LLVMIntULT;
	case LLVMIntSLE:
		return LLVMIntSGE;
	case LLVMIntSGE:
		return LLVMIntSLE;
	case LLVMIntULE:
		return LLVMIntUGE;
	case LLVMIntUGE:
		return LLVMIntULE;
	default:
		return p;
	}
}

static LLVMIntPredicate inverse(LLVMIntPredicate p)
{
	switch (p) {
	case LLVMIntEQ:
		return LLVMIntNE;
	case LLVMIntNE:
		return LLVMIntEQ;
	case LLVMIntSLT:
		return LLVMIntSGE;
	case LLVMIntSGE:
		return LLVMIntSLT;
	case LLVMIntSGT:
		return LLVMIntSLE;
	case LLVMIntSLE:
		return LLVMIntSGT;
	case LLVMIntULT:
		return LLVMIntUGE;
	case LLVMIntUGE:
		return LLVMIntULT;
	case LLVMIntUGT:
		return LLVMIntULE;
	default:
		return LLVMIntUGT;
	}
}

/* Has the bound none of the bits below the step, a power of two? That is how the optimiser counts rounds of which it made one. */
static bool is_multiple(LLVMValueRef bound, int64_t step)
{
	int64_t mask;
	return LLVMIsABinaryOperator(bound) && LLVMGetInstructionOpcode(bound) == LLVMAnd && step > 0 && (step & (step - 1)) == 0 &&
	       norn_test_constant(LLVMGetOperand(bound, 1), &mask) && (mask & (step - 1)) == 0;
}

/* Does the loop end that goes on while counter p bound? A step of one cannot pass the bound; a longer one may, where sums
 * overflow, or where the bound must be met. */
static bool ends_by(const struct loop_counter *c, LLVMIntPredicate p, LLVMValueRef bound)
{
	bool one = c->step == 1 || c->step == -1;
	switch (p) {
	case LLVMIntNE:
		return one || (c->aligned && is_multiple(bound, c->step));
	case LLVMIntSLT:
		return c->step > 0 && (one || c->nsw);
	case LLVMIntSLE:
		return c->step > 0 && c->nsw;
	case LLVMIntSGT:
		return c->step < 0 && (one || c->nsw);
	case LLVMIntSGE:
		return c->step < 0 && c->nsw;
	case LLVMIntULT:
		return c->step > 0 && (one || c->nuw);
	case LLVMIntULE:
		return c->step > 0 && c->nuw;
	case LLVMIntUGT:
		return c->step == -1;
	default:
		return false;
	}
}

/* Does the loop of the header end by the branch of this block? */
static bool ends_at(const struct norn_flow *flow, uint32_t header, uint32_t block)
{
	const struct norn_basic_block *b = flow->blocks.all + block;
	struct loop_counter counter;
	if (!LLVMIsABranchInst(b->terminator) || !LLVMIsConditional(b->terminator) || !is_in_each_round(flow, header, block))
		return false;
	LLVMValueRef compare = LLVMGetCondition(b->terminator);
	uint32_t yes = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(b->terminator, 0)),
	         no = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(b->terminator, 1));
	bool stays = yes != NORN_NONE && norn_blocks_loop_contains(&flow->blocks, header, yes),
	     stays_else = no != NORN_NONE && norn_blocks_loop_contains(&flow->blocks, header, no);
	if (!LLVMIsAICmpInst(compare) || stays == stays_else)
		return false;
	LLVMIntPredicate p = stays ? LLVMGetICmpPredicate(compare) : inverse(LLVMGetICmpPredicate(compare));
	LLVMValueRef left = LLVMGetOperand(compare, 0), right = LLVMGetOperand(compare, 1);
	if (is_counter(flow, header, left, &counter) && is_fixed(flow, header, right))
		return ends_by(&counter, p, right);
	return is_counter(flow, header, right, &counter) && is_fixed(flow, header, left) &&
	       ends_by(&counter, turned_round(p), left);
}

void norn_loops_find(struct norn_flow *flow)
{
	if (flow->blocks.irreducible)
		return;
	for (uint32_t b = 0; b < flow->blocks.count; b++) {
		uint32_t header = flow->blocks.all[b].loop;
		if (header != NORN_NONE && !flow->bounded[header])
			flow->bounded[header] = ends_at(flow, header, b);
	}
}
