#include "lattice/belief.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"

#define UNKNOWN_MAX 10 /* bits that are tried, 1024 completions */
#define ELEMENTS_MAX 4096 /* beyond, a belief is given up: open for ever */

struct belief_memo {
	uint64_t letter, unknown;
	uint32_t id, next;
	bool stay;
};

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

static void push(struct norn_belief_table *table, uint64_t state, uint64_t last)
{
	norn_must_grow(&table->scratch, table->scratch_count + UINT64_C(1), &table->scratch_room, sizeof *table->scratch);
	table->scratch[table->scratch_count++] = (struct norn_belief_element){state, last};
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
	uint64_t hash = norn_hash_mix(belief->monitor, (uint64_t)belief->bad << 1 | belief->fine);
	for (uint32_t i = 0; i < belief->count; i++)
		hash = norn_hash_mix(norn_hash_mix(hash, belief->elements[i].state), belief->elements[i].last);
	return hash;
}

static void append(struct norn_belief_table *table, struct norn_belief belief, uint32_t *slot)
{
	if (table->count == NORN_BELIEF_INDEX)
		norn_out_of_memory();
	norn_must_grow(&table->beliefs, table->count + UINT64_C(1), &table->room, sizeof *table->beliefs);
	if (belief.count) {
		size_t bytes = belief.count * sizeof *belief.elements;
		belief.elements = memcpy(norn_must_arena_alloc(&table->arena, bytes), belief.elements, bytes);
		table->elements += belief.count;
	}
	belief.chain = *slot - 1; /* slots hold index + 1, and 0 for none */
	table->beliefs[table->count] = belief;
	*slot = ++table->count;
}

/* The id of the belief made of the scratch elements. */
static uint32_t intern(struct norn_belief_table *table, uint32_t monitor, bool bad, bool fine)
{
	/* Neither violation nor its absence can become certain any more. */
	if ((bad && fine) || table->scratch_count > ELEMENTS_MAX) {
		bad = fine = true;
		table->scratch_count = 0;
	}
	sort_scratch(table);
	struct norn_belief belief = {monitor, table->scratch_count, bad, fine, table->scratch, 0};
	uint32_t *slot = norn_must_map_put(&table->index, hash_of(&belief)), i = *slot - 1;
	while (i != UINT32_MAX && !same(&table->beliefs[i], &belief))
		i = table->beliefs[i].chain;
	if (i == UINT32_MAX) {
		append(table, belief, slot);
		i = table->count - 1;
	}
	return i | flags_of(&table->beliefs[i]);
}

void norn_belief_init(struct norn_belief_table *table, const struct norn_stepper *steppers, uint32_t monitors)
{
	*table = (struct norn_belief_table){.steppers = steppers, .monitors = monitors};
	norn_map_init(&table->index, sizeof(uint32_t));
	norn_map_init(&table->memo, sizeof(struct belief_memo));
	for (uint32_t m = 0; m < monitors; m++) {
		__attribute__((unused)) uint32_t violated = intern(table, m, true, false);
		intern(table, m, false, true);
		intern(table, m, true, true);
		assert(norn_belief_done_monitor(violated) == m && table->count == 3 * (m + 1));
	}
}

/* Adds a state to the scratch elements, or to what is settled. */
static void sort_in(
        struct norn_belief_table *table, const struct norn_stepper *stepper, uint64_t state, uint64_t letter, bool *bad, bool *fine)
{
	if (stepper->violated(stepper->context, state))
		*bad = true;
	else if (stepper->settled && stepper->settled(stepper->context, state))
		*fine = true;
	else
		push(table, state, stepper->final ? letter : 0);
}

uint32_t norn_belief_start(struct norn_belief_table *table, uint32_t monitor)
{
	const struct norn_stepper *stepper = &table->steppers[monitor];
	bool bad = false, fine = false;
	table->scratch_count = 0;
	sort_in(table, stepper, stepper->start(stepper->context), 0, &bad, &fine);
	return intern(table, monitor, bad, fine);
}

static uint32_t step(struct norn_belief_table *table, uint32_t id, uint64_t letter, uint64_t unknown, bool stay)
{
	const struct norn_belief belief = *norn_belief_get(table, id);
	const struct norn_stepper *stepper = &table->steppers[belief.monitor];
	bool bad = belief.bad, fine = belief.fine;
	table->scratch_count = 0;
	if (__builtin_popcountll(unknown) > UNKNOWN_MAX)
		return intern(table, belief.monitor, true, true);
	for (uint32_t i = 0; stay && i < belief.count; i++)
		push(table, belief.elements[i].state, belief.elements[i].last);
	uint64_t completion = 0;
	do {
		uint64_t full = (letter & ~unknown) | completion;
		completion = (completion - unknown) & unknown; /* the next subset of unknown */
		if (unknown && stepper->possible && !stepper->possible(stepper->context, full))
			continue;
		for (uint32_t i = 0; i < belief.count; i++) {
			uint64_t state = stepper->step(stepper->context, belief.elements[i].state, full);
			sort_in(table, stepper, state, full, &bad, &fine);
		}
	} while (completion);
	return intern(table, belief.monitor, bad, fine);
}

uint32_t norn_belief_step(struct norn_belief_table *table, uint32_t id, uint64_t letter, uint64_t unknown, bool stay)
{
	if (id & NORN_BELIEF_DONE)
		return id;
	if (letter & NORN_STEPPER_ENDS)
		return norn_belief_end(table, id);
	/* A clash of hashes costs the older memo, no more. Ids here are never 0: they are stored plus one. */
	struct belief_memo *memo =
	        norn_must_map_put(&table->memo, norn_hash_mix(norn_hash_mix(norn_hash_mix(1 + stay, id), letter), unknown));
	if (memo->id != id + 1 || memo->letter != letter || memo->unknown != unknown || memo->stay != stay)
		*memo = (struct belief_memo){letter, unknown, id + 1, step(table, id, letter, unknown, stay), stay};
	return memo->next;
}

uint32_t norn_belief_end(struct norn_belief_table *table, uint32_t id)
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
	return intern(table, belief.monitor, bad, fine);
}
