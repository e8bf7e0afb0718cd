/* Assertions: branches to code that fails, and their conditions as expressions; other branches that are told in the same way. See
 * static_flow.h and trace/facts.h.
 *
 * Nothing can come between the site that an assertion is attached to and its branch: it is the last one of its block, or of a block
 * that leads to it alone, or of each block where ways come from that meet there. It fails if branches on the way lead to it, too;
 * those that are assertions themselves pass. A load means its latest instance (V8). */
#include "instrument/flow/static_flow.h"

#include "instrument/access/access_hooks.h"
#include "instrument/call/assert_functions.h"
#include "instrument/call/callee.h"
#include "instrument/pass_memory.h"
#include "trace/facts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 8u /* from the branch to the call that fails; from the branch back to the site */
#define FUNCTIONS_MAX 3u /* of the program, each of which ends it by calling the next */
#define CASES_MAX 8u
#define WAYS_MAX 4u /* that meet before the branch */

/* ---- code that fails ---- */

static bool is_word(const char *list, const char *word, size_t length)
{
	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " "))
		if (strcspn(list, " ") == length && memcmp(list, word, length) == 0)
			return true;
	return false;
}

/* What the status is where this function was called so; NULL: that is not known. Without optimisation arguments lie in memory. */
static LLVMValueRef given(LLVMValueRef status, LLVMValueRef caller)
{
	LLVMValueRef only = NULL;
	if (LLVMIsALoadInst(status) && LLVMIsAAllocaInst(LLVMGetOperand(status, 0))) {
		LLVMValueRef local = LLVMGetOperand(status, 0);
		for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (LLVMIsALoadInst(user))
				continue;
			if (only || !LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != local)
				return NULL;
			only = LLVMGetOperand(user, 0);
		}
		status = only ? only : status;
	}
	if (!LLVMIsAArgument(status))
		return status;
	LLVMValueRef function = caller ? norn_shim_callee(caller) : NULL;
	for (unsigned i = 0; function && i < LLVMCountParams(function) && i < LLVMGetNumArgOperands(caller); i++)
		if (LLVMGetParam(function, i) == status)
			return LLVMGetOperand(caller, i);
	return NULL;
}

static bool is_failure(LLVMValueRef call, LLVMValueRef caller, unsigned depth);

/* A function of the program that does not return, and ends it by a failure however it goes on: `die("no memory")`. */
static bool always_fails(LLVMValueRef call, unsigned depth)
{
	LLVMValueRef function = norn_shim_callee(call);
	bool ends = false;
	if (!function || LLVMIsDeclaration(function))
		return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef i = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetNumSuccessors(i))
			continue;
		if (!LLVMIsAUnreachableInst(i))
			return false;
		while (i && !LLVMIsACallInst(i))
			i = LLVMGetPreviousInstruction(i);
		if (!i || !is_failure(i, call, depth + 1))
			return false;
		ends = true;
	}
	return ends;
}

/* Does this call end the program by a failure? caller: the call that the function is looked at for, NULL: none. */
static bool is_failure(LLVMValueRef call, LLVMValueRef caller, unsigned depth)
{
	static const char failures[] =
	        "__assert_fail __assert_perror_fail __assert abort norn_assert_failed llvm.trap llvm.ubsantrap";
	static const char exits[] =
	        "exit _exit _Exit quick_exit err errx verr verrx error error_at_line"; /* the status comes first */
	LLVMValueRef function = LLVMGetCalledValue(call);
	size_t length = 0;
	const char *name = LLVMIsAFunction(function) ? LLVMGetValueName2(function, &length) : "";
	if (is_word(failures, name, length) || norn_assert_function_fails(call))
		return true;
	if (depth < FUNCTIONS_MAX && norn_shim_never_returns(call) && always_fails(call, depth))
		return true;
	bool raises = length == 5 && memcmp(name, "raise", 5) == 0;
	if (!length || (!raises && !is_word(exits, name, length)) || LLVMGetNumArgOperands(call) == 0)
		return false;
	LLVMValueRef status = given(LLVMGetOperand(call, 0), caller);
	if (!status || !LLVMIsAConstantInt(status))
		return false;
	return raises ? LLVMConstIntGetZExtValue(status) == SIGABRT : LLVMConstIntGetZExtValue(status) != 0;
}

/* Is it a call that may precede the failure, as it only prints or touches no memory? */
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
			if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && is_failure(i, NULL, 0))
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

/* The site of the failing call, which is made if there is none. */
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

