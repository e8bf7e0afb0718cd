/* The sources that decide, those that decide only through masks, and those that are used as numbers. See static_flow.h.
 *
 * A branch matters if a block with an effect runs, or does not, or runs another time because of it: one that lies between the
 * branch and its postdominator, where all its ways have met again. (Control dependence, transitive, taken statically: a branch
 * whose arm was not taken counts as well.) The way to an endless loop is an effect; so is a branch that may send its own loop round
 * once more and depends on a source, since that loop may not end, unless it counts or the program says that it does
 * (NORN_LOOP_ENDS).
 *
 * If no block there has an effect, but some access variables of this unit, what the branch depends on gets masks, and the blocks
 * record the branch that controls them. If the branch is tested as well, either will do: that it comes out the same, or that nobody
 * sees what it may write. */
#include "instrument/flow/static_flow.h"
#include "instrument/pass_memory.h"

#include <stdlib.h>
#include <string.h>

#define LATER_MAX 64u /* assertions of a function whose sources are looked at */

enum span {
	SPAN_QUIET,
	SPAN_ACCESSES, /* variables of this unit, nothing else */
	SPAN_REPEATS, /* comes to the branch itself again */
	SPAN_MATTERS,
};

/* The blocks between a branch and its postdominator. */
static enum span look_ahead(struct norn_flow *flow, uint32_t branch)
{
	const struct norn_blocks *blocks = &flow->blocks;
	uint32_t end = blocks->all[branch].postdominator;
	bool repeats = false, accesses = false;
	norn_walk_begin(flow);
	for (uint32_t at = branch; at != NORN_NONE; at = norn_walk_next(flow)) {
		const struct norn_basic_block *b = blocks->all + at;
		for (uint32_t k = 0; k < b->successor_count; k++) {
			uint32_t to = blocks->successors[b->successors + k];
			if (to == end)
				continue;
			if (flow->effects[to] || !blocks->all[to].ends)
				return SPAN_MATTERS;
			repeats |= to == branch;
			accesses |= flow->accesses[to];
			if (to != branch && !norn_walk_to(flow, to))
				return SPAN_MATTERS;
		}
	}
	return repeats ? SPAN_REPEATS : accesses ? SPAN_ACCESSES : SPAN_QUIET;
}

static bool add_stores(const struct norn_flow *flow, uint32_t block, struct norn_masks *masks)
{
	uint32_t low = 0, high = flow->store_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (flow->stores[middle].block < block)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < flow->store_count && flow->stores[low].block == block; low++)
		if (!norn_masks_add(masks, &flow->stores[low].range))
			return false;
	return true;
}

static void decide_by(struct norn_flow *flow, uint32_t block);

/* Nothing is recorded between the branch and where its ways meet, if this one is taken. */
static bool is_empty_way(const struct norn_flow *flow, uint32_t branch, uint32_t way)
{
	const struct norn_basic_block *b = flow->blocks.all + way;
	uint32_t end = flow->blocks.all[branch].postdominator;
	return way == end || (b->successor_count == 1 && flow->blocks.successors[b->successors] == end && !flow->accesses[way]);
}

/* Takes note of the outcome of a branch with masks for which nothing happens in its arms (V11). */
static void note_skip(struct norn_flow *flow, uint32_t branch)
{
	const struct norn_basic_block *b = flow->blocks.all + branch;
	const struct norn_tested *t = flow->tested + branch;
	bool once = LLVMIsABranchInst(b->terminator) && b->successor_count == 2 && b->postdominator != NORN_NONE &&
	            !norn_flow_repeats(flow, branch);
	unsigned holds;
	if (!once || t->state != NORN_TESTED_ITSELF || t->end != t->first + 1 ||
	        !norn_test_holds(LLVMGetCondition(b->terminator), &flow->tests[t->first], &holds))
		return;
	for (unsigned k = 0; k < 2; k++)
		if (is_empty_way(flow, branch, norn_blocks_find(&flow->blocks, LLVMGetSuccessor(b->terminator, k))))
			flow->tests[t->first].skips = 1 + (k ? !holds : holds);
}

