#include "lattice/belief.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_MAX 10 /* bits that are tried, 1024 completions */
#define ELEMENTS_MAX 4096 /* beyond, a belief is given up: open for ever */

struct memo {
	uint64_t letter, unknown;
	uint32_t id, next;
	bool stay;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

void norn_belief_done(struct norn_belief_table *table)
{
	free(table->beliefs);
	free(table->scratch);
	norn_map_done(&table->index);
	norn_map_done(&table->memo);
	norn_arena_done(&table->arena);
	*table = (struct norn_belief_table){0};
}

size_t norn_belief_bytes(const struct norn_belief_table *table)
{
	return table->room * sizeof *table->beliefs + table->scratch_room * sizeof *table->scratch +
	       table->index.capacity * table->index.slot_bytes + table->memo.capacity * table->memo.slot_bytes +
	       table->elements * sizeof(struct norn_belief_element);
}

static int compare(const void *a, const void *b)
{
	const struct norn_belief_element *x = a, *y = b;
	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	return x->last < y->last ? -1 : x->last > y->last;
}

static int push(struct norn_belief_table *table, uint64_t state, uint64_t last)
{
	if (table->scratch_count == table->scratch_room) {
		uint32_t room = table->scratch_room ? 2 * table->scratch_room : 16;
		struct norn_belief_element *scratch = realloc(table->scratch, room * sizeof *scratch);
		if (!scratch)
			return -ENOMEM;
		table->scratch = scratch;
		table->scratch_room = room;
	}
	table->scratch[table->scratch_count++] = (struct norn_belief_element){state, last};
	return 0;
}

static void sort_scratch(struct norn_belief_table *table)
{
	uint32_t kept = 0;
	if (table->scratch_count < 2)
		return;
	qsort(table->scratch, table->scratch_count, sizeof *table->scratch, compare);
	for (uint32_t i = 0; i < table->scratch_count; i++)
		if (kept == 0 || compare(&table->scratch[kept - 1], &table->scratch[i]) != 0)
			table->scratch[kept++] = table->scratch[i];
	table->scratch_count = kept;
}

static uint32_t flags_of(const struct norn_belief *belief)
{
	if (belief->count)
		return 0;
	return belief->bad && !belief->fine ? NORN_BELIEF_DONE | NORN_BELIEF_VIOLATED : NORN_BELIEF_DONE;
}

static bool same(const struct norn_belief *a, const struct norn_belief *b)
{
	return a->monitor == b->monitor && a->count == b->count && a->bad == b->bad && a->fine == b->fine &&
	       (a->count == 0 || memcmp(a->elements, b->elements, a->count * sizeof *a->elements) == 0);
}

static uint64_t hash_of(const struct norn_belief *belief)
{
	uint64_t hash = mix(belief->monitor, (uint64_t)belief->bad << 1 | belief->fine);
	for (uint32_t i = 0; i < belief->count; i++)
		hash = mix(mix(hash, belief->elements[i].state), belief->elements[i].last);
	return hash;
}

static int append(struct norn_belief_table *table, struct norn_belief belief, uint32_t *slot)
{
	if (table->count == table->room) {
		uint32_t room = table->room ? 2 * table->room : 16;
		if (room > NORN_BELIEF_INDEX)
			return -ENOMEM;
		struct norn_belief *beliefs = realloc(table->beliefs, room * sizeof *beliefs);
		if (!beliefs)
			return -ENOMEM;
		table->beliefs = beliefs;
		table->room = room;
	}
	if (belief.count) {
		size_t bytes = belief.count * sizeof *belief.elements;
		struct norn_belief_element *elements = norn_arena_alloc(&table->arena, bytes);
		if (!elements)
			return -ENOMEM;
		memcpy(elements, belief.elements, bytes);
		belief.elements = elements;
		table->elements += belief.count;
	}
	belief.chain = *slot - 1; /* slots hold index + 1, and 0 for none */
	table->beliefs[table->count] = belief;
	*slot = ++table->count;
	return 0;
}

/* The id of the belief made of the scratch elements. */
static int intern(struct norn_belief_table *table, uint32_t monitor, bool bad, bool fine, uint32_t *ret_id)
{
	void *value;
	/* Neither violation nor its absence can become certain any more. */
	if ((bad && fine) || table->scratch_count > ELEMENTS_MAX) {
		bad = fine = true;
		table->scratch_count = 0;
	}
	sort_scratch(table);
	struct norn_belief belief = {monitor, table->scratch_count, bad, fine, table->scratch, 0};
	int r = norn_map_put(&table->index, hash_of(&belief), &value);
	if (r < 0)
		return r;
	uint32_t *slot = value, i = *slot - 1;
	while (i != UINT32_MAX && !same(&table->beliefs[i], &belief))
		i = table->beliefs[i].chain;
	if (i == UINT32_MAX) {
		r = append(table, belief, slot);
		if (r < 0)
			return r;
		i = table->count - 1;
	}
	*ret_id = i | flags_of(&table->beliefs[i]);
	return 0;
}

int norn_belief_init(struct norn_belief_table *table, const struct norn_stepper *steppers, uint32_t monitors)
{
	*table = (struct norn_belief_table){.steppers = steppers, .monitors = monitors};
	norn_map_init(&table->index, sizeof(uint32_t));
	norn_map_init(&table->memo, sizeof(struct memo));
	for (uint32_t m = 0; m < monitors; m++) {
		uint32_t id;
		int r = intern(table, m, true, false, &id);
		r = r < 0 ? r : intern(table, m, false, true, &id);
		r = r < 0 ? r : intern(table, m, true, true, &id);
		if (r < 0) {
			norn_belief_done(table);
			return r;
		}
	}
	return 0;
}

/* Adds a state to the scratch elements, or to what is settled. */
static int sort_in(
        struct norn_belief_table *table, const struct norn_stepper *stepper, uint64_t state, uint64_t letter, bool *bad, bool *fine)
{
	if (stepper->violated(stepper->context, state))
		*bad = true;
	else if (stepper->settled && stepper->settled(stepper->context, state))
		*fine = true;
	else
		return push(table, state, stepper->final ? letter : 0);
	return 0;
}

int norn_belief_start(struct norn_belief_table *table, uint32_t monitor, uint32_t *ret_id)
{
	const struct norn_stepper *stepper = &table->steppers[monitor];
	bool bad = false, fine = false;
	table->scratch_count = 0;
	int r = sort_in(table, stepper, stepper->start(stepper->context), 0, &bad, &fine);
	return r < 0 ? r : intern(table, monitor, bad, fine, ret_id);
}

static int step(struct norn_belief_table *table, uint32_t id, uint64_t letter, uint64_t unknown, bool stay, uint32_t *ret_id)
{
	const struct norn_belief belief = *norn_belief_get(table, id);
	const struct norn_stepper *stepper = &table->steppers[belief.monitor];
	bool bad = belief.bad, fine = belief.fine;
	table->scratch_count = 0;
	if (__builtin_popcountll(unknown) > UNKNOWN_MAX)
		return intern(table, belief.monitor, true, true, ret_id);
	for (uint32_t i = 0; stay && i < belief.count; i++) {
		int r = push(table, belief.elements[i].state, belief.elements[i].last);
		if (r < 0)
			return r;
	}
	uint64_t completion = 0;
	do {
		uint64_t full = (letter & ~unknown) | completion;
		completion = (completion - unknown) & unknown; /* the next subset of unknown */
		if (unknown && stepper->possible && !stepper->possible(stepper->context, full))
			continue;
		for (uint32_t i = 0; i < belief.count; i++) {
			uint64_t state = stepper->step(stepper->context, belief.elements[i].state, full);
			int r = sort_in(table, stepper, state, full, &bad, &fine);
			if (r < 0)
				return r;
		}
	} while (completion);
	return intern(table, belief.monitor, bad, fine, ret_id);
}

int norn_belief_step(struct norn_belief_table *table, uint32_t id, uint64_t letter, uint64_t unknown, bool stay, uint32_t *ret_id)
{
	void *value;
	if (id & NORN_BELIEF_DONE) {
		*ret_id = id;
		return 0;
	}
	/* A clash of hashes costs the older memo, no more. Ids here are never 0: they are stored plus one. */
	int r = norn_map_put(&table->memo, mix(mix(mix(1 + stay, id), letter), unknown), &value);
	if (r < 0)
		return r;
	struct memo *memo = value;
	if (memo->id != id + 1 || memo->letter != letter || memo->unknown != unknown || memo->stay != stay) {
		uint32_t next;
		r = step(table, id, letter, unknown, stay, &next);
		if (r < 0)
			return r;
		*memo = (struct memo){letter, unknown, id + 1, next, stay};
	}
	*ret_id = memo->next;
	return 0;
}

int norn_belief_end(struct norn_belief_table *table, uint32_t id, uint32_t *ret_id)
{
	const struct norn_belief belief = *norn_belief_get(table, id);
	const struct norn_stepper *stepper = &table->steppers[belief.monitor];
	bool bad = belief.bad, fine = belief.fine;
	for (uint32_t i = 0; i < belief.count; i++)
		if (stepper->final && stepper->final(stepper->context, belief.elements[i].state, belief.elements[i].last))
			bad = true;
		else
			fine = true;
	table->scratch_count = 0;
	return intern(table, belief.monitor, bad, fine, ret_id);
}
