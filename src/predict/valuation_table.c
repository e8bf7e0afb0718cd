#include "predict/valuation_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/table.h"

#define RENUMBER_FROM 4096u /* valuations */

static size_t ghost_bytes(const struct norn_binding *b)
{
	return norn_valuation_ghosts(b) * sizeof(struct norn_value);
}

static uint64_t hash(const struct norn_binding *b, const struct norn_valuation *v)
{
	return norn_hash_more(norn_hash(v->spots, b->place_index->spot_count * sizeof *v->spots), v->ghosts, ghost_bytes(b));
}

/* Puts a valuation that is in the list into the index. */
static void enter(struct norn_valuation_table *t, uint32_t valuation)
{
	uint32_t *first = norn_must_map_put(&t->index, hash(t->binding, &t->list[valuation]));
	t->chains[valuation] = *first;
	*first = valuation + 1;
}

static void enter_all(struct norn_valuation_table *t)
{
	norn_map_done(&t->index);
	norn_map_init(&t->index, sizeof(uint32_t));
	for (uint32_t i = 0; i < t->count; i++)
		enter(t, i);
}

/* Its number; a copy is kept if it is new. */
static uint32_t intern(struct norn_valuation_table *t, const struct norn_valuation *v)
{
	const struct norn_binding *b = t->binding;
	uint32_t *first = norn_must_map_put(&t->index, hash(b, v));
	for (uint32_t i = *first; i; i = t->chains[i - 1])
		if (norn_valuation_equal(b, &t->list[i - 1], v))
			return i - 1;
	norn_must_grow(&t->list, t->count + UINT64_C(1), &t->room, sizeof *t->list);
	norn_must_grow(&t->chains, t->count + UINT64_C(1), &t->chain_room, sizeof *t->chains);
	norn_valuation_copy(b, v, &t->list[t->count]);
	t->chains[t->count] = *first;
	*first = ++t->count;
	return t->count - 1;
}

void norn_valuation_table_init(
        struct norn_valuation_table *t, const struct norn_binding *binding, const struct norn_position *start)
{
	*t = (struct norn_valuation_table){.binding = binding};
	norn_map_init(&t->index, sizeof(uint32_t));
	norn_valuation_init(&t->scratch, binding);
	norn_moment_init(&t->moment, binding);
	norn_valuation_fade(&t->scratch, binding, start);
	intern(t, &t->scratch);
}

void norn_valuation_table_done(struct norn_valuation_table *t)
{
	if (!t->binding)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		norn_valuation_done(&t->list[i]);
	free(t->list);
	free(t->chains);
	norn_map_done(&t->index);
	free(t->names);
	norn_valuation_done(&t->scratch);
	norn_moment_done(&t->moment);
	*t = (struct norn_valuation_table){0};
}

size_t norn_valuation_table_bytes(const struct norn_valuation_table *t)
{
	size_t each = t->binding->place_index->spot_count * sizeof(struct norn_spot_bytes) + ghost_bytes(t->binding) + 64;
	return t->count * each + t->room * (sizeof *t->list + sizeof *t->chains) + t->index.capacity * t->index.slot_bytes;
}

void norn_valuation_table_widen(struct norn_valuation_table *t, uint32_t threads)
{
	struct norn_valuation fresh;
	norn_valuation_init(&fresh, t->binding);
	for (uint32_t i = 0; i < t->count; i++)
		norn_valuation_widen(t->binding, &fresh, threads, &t->list[i]);
	norn_valuation_widen(t->binding, &fresh, threads, &t->scratch);
	norn_valuation_done(&fresh);
	enter_all(t);
}

bool norn_valuation_table_renumber(struct norn_valuation_table *t)
{
	if (t->count < t->renumber_at || t->count < RENUMBER_FROM)
		return false;
	t->names = norn_must_alloc(t->count, sizeof *t->names);
	memset(t->names, 0xff, t->count * sizeof *t->names);
	t->named = 0;
	return true;
}

uint32_t norn_valuation_table_rename(struct norn_valuation_table *t, uint32_t valuation)
{
	assert(valuation < t->count);
	if (t->names[valuation] == UINT32_MAX)
		t->names[valuation] = t->named++;
	return t->names[valuation];
}

void norn_valuation_table_renumbered(struct norn_valuation_table *t)
{
	struct norn_valuation *list = norn_must_alloc(t->room, sizeof *list);
	for (uint32_t i = 0; i < t->count; i++)
		if (t->names[i] == UINT32_MAX)
			norn_valuation_done(&t->list[i]);
		else
			list[t->names[i]] = t->list[i];
	free(t->names);
	t->names = NULL;
	free(t->list);
	t->list = list;
	t->count = t->named;
	t->renumber_at = 2 * t->count;
	enter_all(t);
}

void norn_valuation_table_moment(struct norn_valuation_table *t, uint32_t valuation, const struct norn_position *position)
{
	assert(valuation < t->count);
	const struct norn_valuation *v = &t->list[valuation];
	memcpy(t->scratch.spots, v->spots, t->binding->place_index->spot_count * sizeof *v->spots);
	memcpy(t->scratch.ghosts, v->ghosts, ghost_bytes(t->binding));
	norn_valuation_apply(&t->scratch, position, &t->moment);
}

uint32_t norn_valuation_table_next(struct norn_valuation_table *t, uint32_t valuation, const struct norn_position *position)
{
	norn_valuation_table_moment(t, valuation, position);
	norn_valuation_fade(&t->scratch, t->binding, position);
	return intern(t, &t->scratch);
}
