/* See static_flow.h: the graph, and the branches that choose the path to a block. */
#include "instrument/flow/static_flow.h"
#include "instrument/pass_memory.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_PER_BLOCK 256u
#define STEPS_MIN 100000u
#define SPANS_MAX 2048u /* blocks: in larger functions every branch may lead everywhere */
#define FAILING_MAX 4u /* blocks from a branch to the call that never returns */

static void *zeros(size_t count, size_t size)
{
	void *p = calloc(count + 1, size);
	if (!p)
		abort();
	return p;
}

static bool is_narrow(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 64) || kind == LLVMFloatTypeKind ||
	       kind == LLVMDoubleTypeKind || kind == LLVMVoidTypeKind;
}

void norn_flow_init(struct norn_flow *flow, struct norn_pass *pass)
{
	*flow = (struct norn_flow){.pass = pass};
	norn_blocks_init(&flow->blocks, pass->function);
	norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0);
	flow->edge_count = 1;
	uint32_t blocks = flow->blocks.count;
	flow->conditions = zeros(blocks, sizeof *flow->conditions);
	flow->choices = zeros(blocks, sizeof *flow->choices);
	flow->effects = zeros(blocks, sizeof *flow->effects);
	flow->bounded = zeros(blocks, sizeof *flow->bounded);
	flow->accesses = zeros(blocks, sizeof *flow->accesses);
	flow->controls = zeros(blocks, sizeof *flow->controls);
	flow->walk.work = zeros(blocks, sizeof *flow->walk.work);
	flow->walk.stamps = zeros(blocks, sizeof *flow->walk.stamps);
	flow->walk.budget = STEPS_MIN + (uint64_t)blocks * STEPS_PER_BLOCK;
	for (size_t i = pass->point_count; i-- > 0;)
		norn_number_map_set(&flow->points, (uintptr_t)pass->points[i].instruction, i + 1);
	for (unsigned i = 0, n = LLVMCountParams(pass->function); i < n; i++) {
		uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_PARAMETER, i);
		flow->nodes[node].narrow = is_narrow(LLVMGetParam(pass->function, i));
		flow->nodes[node].value = LLVMGetParam(pass->function, i);
		norn_number_map_set(&flow->values, (uintptr_t)LLVMGetParam(pass->function, i), node + 1);
	}
}

void norn_flow_done(struct norn_flow *flow)
{
	norn_blocks_done(&flow->blocks);
	norn_number_map_done(&flow->values);
	norn_number_map_done(&flow->points);
	norn_number_map_done(&flow->local_numbers);
	norn_number_map_done(&flow->local_ends);
	norn_number_map_done(&flow->local_starts);
	free(flow->nodes);
	free(flow->edges);
	free(flow->locals);
	free(flow->conditions);
	free(flow->spans);
	free(flow->spanned);
	free(flow->choices);
	free(flow->effects);
	free(flow->bounded);
	free(flow->accesses);
	free(flow->controls);
	free(flow->stores);
	free(flow->masks);
	free(flow->walk.work);
	free(flow->walk.stamps);
	free(flow->decided);
	free(flow->numbers);
	free(flow->tests);
	free(flow->tested);
	norn_number_map_done(&flow->decisions);
	free(flow->uses);
	free(flow->written);
	free(flow->asserts);
	free(flow->doubts);
	free(flow->asserted);
	free(flow->addresses);
	free(flow->traps);
	free(flow->gives);
}

uint32_t norn_flow_node(struct norn_flow *flow, enum norn_flow_node_kind kind, uint32_t index)
{
	if (flow->node_count == flow->node_room)
		flow->nodes = norn_pass_grow(flow->nodes, (flow->node_room = flow->node_room * 2 + 64) * sizeof *flow->nodes);
	flow->nodes[flow->node_count] = (struct norn_flow_node){.kind = kind, .index = index};
	return flow->node_count++;
}

uint32_t norn_flow_value(struct norn_flow *flow, LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value) && !LLVMIsAArgument(value))
		return 0;
	if (LLVMIsAAllocaInst(value))
		return 0; /* an address, always the same as far as anyone can tell */
	uint32_t node = norn_number_map_get(&flow->values, (uintptr_t)value);
	if (node)
		return node - 1;
	node = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0);
	flow->nodes[node].narrow = is_narrow(value);
	flow->nodes[node].value = value;
	norn_number_map_set(&flow->values, (uintptr_t)value, node + 1);
	return node;
}