/* Goes over what look_ahead has seen, the branch itself included if it is come to again. */
static void control_accesses(struct norn_flow *flow, uint32_t branch, bool repeats)
{
	const struct norn_blocks *blocks = &flow->blocks;
	uint32_t end = blocks->all[branch].postdominator;
	struct norn_masks masks = {.count = 0};
	bool few = true, any = false;
	norn_walk_begin(flow);
	for (uint32_t at = branch; at != NORN_NONE; at = norn_walk_next(flow)) {
		const struct norn_basic_block *b = blocks->all + at;
		for (uint32_t k = 0; k < b->successor_count; k++) {
			uint32_t to = blocks->successors[b->successors + k];
			if (to == end || flow->walk.stamps[to] == flow->walk.stamp)
				continue;
			if (flow->accesses[to])
				norn_mask_control(flow, branch, to, repeats);
			any |= flow->accesses[to];
			few &= add_stores(flow, to, &masks);
			if (to == branch)
				flow->walk.stamps[to] = flow->walk.stamp;
			else if (!norn_walk_to(flow, to))
				return;
		}
	}
	flow->place = blocks->all[branch].terminator;
	if (!few) {
		decide_by(flow, branch);
	} else if (any) {
		norn_flow_decides(flow, flow->conditions[branch], flow->place);
		flow->masking = true;
		bool tested = norn_test_branch(flow, branch);
		norn_mask_branch(flow, branch, &masks, tested);
		if (tested)
			note_skip(flow, branch);
		flow->masking = false;
	}
}

/* True if all loops that this branch may leave or repeat end. Those are the ones around it, as far as its ways do not
 * meet inside. */
static bool is_bounded(const struct norn_flow *flow, uint32_t block)
{
	const struct norn_blocks *blocks = &flow->blocks;
	uint32_t loop = blocks->all[block].loop, meeting = blocks->all[block].postdominator;
	if (blocks->irreducible || loop == NORN_NONE || !flow->bounded[loop])
		return false;
	for (loop = blocks->all[loop].outer; loop != NORN_NONE; loop = blocks->all[loop].outer) {
		if (meeting != NORN_NONE && norn_blocks_loop_contains(blocks, loop, meeting))
			return true;
		if (!flow->bounded[loop])
			return false;
	}
	return true;
}

/* ---- what can be reached from where ---- */

/* Marks all nodes from which a source can be reached. Edges are turned round into lists by their ends. */
static void find_sourced(struct norn_flow *flow)
{
	uint32_t *heads = calloc(flow->node_count + (size_t)1, sizeof *heads);
	struct {
		uint32_t from, next;
	} *back = malloc((flow->edge_count + (size_t)1) * sizeof *back);
	uint32_t *work = malloc((flow->node_count + (size_t)1) * sizeof *work), count = 0;
	if (!heads || !back || !work)
		abort();
	for (uint32_t n = 1; n < flow->node_count; n++) {
		for (uint32_t e = flow->nodes[n].edges; e; e = flow->edges[e].next) {
			back[e].from = n;
			back[e].next = heads[flow->edges[e].to];
			heads[flow->edges[e].to] = e;
		}
		if (flow->nodes[n].kind != NORN_FLOW_NODE_INNER) {
			flow->nodes[n].sourced = true;
			work[count++] = n;
		}
	}
	while (count)
		for (uint32_t e = heads[work[--count]], n; e; e = back[e].next) {
			n = back[e].from;
			if (!flow->nodes[n].sourced) {
				flow->nodes[n].sourced = true;
				work[count++] = n;
			}
		}
	free(heads);
	free(back);
	free(work);
}

enum flow_mark { DECIDES, NUMERIC, ASSERTED };

static bool *mark_of(struct norn_flow *flow, uint32_t node, enum flow_mark mark)
{
	struct norn_flow_node *n = flow->nodes + node;
	return mark == NUMERIC ? &n->numeric : mark == ASSERTED ? &n->asserted : &n->decides;
}