/* ---- sites that assertions are attached to ---- */

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
	case NORN_ACT_ATOMIC:
		return LLVMIsAAtomicRMWInst(point->instruction) &&
		       norn_access_is_scalar(flow->pass, LLVMTypeOf(point->instruction));
	case NORN_ACT_CALL:
		return leaves_record(flow, point->instruction);
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
		return (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && !is_harmless(flow, i);
	bool one = point + 1 == pass->point_count || pass->points[point + 1].instruction != i;
	*ret_site = one && tells(flow, pass->points + point) ? pass->points[point].site : NORN_NONE;
	return true;
}

/* The site of the last record that is made in the block, before its branch; false: it makes none. */
static bool site_in(struct norn_flow *flow, uint32_t block, uint32_t *ret_site)
{
	for (LLVMValueRef i = flow->blocks.all[block].terminator; (i = LLVMGetPreviousInstruction(i));)
		if (makes_record(flow, i, ret_site))
			return true;
	*ret_site = flow->pass->entry;
	return block == 0;
}

/* The site of a call that may throw, if it has returned where this block begins; NORN_NONE: it has not, or does not tell. */
static uint32_t site_of_return(struct norn_flow *flow, LLVMValueRef invoke, uint32_t to)
{
	uint32_t site = NORN_NONE;
	bool returned = norn_blocks_find(&flow->blocks, LLVMGetNormalDest(invoke)) == to &&
	                norn_blocks_find(&flow->blocks, LLVMGetUnwindDest(invoke)) != to;
	return returned && makes_record(flow, invoke, &site) ? site : NORN_NONE;
}

/* The assertion fails only if this branch leads to the block, too: adds that to its condition. */
static bool add_guard(struct norn_flow *flow, uint32_t branch, uint32_t to, struct norn_assert *a)
{
	LLVMValueRef terminator = flow->blocks.all[branch].terminator;
	if (!LLVMIsABranchInst(terminator) || !LLVMIsConditional(terminator) || flow->blocks.all[branch].successor_count != 2)
		return false;
	LLVMValueRef condition = LLVMGetOperand(terminator, 0);
	bool if_true = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(terminator, 0)) == to;
	if (!a->fails_if && !norn_expression_negate(&a->condition, condition))
		return false;
	a->fails_if = true;
	return norn_expression_add(flow, condition, &a->condition) &&
	       (if_true || norn_expression_negate(&a->condition, condition)) && norn_expression_both(&a->condition, condition);
}

/* The site after which the assertion is come to by way of this block, which leads to that one. */
static uint32_t site_on_way(struct norn_flow *flow, uint32_t block, uint32_t to, struct norn_assert *a)
{
	for (unsigned blocks = 0; blocks < BLOCKS_MAX; blocks++) {
		const struct norn_basic_block *b = flow->blocks.all + block;
		uint32_t site = NORN_NONE;
		if (LLVMIsAInvokeInst(b->terminator))
			return site_of_return(flow, b->terminator, to);
		if (b->successor_count != 1 && !norn_assert_ends(flow, block) && !add_guard(flow, block, to, a))
			return NORN_NONE;
		if (site_in(flow, block, &site))
			return site;
		if (b->predecessor_count != 1)
			return NORN_NONE;
		to = block;
		block = flow->blocks.predecessors[b->predecessors];
	}
	return NORN_NONE;
}

/* ---- finding them ---- */

static bool express_switch(struct norn_flow *flow, LLVMValueRef branch, struct norn_assert *a)
{
	int64_t cases[CASES_MAX];
	unsigned count = 0, all = LLVMGetNumSuccessors(branch) - 1;
	uint32_t first = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(branch, 0));
	a->fails_if = failure_of(flow, first) != a->failure;
	for (unsigned i = 0; i < all; i++) {
		uint32_t to = norn_blocks_find(&flow->blocks, LLVMGetSuccessor(branch, i + 1));
		if ((failure_of(flow, to) == a->failure) != a->fails_if)
			continue;
		if (count == CASES_MAX || !norn_test_constant(LLVMGetOperand(branch, 2 + 2 * i), &cases[count]))
			return false;
		count++;
	}
	return norn_expression_any_case(flow, LLVMGetOperand(branch, 0), cases, count, &a->condition);
}

static bool express_condition(struct norn_flow *flow, struct norn_assert *a)
{
	LLVMValueRef branch = flow->blocks.all[a->block].terminator;
	if (LLVMIsASwitchInst(branch))
		return express_switch(flow, branch, a);
	return norn_expression_add(flow, LLVMGetOperand(branch, 0), &a->condition);
}