void norn_flow_edge(struct norn_flow *flow, uint32_t from, uint32_t to, bool all)
{
	if (!to || !from)
		return;
	if (flow->edge_count >= flow->edge_room)
		flow->edges = norn_pass_grow(flow->edges, (flow->edge_room = flow->edge_room * 2 + 128) * sizeof *flow->edges);
	flow->edges[flow->edge_count] = (struct norn_flow_edge){to, flow->nodes[from].edges, all};
	flow->nodes[from].edges = flow->edge_count++;
}

static void decide(struct norn_flow *flow, uint32_t node, LLVMValueRef place, bool root)
{
	if (!node)
		return;
	if (flow->decided_count == flow->decided_room)
		flow->decided =
		        norn_pass_grow(flow->decided, (flow->decided_room = flow->decided_room * 2 + 64) * sizeof *flow->decided);
	flow->decided[flow->decided_count++] = (struct norn_decision){node, place, root, flow->asserting};
}

void norn_flow_root(struct norn_flow *flow, uint32_t node)
{
	decide(flow, node, flow->place, true);
}

void norn_flow_decides(struct norn_flow *flow, uint32_t node, LLVMValueRef place)
{
	decide(flow, node, place, false);
}

void norn_flow_number(struct norn_flow *flow, uint32_t node)
{
	if (!node)
		return;
	if (flow->number_count == flow->number_room)
		flow->numbers =
		        norn_pass_grow(flow->numbers, (flow->number_room = flow->number_room * 2 + 64) * sizeof *flow->numbers);
	flow->numbers[flow->number_count++] = node;
}

void norn_flow_use(struct norn_flow *flow, uint32_t site, unsigned fact, unsigned number, uint32_t node)
{
	if (!node)
		return;
	if (flow->use_count == flow->use_room)
		flow->uses = norn_pass_grow(flow->uses, (flow->use_room = flow->use_room * 2 + 64) * sizeof *flow->uses);
	flow->uses[flow->use_count++] = (struct norn_use){site, node, fact, number};
}

uint32_t norn_flow_point(const struct norn_flow *flow, LLVMValueRef instruction)
{
	return norn_number_map_get(&flow->points, (uintptr_t)instruction) - 1;
}

bool norn_flow_comes_before(const struct norn_flow *flow, LLVMValueRef instruction, LLVMValueRef then)
{
	LLVMBasicBlockRef first = LLVMGetInstructionParent(instruction), last = LLVMGetInstructionParent(then);
	if (first != last)
		return norn_blocks_dominates(
		        &flow->blocks, norn_blocks_find(&flow->blocks, first), norn_blocks_find(&flow->blocks, last));
	while (then && then != instruction)
		then = LLVMGetPreviousInstruction(then);
	return then;
}

bool norn_flow_repeats(const struct norn_flow *flow, uint32_t block)
{
	return flow->blocks.irreducible || flow->blocks.all[block].loop != NORN_NONE;
}

/* ---- choices ---- */

/* A branch between a block and its dominator is passed once on the way from one to the other, unless a loop in between holds it, or
 * the block is itself the header of a loop that does. */
bool norn_flow_passed_often(const struct norn_flow *flow, uint32_t block, uint32_t branch)
{
	uint32_t loop = flow->blocks.all[branch].loop;
	return norn_blocks_dominates(&flow->blocks, block, branch) ||
	       (loop != NORN_NONE && !norn_blocks_loop_contains(&flow->blocks, loop, block));
}

void norn_walk_begin(struct norn_flow *flow)
{
	flow->walk.count = 0;
	flow->walk.stamp++;
}

bool norn_walk_to(struct norn_flow *flow, uint32_t block)
{
	struct norn_walk *walk = &flow->walk;
	if (walk->stamps[block] == walk->stamp)
		return true;
	if (!walk->budget) {
		flow->unknown = true;
		return false;
	}
	walk->budget--;
	walk->stamps[block] = walk->stamp;
	walk->work[walk->count++] = block;
	return true;
}

uint32_t norn_walk_next(struct norn_flow *flow)
{
	return flow->walk.count ? flow->walk.work[--flow->walk.count] : NORN_NONE;
}

