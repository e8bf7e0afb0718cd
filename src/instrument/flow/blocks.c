/* See blocks.h. Dominators as by Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm". */
#include "instrument/flow/blocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *get(size_t count, size_t size)
{
	void *p = calloc(count + 1, size);
	if (!p)
		abort(); /* as the compiler itself does */
	return p;
}

/* ---- numbers ---- */

static struct norn_number *slot(const struct norn_number_map *numbers, uint64_t key)
{
	uint32_t i = (key ^ key >> 29) * 0x9e3779b97f4a7c15u >> 32 & (numbers->room - 1);
	while (numbers->slots[i].key && numbers->slots[i].key != key)
		i = (i + 1) & (numbers->room - 1);
	return numbers->slots + i;
}

uint32_t norn_number_map_get(const struct norn_number_map *numbers, uint64_t key)
{
	return numbers->room ? slot(numbers, key)->number : 0;
}

void norn_number_map_set(struct norn_number_map *numbers, uint64_t key, uint32_t number)
{
	assert(key && number);
	if (numbers->used * 2 >= numbers->room) {
		struct norn_number_map bigger = {.room = numbers->room ? numbers->room * 2 : 64, .used = numbers->used};
		bigger.slots = get(bigger.room, sizeof *bigger.slots);
		for (uint32_t i = 0; i < numbers->room; i++)
			if (numbers->slots[i].key)
				*slot(&bigger, numbers->slots[i].key) = numbers->slots[i];
		free(numbers->slots);
		*numbers = bigger;
	}
	struct norn_number *s = slot(numbers, key);
	numbers->used += !s->key;
	*s = (struct norn_number){key, number};
}

void norn_number_map_done(struct norn_number_map *numbers)
{
	free(numbers->slots);
}

/* ---- blocks and edges ---- */

struct block_visit {
	LLVMBasicBlockRef block;
	unsigned next; /* successor */
};

/* The blocks that can be reached, in postorder; *ret_order is the caller's. */
static uint32_t postorder(LLVMValueRef function, LLVMBasicBlockRef **ret_order)
{
	uint32_t total = LLVMCountBasicBlocks(function), count = 0, depth = 0;
	struct block_visit *stack = get(total, sizeof *stack);
	LLVMBasicBlockRef *order = get(total, sizeof *order);
	struct norn_number_map seen = {0};
	stack[depth++].block = LLVMGetEntryBasicBlock(function);
	norn_number_map_set(&seen, (uintptr_t)stack[0].block, 1);
	while (depth) {
		struct block_visit *top = stack + depth - 1;
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(top->block);
		if (top->next == LLVMGetNumSuccessors(terminator)) {
			order[count++] = top->block;
			depth--;
			continue;
		}
		LLVMBasicBlockRef next = LLVMGetSuccessor(terminator, top->next++);
		if (norn_number_map_get(&seen, (uintptr_t)next))
			continue;
		norn_number_map_set(&seen, (uintptr_t)next, 1);
		stack[depth++] = (struct block_visit){next, 0};
	}
	norn_number_map_done(&seen);
	free(stack);
	*ret_order = order;
	return count;
}

static void number(struct norn_blocks *blocks, LLVMValueRef function)
{
	LLVMBasicBlockRef *order;
	blocks->count = postorder(function, &order);
	blocks->all = get(blocks->count, sizeof *blocks->all);
	for (uint32_t i = 0; i < blocks->count; i++) {
		LLVMBasicBlockRef block = order[blocks->count - 1 - i];
		blocks->all[i] = (struct norn_basic_block){.block = block, .terminator = LLVMGetBasicBlockTerminator(block)};
		blocks->all[i].loop = blocks->all[i].outer = blocks->all[i].dominator = blocks->all[i].postdominator = NORN_NONE;
		norn_number_map_set(&blocks->numbers, (uintptr_t)block, i + 1);
	}
	free(order);
}

static void connect(struct norn_blocks *blocks)
{
	uint32_t edges = 0;
	for (uint32_t i = 0; i < blocks->count; i++)
		edges += LLVMGetNumSuccessors(blocks->all[i].terminator);
	blocks->successors = get(edges, sizeof *blocks->successors);
	blocks->predecessors = get(edges, sizeof *blocks->predecessors);
	uint32_t at = 0;
	for (uint32_t i = 0; i < blocks->count; i++) {
		struct norn_basic_block *b = blocks->all + i;
		b->successors = at;
		b->successor_count = LLVMGetNumSuccessors(b->terminator);
		for (uint32_t k = 0; k < b->successor_count; k++) {
			uint32_t to = norn_blocks_find(blocks, LLVMGetSuccessor(b->terminator, k));
			blocks->successors[at++] = to;
			blocks->all[to].predecessor_count++;
		}
	}
	at = 0;
	for (uint32_t i = 0; i < blocks->count; i++) {
		blocks->all[i].predecessors = at;
		at += blocks->all[i].predecessor_count;
		blocks->all[i].predecessor_count = 0;
	}
	for (uint32_t i = 0; i < blocks->count; i++)
		for (uint32_t k = 0; k < blocks->all[i].successor_count; k++) {
			struct norn_basic_block *to = blocks->all + blocks->successors[blocks->all[i].successors + k];
			blocks->predecessors[to->predecessors + to->predecessor_count++] = i;
		}
}