/* Does this branch lead to one failure, and elsewhere? */
static bool find_failure(struct norn_flow *flow, uint32_t block, struct norn_assert *ret_assert)
{
	const struct norn_basic_block *b = flow->blocks.all + block;
	bool choice =
	        LLVMIsABranchInst(b->terminator) ? LLVMIsConditional(b->terminator) : LLVMIsASwitchInst(b->terminator) != NULL;
	uint32_t elsewhere = NORN_NONE;
	LLVMValueRef found = NULL;
	for (uint32_t k = 0; k < b->successor_count && choice; k++) {
		uint32_t to = flow->blocks.successors[b->successors + k];
		LLVMValueRef failure = failure_of(flow, to);
		if (found && failure && failure != found)
			return false;
		ret_assert->chooses |= !failure && elsewhere != NORN_NONE && elsewhere != to;
		elsewhere = failure ? elsewhere : to;
		found = failure ? failure : found;
	}
	if (!found || elsewhere == NORN_NONE)
		return false;
	ret_assert->block = block;
	ret_assert->failure = found;
	ret_assert->fails_if = failure_of(flow, norn_blocks_find(&flow->blocks, LLVMGetSuccessor(b->terminator, 0))) != NULL;
	return true;
}

static bool is_of_region(const struct norn_assert *a, uint32_t block)
{
	for (uint32_t i = 0; i < a->region_count; i++)
		if (a->region[i] == block)
			return true;
	return false;
}

bool norn_assert_ends(const struct norn_flow *flow, uint32_t block)
{
	for (uint32_t i = 0; i < flow->assert_count; i++)
		if (flow->asserts[i].block == block || is_of_region(&flow->asserts[i], block))
			return flow->asserts[i].failure && !flow->asserts[i].chooses;
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

static void add_doubt(struct norn_flow *flow, uint32_t node)
{
	if (flow->doubt_count == flow->doubt_room)
		flow->doubts = norn_pass_grow(flow->doubts, (flow->doubt_room = flow->doubt_room * 2 + 16) * sizeof *flow->doubts);
	flow->doubts[flow->doubt_count++] = node;
}

/* Where ways meet right before the branch, it is an assertion on each of them. False: not on all. */
static bool find_ways(struct norn_flow *flow, const struct norn_assert *a, struct norn_assert *ways, uint32_t *ret_count)
{
	const struct norn_basic_block *b = flow->blocks.all + a->block;
	for (uint32_t k = 0; k < b->predecessor_count; k++) {
		struct norn_assert *way = ways + k;
		uint32_t from = flow->blocks.predecessors[b->predecessors + k];
		if (norn_blocks_dominates(&flow->blocks, a->block, from))
			return false; /* what passes a back edge is no part of an expression (V8) */
		*way = *a;
		way->condition.block = b->block;
		way->condition.from = flow->blocks.all[from].block;
		if (!express_condition(flow, way) || (way->site = site_on_way(flow, from, a->block, way)) == NORN_NONE)
			return false;
	}
	*ret_count = b->predecessor_count;
	return true;
}

static bool find_sites(struct norn_flow *flow, struct norn_assert *ways, uint32_t *ret_count)
{
	struct norn_assert a = ways[0];
	const struct norn_basic_block *b = flow->blocks.all + a.block;
	bool record = site_in(flow, a.block, &ways[0].site);
	*ret_count = 1;
	if (!record && b->predecessor_count > 1)
		return b->predecessor_count <= WAYS_MAX && find_ways(flow, &a, ways, ret_count);
	if (!express_condition(flow, &ways[0]))
		return false;
	if (!record && b->predecessor_count)
		ways[0].site = site_on_way(flow, flow->blocks.predecessors[b->predecessors], a.block, &ways[0]);
	return ways[0].site != NORN_NONE;
}

static bool leads_to(const struct norn_flow *flow, uint32_t block, LLVMValueRef failure)
{
	return failure_of((struct norn_flow *)flow, block) == failure;
}

/* They are come to from one another only, but for the first. */
static bool is_apart(const struct norn_flow *flow, const struct norn_assert *a)
{
	for (uint32_t i = 0; i < a->region_count; i++) {
		const struct norn_basic_block *b = flow->blocks.all + a->region[i];
		for (uint32_t k = 0; k < b->predecessor_count && a->region[i] != a->block; k++)
			if (!is_of_region(a, flow->blocks.predecessors[b->predecessors + k]))
				return false;
	}
	return true;
}

/* Several branches lead to the failure, as they come of "and" and "or": it is one assertion, where the first of them stands. */
static bool find_region(struct norn_flow *flow, struct norn_assert *a)
{
	struct norn_expression_region region = {.first = a->block, .failure = a->failure, .fails = leads_to};
	uint32_t site = NORN_NONE;
	if (!LLVMIsABranchInst(flow->blocks.all[a->block].terminator))
		return false;
	for (unsigned blocks = 0; blocks < NORN_REGION_BLOCKS && !site_in(flow, region.first, &site); blocks++)
		region.first = flow->blocks.all[region.first].dominator;
	LLVMValueRef first = flow->blocks.all[region.first].terminator;
	if (region.first == a->block)
		return false; /* it is one branch */
	*a = (struct norn_assert){.block = region.first, .site = site, .failure = a->failure, .fails_if = true};
	if (site == NORN_NONE || !LLVMIsABranchInst(first) || !LLVMIsConditional(first) || norn_assert_ends(flow, region.first) ||
	        !norn_expression_failing(flow, &region, &a->condition))
		return false;
	memcpy(a->region, region.blocks, sizeof a->region);
	a->region_count = region.count;
	return is_apart(flow, a);
}

/* ---- those that are not told ---- */

static bool has_failure(const struct norn_flow *flow, uint32_t block)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks.all[block].block); i; i = LLVMGetNextInstruction(i))
		if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && is_failure(i, NULL, 0))
			return true;
	return false;
}