static void find_span(struct norn_flow *flow, uint32_t branch, uint64_t *bits)
{
	const struct norn_blocks *blocks = &flow->blocks;
	uint32_t *work = zeros(blocks->count, sizeof *work), count = 0, end = blocks->all[branch].postdominator;
	for (uint32_t at = branch;;) {
		const struct norn_basic_block *b = blocks->all + at;
		for (uint32_t k = 0; k < b->successor_count; k++) {
			uint32_t to = blocks->successors[b->successors + k];
			if (to == end || bits[to / 64] >> to % 64 & 1)
				continue;
			bits[to / 64] |= UINT64_C(1) << to % 64;
			work[count++] = to;
		}
		if (!count)
			break;
		at = work[--count];
	}
	free(work);
}

/* True if the path to a block (NORN_NONE: the function's end) depends on this branch: not if all paths from the branch meet
 * before. */
static bool leads_to(struct norn_flow *flow, uint32_t branch, uint32_t block)
{
	uint32_t count = flow->blocks.count, words = count / 64 + 1, meeting = flow->blocks.all[branch].postdominator;
	if (meeting == NORN_NONE || meeting == block || count > SPANS_MAX)
		return true;
	if (block == NORN_NONE)
		return false;
	if (!flow->spans) {
		flow->spans = zeros((size_t)count * words, sizeof *flow->spans);
		flow->spanned = zeros(count, sizeof *flow->spanned);
	}
	uint64_t *bits = flow->spans + (size_t)branch * words;
	if (!flow->spanned[branch])
		find_span(flow, branch, bits);
	flow->spanned[branch] = true;
	return bits[block / 64] >> block % 64 & 1;
}

/* Does all that comes to this block end by a call that never returns? */
static bool never_returns(const struct norn_flow *flow, uint32_t block)
{
	for (unsigned blocks = 0; blocks < FAILING_MAX; blocks++) {
		const struct norn_basic_block *b = flow->blocks.all + block;
		if (LLVMIsAUnreachableInst(b->terminator))
			return true;
		if (b->successor_count != 1)
			return false;
		block = flow->blocks.successors[b->successors];
	}
	return false;
}

/* Are there two ways from this branch that may be taken by what goes on? One that never returns has an effect, so that the branch
 * comes out as it did in all that is predicted: it is known then which way was taken. */
static bool is_choice(const struct norn_flow *flow, uint32_t branch)
{
	const struct norn_basic_block *b = flow->blocks.all + branch;
	uint32_t ways = 0;
	for (uint32_t k = 0; k < b->successor_count; k++)
		ways += !never_returns(flow, flow->blocks.successors[b->successors + k]);
	return ways > 1;
}

/* Goes back from the blocks that were begun with until first, and gives node the conditions of all branches on the way. block: what
 * they lead to, NORN_NONE for the function's end. */
static void gather_branches(struct norn_flow *flow, uint32_t first, uint32_t block, uint32_t node)
{
	for (uint32_t at; (at = norn_walk_next(flow)) != NORN_NONE;) {
		bool often = block == NORN_NONE ? norn_flow_repeats(flow, at) : norn_flow_passed_often(flow, block, at);
		if (flow->conditions[at] && is_choice(flow, at) && leads_to(flow, at, block))
			norn_flow_edge(flow, node, flow->conditions[at], often);
		if (at == first || at == block)
			continue;
		const struct norn_basic_block *b = flow->blocks.all + at;
		for (uint32_t k = 0; k < b->predecessor_count; k++)
			if (!norn_walk_to(flow, flow->blocks.predecessors[b->predecessors + k]))
				return;
	}
}

uint32_t norn_flow_choice(struct norn_flow *flow, uint32_t block)
{
	if (flow->choices[block])
		return flow->choices[block] - 1;
	const struct norn_basic_block *b = flow->blocks.all + block;
	uint32_t node = b->predecessor_count > 1 ? norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0) : 0;
	flow->choices[block] = node + 1;
	if (!node)
		return 0;
	norn_walk_begin(flow);
	for (uint32_t k = 0; k < b->predecessor_count; k++)
		norn_walk_to(flow, flow->blocks.predecessors[b->predecessors + k]);
	gather_branches(flow, b->dominator, block, node);
	return node;
}

uint32_t norn_flow_choice_of_return(struct norn_flow *flow)
{
	uint32_t returns = 0;
	norn_walk_begin(flow);
	for (uint32_t i = 0; i < flow->blocks.count; i++)
		if (LLVMIsAReturnInst(flow->blocks.all[i].terminator)) {
			norn_walk_to(flow, i);
			returns++;
		}
	if (returns < 2)
		return 0;
	uint32_t node = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0);
	gather_branches(flow, 0, NORN_NONE, node);
	return node;
}