/* ---- dominators ---- */

static uint32_t meet(const struct norn_blocks *blocks, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = blocks->all[a].dominator;
		while (b > a)
			b = blocks->all[b].dominator;
	}
	return a;
}

static void find_dominators(struct norn_blocks *blocks)
{
	blocks->all[0].dominator = 0;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < blocks->count; i++) {
			struct norn_basic_block *b = blocks->all + i;
			uint32_t dominator = NORN_NONE;
			for (uint32_t k = 0; k < b->predecessor_count; k++) {
				uint32_t p = blocks->predecessors[b->predecessors + k];
				if (blocks->all[p].dominator != NORN_NONE)
					dominator = dominator == NORN_NONE ? p : meet(blocks, dominator, p);
			}
			changed |= b->dominator != dominator;
			b->dominator = dominator;
		}
	}
	uint32_t *next = get(blocks->count, sizeof *next); /* number of the next child */
	for (uint32_t i = blocks->count; i-- > 0;) {
		blocks->all[i].extent++;
		if (i)
			blocks->all[blocks->all[i].dominator].extent += blocks->all[i].extent;
	}
	next[0] = 1;
	for (uint32_t i = 1; i < blocks->count; i++) {
		uint32_t parent = blocks->all[i].dominator;
		blocks->all[i].order = next[parent];
		next[parent] += blocks->all[i].extent;
		next[i] = blocks->all[i].order + 1;
	}
	free(next);
}

bool norn_blocks_dominates(const struct norn_blocks *blocks, uint32_t a, uint32_t b)
{
	return blocks->all[b].order - blocks->all[a].order < blocks->all[a].extent;
}

/* ---- postdominators: the same on the reversed graph, whose entry is the function's end ---- */

static void find_ends(struct norn_blocks *blocks)
{
	uint32_t *work = get(blocks->count, sizeof *work), count = 0;
	for (uint32_t i = 0; i < blocks->count; i++)
		if (!blocks->all[i].successor_count) {
			blocks->all[i].ends = true;
			work[count++] = i;
		}
	while (count) {
		const struct norn_basic_block *b = blocks->all + work[--count];
		for (uint32_t k = 0; k < b->predecessor_count; k++) {
			uint32_t p = blocks->predecessors[b->predecessors + k];
			if (!blocks->all[p].ends) {
				blocks->all[p].ends = true;
				work[count++] = p;
			}
		}
	}
	free(work);
}

struct reversed {
	uint32_t *rank; /* of a block in the reverse postorder of the reversed graph; the end, block number count, has 0 */
	uint32_t *blocks; /* by rank */
	uint32_t *post; /* by rank: rank of the immediate postdominator */
	uint32_t count;
};

static bool leads_to_end(const struct norn_basic_block *b)
{
	return !b->successor_count || !b->ends;
}

/* Depth first from the end; a block with k predecessors is left when all were seen. */
static void rank_blocks(const struct norn_blocks *blocks, struct reversed *r)
{
	uint32_t n = blocks->count, count = 0, *order = get(n + 1, sizeof *order);
	uint32_t *stack = get(n + 1, sizeof *stack), *next = get(n + 1, sizeof *next);
	bool *seen = get(n + 1, sizeof *seen);
	for (uint32_t root = 0; root < n; root++) {
		uint32_t depth = 0;
		if (!leads_to_end(blocks->all + root) || seen[root])
			continue;
		seen[root] = true;
		stack[depth++] = root;
		while (depth) {
			uint32_t at = stack[depth - 1];
			const struct norn_basic_block *b = blocks->all + at;
			if (next[at] == b->predecessor_count) {
				order[count++] = at;
				depth--;
				continue;
			}
			uint32_t p = blocks->predecessors[b->predecessors + next[at]++];
			if (!seen[p]) {
				seen[p] = true;
				stack[depth++] = p;
			}
		}
	}
	r->count = count + 1;
	r->blocks[0] = n;
	for (uint32_t i = 0; i < count; i++) {
		r->blocks[i + 1] = order[count - 1 - i];
		r->rank[order[count - 1 - i]] = i + 1;
	}
	free(order);
	free(stack);
	free(next);
	free(seen);
}

static uint32_t meet_reversed(const struct reversed *r, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = r->post[a];
		while (b > a)
			b = r->post[b];
	}
	return a;
}