/* Marks all that can be reached from there. work: room for all nodes. */
static void mark_from(struct norn_flow *flow, uint32_t root, enum flow_mark what, uint32_t *work)
{
	uint32_t count = 0;
	if (!*mark_of(flow, root, what))
		work[count++] = root;
	*mark_of(flow, root, what) = true;
	while (count) {
		const struct norn_flow_node *n = flow->nodes + work[--count];
		for (uint32_t e = what == NUMERIC && n->placeless ? 0 : n->edges; e; e = flow->edges[e].next) {
			bool *mark = mark_of(flow, flow->edges[e].to, what);
			if (!*mark)
				work[count++] = flow->edges[e].to;
			*mark = true;
		}
	}
}

static void mark_all(struct norn_flow *flow)
{
	uint32_t *work = malloc((flow->node_count + (size_t)1) * sizeof *work);
	if (!work)
		abort();
	for (uint32_t i = 0; i < flow->decided_count; i++)
		if (flow->decided[i].root)
			mark_from(flow, flow->decided[i].node, DECIDES, work);
	for (uint32_t i = 0; i < flow->number_count; i++)
		mark_from(flow, flow->numbers[i], NUMERIC, work);
	for (uint32_t i = 0; i < flow->asserted_count; i++)
		mark_from(flow, flow->asserted[i], ASSERTED, work);
	free(work);
}

/* The sources of this branch, which matters, decide: by themselves if it is an assertion, or told as those are. */
static void decide_by(struct norn_flow *flow, uint32_t block)
{
	flow->place = flow->blocks.all[block].terminator;
	flow->asserting = norn_assert_ends(flow, block);
	norn_flow_decides(flow, flow->conditions[block], flow->place);
	bool tested = norn_test_branch(flow, block);
	if (!tested && (flow->asserting || norn_branch_tell(flow, block))) {
		if (flow->asserted_count == flow->asserted_room)
			flow->asserted = norn_pass_grow(
			        flow->asserted, (flow->asserted_room = flow->asserted_room * 2 + 16) * sizeof *flow->asserted);
		flow->asserted[flow->asserted_count++] = flow->conditions[block];
	} else if (!tested) {
		norn_flow_root(flow, flow->conditions[block]);
	}
	flow->asserting = false;
}

void norn_flow_branches(struct norn_flow *flow)
{
	uint32_t blocks = flow->blocks.count;
	find_sourced(flow);
	norn_loops_find(flow);
	norn_pointers_find(flow);
	norn_asserts_find(flow);
	norn_test_traps(flow);
	for (uint32_t b = 0; b < blocks && !flow->unknown; b++)
		if (flow->nodes[flow->conditions[b]].sourced && norn_flow_repeats(flow, b) && !is_bounded(flow, b) &&
		        look_ahead(flow, b) == SPAN_REPEATS) {
			decide_by(flow, b);
			flow->effects[b] = true;
		}
	for (uint32_t b = 0; b < blocks && !flow->unknown; b++) {
		enum span span = flow->nodes[flow->conditions[b]].sourced ? look_ahead(flow, b) : SPAN_QUIET;
		if (span == SPAN_MATTERS)
			decide_by(flow, b);
		else if (span != SPAN_QUIET)
			control_accesses(flow, b, span == SPAN_REPEATS);
	}
	flow->place = NULL;
}

/* ---- what decides only after an assertion ---- */

/* Is this instruction come to only after the branch at the end of the block? */
static bool comes_after(const struct norn_flow *flow, LLVMValueRef place, uint32_t block)
{
	uint32_t in = place ? norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(place)) : NORN_NONE;
	return in != NORN_NONE && in != block && norn_blocks_dominates(&flow->blocks, block, in);
}

/* Is the source, whatever it is, there whenever this block is come to? */
static bool is_there(const struct norn_flow *flow, uint32_t source, uint32_t block)
{
	const struct norn_flow_node *n = flow->nodes + source;
	if (n->kind == NORN_FLOW_NODE_PARAMETER)
		return true;
	uint32_t in = n->value && LLVMIsAInstruction(n->value) ? norn_blocks_find(&flow->blocks, LLVMGetInstructionParent(n->value))
	                                                       : NORN_NONE;
	return in != NORN_NONE && norn_blocks_dominates(&flow->blocks, in, block);
}

