/* Locals in memory whose address does not escape: the values that they hold where they are loaded.
 *
 * A local that is only loaded and stored, always whole, is followed as if it were in SSA form: at the iterated dominance frontier
 * of its stores stands a node that joins what comes by each way, and the choice of the way (Cytron et al. 1991). Without
 * optimisation that is what all locals are. Any other local (arrays, structs, what memcpy fills, what is passed to libc) holds at
 * any time whatever was ever stored there. */
#include "instrument/flow/static_flow.h"
#include "instrument/pass_memory.h"

#include "instrument/access/escape_analysis.h"

#include <stdlib.h>
#include <string.h>

#define FRONTIER_PER_BLOCK 64u

static uint64_t key_of(uint32_t block, uint32_t local)
{
	return ((uint64_t)block + 1) << 32 | (local + 1);
}

uint32_t norn_local_of(const struct norn_flow *flow, LLVMValueRef object)
{
	return norn_number_map_get(&flow->local_numbers, (uintptr_t)object) - 1;
}

static bool is_lifetime(LLVMValueRef user)
{
	LLVMValueRef callee = LLVMIsACallInst(user) ? norn_shim_callee(user) : NULL;
	size_t length;
	return callee && strncmp(LLVMGetValueName2(callee, &length), "llvm.lifetime.", 14) == 0;
}

/* Bytes of a plain access to exactly this address, 0 if user does anything else with it. */
static uint64_t plain_access(const struct norn_flow *flow, LLVMValueRef user, LLVMValueRef address)
{
	if (LLVMIsALoadInst(user))
		return LLVMStoreSizeOfType(flow->pass->layout, LLVMTypeOf(user));
	if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != address)
		return LLVMStoreSizeOfType(flow->pass->layout, LLVMTypeOf(LLVMGetOperand(user, 0)));
	return 0;
}

static bool is_simple(const struct norn_flow *flow, LLVMValueRef alloca)
{
	uint64_t bytes = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(alloca); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_lifetime(user))
			continue;
		uint64_t accessed = plain_access(flow, user, alloca);
		if (!accessed || (bytes && accessed != bytes))
			return false;
		bytes = accessed;
	}
	return true;
}

static void add_local(struct norn_flow *flow, LLVMValueRef alloca)
{
	if (norn_may_be_shared(flow->pass, alloca))
		return;
	if (flow->local_count == flow->local_room) {
		flow->local_room = flow->local_room * 2 + 32;
		flow->locals = norn_pass_grow(flow->locals, flow->local_room * sizeof *flow->locals);
	}
	struct norn_local *local = flow->locals + flow->local_count++;
	*local = (struct norn_local){.alloca = alloca, .simple = LLVMIsAAllocaInst(alloca) && is_simple(flow, alloca)};
	local->node = norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0);
	norn_number_map_set(&flow->local_numbers, (uintptr_t)alloca, flow->local_count);
}

static void find_locals(struct norn_flow *flow)
{
	LLVMValueRef function = flow->pass->function;
	for (uint32_t b = 0; b < flow->blocks.count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks.all[b].block); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsAAllocaInst(i))
				add_local(flow, i);
	for (unsigned i = 0, n = LLVMCountParams(function); i < n; i++) {
		LLVMValueRef parameter = LLVMGetParam(function, i);
		if (!norn_shim_is_byval(parameter))
			continue;
		uint32_t before = flow->local_count;
		add_local(flow, parameter);
		if (flow->local_count > before) /* the caller's value */
			norn_flow_edge(flow, flow->locals[before].node, norn_flow_value(flow, parameter), false);
	}
}

/* ---- the dominance frontier ---- */

struct frontier {
	uint32_t *begin, *blocks; /* begin[b] … begin[b + 1] */
};

static bool count_frontier(const struct norn_flow *flow, struct frontier *f, bool fill, uint32_t *at)
{
	const struct norn_blocks *blocks = &flow->blocks;
	uint64_t total = 0, limit = 1000000 + (uint64_t)blocks->count * FRONTIER_PER_BLOCK;
	for (uint32_t b = 0; b < blocks->count; b++) {
		if (blocks->all[b].predecessor_count < 2)
			continue;
		for (uint32_t k = 0; k < blocks->all[b].predecessor_count; k++) {
			uint32_t runner = blocks->predecessors[blocks->all[b].predecessors + k];
			for (; runner != blocks->all[b].dominator; runner = blocks->all[runner].dominator) {
				if (++total > limit)
					return false;
				if (fill)
					f->blocks[at[runner]] = b;
				at[runner]++;
			}
		}
	}
	return true;
}

static bool find_frontier(const struct norn_flow *flow, struct frontier *f)
{
	uint32_t n = flow->blocks.count, *at = calloc(n + (size_t)1, sizeof *at);
	*f = (struct frontier){.begin = calloc(n + (size_t)2, sizeof *f->begin)};
	if (!at || !f->begin)
		abort();
	bool ok = count_frontier(flow, f, false, at);
	if (ok) {
		for (uint32_t b = 0; b < n; b++)
			f->begin[b + 1] = f->begin[b] + at[b];
		f->blocks = malloc((f->begin[n] + (size_t)1) * sizeof *f->blocks);
		if (!f->blocks)
			abort();
		memcpy(at, f->begin, n * sizeof *at);
		count_frontier(flow, f, true, at);
	}
	free(at);
	return ok;
}

/* ---- simple locals ---- */