static void find_postdominators(struct norn_blocks *blocks)
{
	uint32_t n = blocks->count + 1;
	struct reversed r = {.rank = get(n, sizeof *r.rank), .blocks = get(n, sizeof *r.blocks), .post = get(n, sizeof *r.post)};
	find_ends(blocks);
	rank_blocks(blocks, &r);
	for (uint32_t i = 1; i < r.count; i++)
		r.post[i] = NORN_NONE;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < r.count; i++) {
			const struct norn_basic_block *b = blocks->all + r.blocks[i];
			uint32_t post = leads_to_end(b) ? 0 : NORN_NONE;
			for (uint32_t k = 0; k < b->successor_count; k++) {
				uint32_t s = r.rank[blocks->successors[b->successors + k]];
				if (r.post[s] != NORN_NONE)
					post = post == NORN_NONE ? s : meet_reversed(&r, post, s);
			}
			changed |= r.post[i] != post;
			r.post[i] = post;
		}
	}
	for (uint32_t i = 1; i < r.count; i++)
		blocks->all[r.blocks[i]].postdominator = r.post[i] ? r.blocks[r.post[i]] : NORN_NONE;
	free(r.rank);
	free(r.blocks);
	free(r.post);
}

/* ---- loops ---- */

static uint32_t outermost(const struct norn_blocks *blocks, uint32_t loop)
{
	while (blocks->all[loop].outer != NORN_NONE)
		loop = blocks->all[loop].outer;
	return loop;
}

/* Fills the natural loop of header; inner loops were filled before and are taken as one block. */
static void fill_loop(struct norn_blocks *blocks, uint32_t header, uint32_t *work)
{
	uint32_t count = 0;
	const struct norn_basic_block *h = blocks->all + header;
	for (uint32_t k = 0; k < h->predecessor_count; k++) {
		uint32_t p = blocks->predecessors[h->predecessors + k];
		if (norn_blocks_dominates(blocks, header, p))
			work[count++] = p;
	}
	if (!count)
		return;
	blocks->all[header].loop = header;
	while (count) {
		uint32_t at = work[--count];
		if (at == header)
			continue;
		if (blocks->all[at].loop == NORN_NONE) {
			blocks->all[at].loop = header;
		} else {
			at = outermost(blocks, blocks->all[at].loop);
			if (at == header)
				continue;
			blocks->all[at].outer = header;
		}
		const struct norn_basic_block *b = blocks->all + at;
		for (uint32_t k = 0; k < b->predecessor_count; k++) {
			uint32_t p = blocks->predecessors[b->predecessors + k];
			uint32_t loop = blocks->all[p].loop;
			if (loop == NORN_NONE || (loop = outermost(blocks, loop)) != header)
				work[count++] = p;
		}
	}
}

static void find_loops(struct norn_blocks *blocks)
{
	uint32_t edges = 0;
	for (uint32_t i = 0; i < blocks->count; i++) {
		const struct norn_basic_block *b = blocks->all + i;
		edges += b->successor_count;
		for (uint32_t k = 0; k < b->successor_count; k++) {
			uint32_t to = blocks->successors[b->successors + k];
			if (to <= i && !norn_blocks_dominates(blocks, to, i))
				blocks->irreducible = true;
		}
	}
	if (blocks->irreducible)
		return;
	uint32_t *work = get(edges * (size_t)2, sizeof *work);
	for (uint32_t i = blocks->count; i-- > 0;)
		fill_loop(blocks, i, work);
	free(work);
}

bool norn_blocks_loop_contains(const struct norn_blocks *blocks, uint32_t header, uint32_t block)
{
	for (uint32_t loop = blocks->all[block].loop; loop != NORN_NONE; loop = blocks->all[loop].outer)
		if (loop == header)
			return true;
	return false;
}

/* In reverse postorder a block comes after its dominator; a header dominates its loop, unless the function is irreducible. */
static void check(const struct norn_blocks *blocks)
{
	assert(blocks->count && blocks->all[0].dominator == 0);
	for (uint32_t i = 1; i < blocks->count; i++) {
		const struct norn_basic_block *b = &blocks->all[i];
		assert(b->dominator < i && b->predecessor_count);
		assert(b->loop == NORN_NONE || blocks->irreducible || norn_blocks_dominates(blocks, b->loop, i));
		assert(b->postdominator == NORN_NONE || b->postdominator < blocks->count);
		(void)b;
	}
}

void norn_blocks_init(struct norn_blocks *blocks, LLVMValueRef function)
{
	*blocks = (struct norn_blocks){0};
	number(blocks, function);
	connect(blocks);
	find_dominators(blocks);
	find_postdominators(blocks);
	find_loops(blocks);
	check(blocks);
}

void norn_blocks_done(struct norn_blocks *blocks)
{
	norn_number_map_done(&blocks->numbers);
	free(blocks->all);
	free(blocks->successors);
	free(blocks->predecessors);
}

uint32_t norn_blocks_find(const struct norn_blocks *blocks, LLVMBasicBlockRef block)
{
	return norn_number_map_get(&blocks->numbers, (uintptr_t)block) - 1;
}