/* The sources of an assertion that decide before it by nothing else: whoever comes to their other decisions has passed it. */
static void find_later(struct norn_flow *flow, struct norn_assert *a, const bool *early)
{
	for (uint32_t i = 0; i < a->condition.source_count; i++) {
		uint32_t source = a->condition.sources[i];
		if (early[source] || !is_there(flow, source, a->block))
			continue;
		a->first |= 1u << i;
		flow->nodes[source].later = true;
	}
}

static void find_early(struct norn_flow *flow, uint32_t block, bool *early, uint32_t *work)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < flow->decided_count; i++) {
		uint32_t node = flow->decided[i].node;
		if (flow->decided[i].asserts || early[node] || comes_after(flow, flow->decided[i].place, block))
			continue;
		early[node] = true;
		work[count++] = node;
		while (count)
			for (uint32_t e = flow->nodes[work[--count]].edges; e; e = flow->edges[e].next)
				if (!early[flow->edges[e].to]) {
					early[flow->edges[e].to] = true;
					work[count++] = flow->edges[e].to;
				}
	}
}

static void find_all_later(struct norn_flow *flow)
{
	bool *early = calloc(flow->node_count + (size_t)1, sizeof *early);
	uint32_t *work = malloc((flow->node_count + (size_t)1) * sizeof *work), last = NORN_NONE;
	if (!early || !work)
		abort();
	for (uint32_t i = 0; i < flow->assert_count && i < LATER_MAX; i++) {
		struct norn_assert *a = flow->asserts + i; /* those of one block come one after the other */
		if (!a->failure)
			continue;
		if (a->block != last) {
			memset(early, 0, flow->node_count * sizeof *early);
			find_early(flow, a->block, early, work);
			last = a->block;
		}
		find_later(flow, a, early);
	}
	free(early);
	free(work);
}

/* How many operands its value goes by otherwise than by edges: the address of a load, what a call is given. */
static unsigned further_operands(LLVMValueRef value)
{
	if (!value || !LLVMIsAInstruction(value))
		return 0;
	if (LLVMIsALoadInst(value) || LLVMIsAAtomicRMWInst(value) || LLVMIsAAtomicCmpXchgInst(value))
		return 1;
	return LLVMIsACallInst(value) || LLVMIsAInvokeInst(value) ? LLVMGetNumArgOperands(value) : 0;
}

/* Of a value that is new nothing is known. */
static void doubt(struct norn_flow *flow, uint32_t node, uint32_t *work, uint32_t *count)
{
	if (node >= flow->sure_nodes || flow->nodes[node].doubted)
		return;
	flow->nodes[node].doubted = true;
	work[(*count)++] = node;
}

/* All that assertions which are not told go by, however it comes into them. */
static void mark_doubted(struct norn_flow *flow)
{
	flow->sure_nodes = flow->node_count;
	uint32_t *work = malloc((flow->node_count + (size_t)1) * sizeof *work), count = 0;
	if (!work)
		abort();
	for (uint32_t i = 0; i < flow->doubt_count; i++)
		doubt(flow, flow->doubts[i], work, &count);
	for (uint32_t i = 0; i < flow->assert_count; i++)
		for (uint32_t k = 0; k < flow->asserts[i].condition.source_count && flow->asserts[i].failure; k++) {
			LLVMValueRef read = flow->nodes[flow->asserts[i].condition.sources[k]].value;
			if (read && LLVMIsALoadInst(read) && further_operands(read)) /* evaluated for this place only */
				doubt(flow, norn_flow_value(flow, LLVMGetOperand(read, 0)), work, &count);
		}
	while (count) {
		const struct norn_flow_node n = flow->nodes[work[--count]];
		unsigned more = further_operands(n.value);
		for (uint32_t e = n.edges; e; e = flow->edges[e].next)
			doubt(flow, flow->edges[e].to, work, &count);
		for (unsigned i = 0; i < more; i++)
			doubt(flow, norn_flow_value(flow, LLVMGetOperand(n.value, i)), work, &count);
	}
	flow->nodes[0].doubted = false;
	free(work);
}

void norn_flow_decide(struct norn_flow *flow)
{
	if (flow->unknown)
		return;
	mark_all(flow);
	norn_pointers_decide(flow);
	mark_doubted(flow);
	if (!flow->blocks.irreducible)
		find_all_later(flow);
	norn_waits_find(flow);
}