/* The value of each simple local at the end of the blocks that store to it. */
static void note_stores(struct norn_flow *flow)
{
	for (uint32_t b = 0; b < flow->blocks.count; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(flow->blocks.all[b].block); i; i = LLVMGetNextInstruction(i)) {
			uint32_t local = LLVMIsAStoreInst(i) ? norn_local_of(flow, LLVMGetOperand(i, 1)) : NORN_NONE;
			if (local != NORN_NONE && flow->locals[local].simple)
				norn_number_map_set(
				        &flow->local_ends, key_of(b, local), norn_flow_value(flow, LLVMGetOperand(i, 0)) + 1);
		}
}

/* Puts joins where the blocks of walk, those that store to local, meet others. */
static void place_joins(struct norn_flow *flow, const struct frontier *f, uint32_t local)
{
	for (uint32_t b; (b = norn_walk_next(flow)) != NORN_NONE;)
		for (uint32_t k = f->begin[b]; k < f->begin[b + 1]; k++) {
			uint64_t key = key_of(f->blocks[k], local);
			if (norn_number_map_get(&flow->local_starts, key))
				continue;
			norn_number_map_set(&flow->local_starts, key, norn_flow_node(flow, NORN_FLOW_NODE_INNER, 0) + 1);
			norn_walk_to(flow, f->blocks[k]);
		}
}

static uint32_t at_start(struct norn_flow *flow, uint32_t local, uint32_t block)
{
	for (uint32_t b = block;;) {
		uint32_t node = norn_number_map_get(&flow->local_starts, key_of(b, local));
		if (!node && b) {
			b = flow->blocks.all[b].dominator;
			node = norn_number_map_get(&flow->local_ends, key_of(b, local));
		} else if (!node) {
			node = 1; /* never stored: constant as any */
		}
		if (node) {
			norn_number_map_set(&flow->local_starts, key_of(block, local), node);
			return node - 1;
		}
	}
}

static uint32_t at_end(struct norn_flow *flow, uint32_t local, uint32_t block)
{
	uint32_t node = norn_number_map_get(&flow->local_ends, key_of(block, local));
	return node ? node - 1 : at_start(flow, local, block);
}

struct join {
	uint32_t block, local, node;
};

static void connect_joins(struct norn_flow *flow, const struct join *joins, uint32_t count)
{
	for (uint32_t i = 0; i < count && !flow->unknown; i++) {
		uint32_t block = joins[i].block;
		const struct norn_basic_block *b = flow->blocks.all + block;
		for (uint32_t k = 0; k < b->predecessor_count; k++) {
			uint32_t p = flow->blocks.predecessors[b->predecessors + k];
			norn_flow_edge(flow, joins[i].node, at_end(flow, joins[i].local, p),
			        norn_blocks_dominates(&flow->blocks, block, p));
		}
		norn_flow_edge(flow, joins[i].node, norn_flow_choice(flow, block), false);
	}
}

static uint32_t list_joins(const struct norn_flow *flow, struct join **ret_joins)
{
	struct join *joins = malloc((flow->local_starts.used + (size_t)1) * sizeof *joins);
	if (!joins)
		abort();
	uint32_t count = 0;
	for (uint32_t i = 0; i < flow->local_starts.room; i++) {
		const struct norn_number *s = flow->local_starts.slots + i;
		if (s->key)
			joins[count++] = (struct join){(s->key >> 32) - 1, (uint32_t)s->key - 1, s->number - 1};
	}
	*ret_joins = joins;
	return count;
}

/* Blocks that store to each simple local, as lists: heads by local, nexts by store. */
static void place_all_joins(struct norn_flow *flow, const struct frontier *f)
{
	uint32_t count = 0, *heads = calloc(flow->local_count + (size_t)1, sizeof *heads);
	struct {
		uint32_t block, next;
	} *stores = malloc((flow->local_ends.used + (size_t)1) * sizeof *stores);
	if (!heads || !stores)
		abort();
	for (uint32_t i = 0; i < flow->local_ends.room; i++) {
		const struct norn_number *s = flow->local_ends.slots + i;
		if (!s->key)
			continue;
		uint32_t local = (uint32_t)s->key - 1;
		stores[++count].block = (s->key >> 32) - 1;
		stores[count].next = heads[local];
		heads[local] = count;
	}
	for (uint32_t l = 0; l < flow->local_count && !flow->unknown; l++) {
		norn_walk_begin(flow);
		for (uint32_t s = heads[l]; s; s = stores[s].next)
			norn_walk_to(flow, stores[s].block);
		place_joins(flow, f, l);
	}
	free(heads);
	free(stores);
}

void norn_local_find(struct norn_flow *flow)
{
	find_locals(flow);
	struct frontier f;
	if (find_frontier(flow, &f)) {
		struct join *joins;
		note_stores(flow);
		place_all_joins(flow, &f);
		uint32_t count = list_joins(flow, &joins);
		connect_joins(flow, joins, count);
		free(joins);
	} else {
		flow->unknown = true;
	}
	free(f.begin);
	free(f.blocks);
}

/* ---- where the walk over the instructions stands ---- */

uint32_t norn_local_load(struct norn_flow *flow, uint32_t local, uint32_t block)
{
	struct norn_local *l = flow->locals + local;
	if (!l->simple)
		return l->node;
	if (l->block != block + 1) {
		l->value = at_start(flow, local, block);
		l->block = block + 1;
	}
	return l->value;
}

void norn_local_store(struct norn_flow *flow, uint32_t local, uint32_t block, uint32_t value)
{
	struct norn_local *l = flow->locals + local;
	if (l->simple) {
		l->value = value;
		l->block = block + 1;
	} else {
		norn_flow_edge(flow, l->node, value, norn_flow_repeats(flow, block));
		flow->effects[block] = true;
	}
}