/* Blocks from which all ways lead to failures, whatever is done before. */
static void find_failing(const struct norn_flow *flow, bool *fails)
{
	const struct norn_blocks *blocks = &flow->blocks;
	for (uint32_t b = 0; b < blocks->count; b++)
		fails[b] = has_failure(flow, b);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = blocks->count; b-- > 0;) {
			bool all = blocks->all[b].successor_count && !fails[b];
			for (uint32_t k = 0; k < blocks->all[b].successor_count; k++)
				all &= fails[blocks->successors[blocks->all[b].successors + k]];
			fails[b] |= all;
			more |= all;
		}
	}
}

/* Does the branch decide whether it fails, or whether another one that is not told is come to, and nothing else before? */
static bool is_doubtful(const struct norn_flow *flow, uint32_t block, const bool *fails, const bool *doubted)
{
	const struct norn_basic_block *b = flow->blocks.all + block;
	bool leads = false, passes = false;
	for (uint32_t k = 0; k < b->successor_count; k++) {
		uint32_t to = flow->blocks.successors[b->successors + k];
		leads |= fails[to] || (doubted[to] && to > block && norn_expression_is_quiet(flow, to));
		passes |= !fails[to];
	}
	return leads && passes && !norn_assert_ends(flow, block);
}

/* Without these the search for assertions that fail would call itself complete. */
static void find_doubts(struct norn_flow *flow)
{
	uint32_t count = flow->blocks.count;
	bool *fails = calloc((size_t)2 * count + 1, sizeof *fails), *doubted = fails + count;
	if (!fails)
		abort();
	find_failing(flow, fails);
	for (uint32_t b = count; b-- > 0;)
		if (flow->conditions[b] && is_doubtful(flow, b, fails, doubted)) {
			doubted[b] = true;
			add_doubt(flow, flow->conditions[b]);
		}
	free(fails);
}

/* Blocks come in reverse postorder: assertions that one comes after are known. */
void norn_asserts_find(struct norn_flow *flow)
{
	for (uint32_t b = 0; b < flow->blocks.count && !flow->unknown && !flow->blocks.irreducible; b++) {
		struct norn_assert ways[WAYS_MAX] = {{.site = NORN_NONE}};
		uint32_t count;
		bool found = !norn_assert_ends(flow, b) && find_failure(flow, b, &ways[0]);
		struct norn_assert region = ways[0];
		if (!found)
			continue; /* a branch like others */
		if (find_region(flow, &region)) {
			ways[0] = region;
			count = 1;
		} else if (!find_sites(flow, ways, &count)) {
			continue;
		}
		uint32_t fails = failing_site(flow, ways[0].failure);
		for (uint32_t i = 0; i < count; i++) {
			ways[i].fails = fails;
			add_assert(flow, &ways[i]);
		}
	}
	if (!flow->unknown)
		find_doubts(flow);
}

/* ---- other branches ---- */

/* Is it made of something that is read here? What is made of parameters alone they decide. */
static bool has_read(const struct norn_flow *flow, const struct norn_assert *a)
{
	for (uint32_t i = 0; i < a->condition.source_count; i++)
		if (flow->nodes[a->condition.sources[i]].kind == NORN_FLOW_NODE_SITE)
			return true;
	return false;
}

bool norn_branch_tell(struct norn_flow *flow, uint32_t block)
{
	LLVMValueRef branch = flow->blocks.all[block].terminator;
	struct norn_assert ways[WAYS_MAX] = {{.block = block, .site = NORN_NONE, .fails_if = true}};
	uint32_t count;
	for (uint32_t i = 0; i < flow->assert_count; i++)
		if (flow->asserts[i].block == block)
			return !flow->asserts[i].failure;
	if (flow->blocks.irreducible || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !find_sites(flow, ways, &count))
		return false;
	bool reads = false;
	for (uint32_t i = 0; i < count; i++)
		reads |= has_read(flow, &ways[i]);
	for (uint32_t i = 0; i < count && reads; i++)
		add_assert(flow, &ways[i]);
	return reads;
}
