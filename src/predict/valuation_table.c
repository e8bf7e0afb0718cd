#include "predict/valuation_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SWEEP_FROM 4096u /* worlds */

static size_t ghost_bytes(const struct norn_binding *b)
{
	return norn_valuation_ghosts(b) * sizeof(struct norn_value);
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

static uint64_t hash(const struct norn_binding *b, const struct norn_valuation *v)
{
	return hash_bytes(hash_bytes(1, v->spots, b->zones->spot_count * sizeof *v->spots), v->ghosts, ghost_bytes(b));
}

/* Puts a world that is in the list into the index. */
static int enter(struct norn_valuation_table *w, uint32_t world)
{
	void *value;
	if (norn_map_put(&w->index, hash(w->binding, &w->list[world]), &value) != 0)
		return -ENOMEM;
	uint32_t *first = value;
	w->chains[world] = *first;
	*first = world + 1;
	return 0;
}

/* Its number; a copy is kept if it is new. */
static int intern(struct norn_valuation_table *w, const struct norn_valuation *v, uint32_t *ret_world)
{
	const struct norn_binding *b = w->binding;
	uint64_t h = hash(b, v);
	void *value;
	if (norn_map_put(&w->index, h, &value) != 0)
		return -ENOMEM;
	uint32_t *first = value;
	for (uint32_t i = *first; i; i = w->chains[i - 1])
		if (norn_valuation_equal(b, &w->list[i - 1], v)) {
			*ret_world = i - 1;
			return 0;
		}
	if (w->count == w->room) {
		uint32_t room = w->room ? 2 * w->room : 64;
		struct norn_valuation *list = realloc(w->list, room * sizeof *list);
		w->list = list ? list : w->list;
		uint32_t *chains = realloc(w->chains, room * sizeof *chains);
		w->chains = chains ? chains : w->chains;
		if (!list || !chains)
			return -ENOMEM;
		w->room = room;
	}
	if (norn_valuation_copy(b, v, &w->list[w->count]) != 0)
		return -ENOMEM;
	w->chains[w->count] = *first;
	*ret_world = w->count++;
	*first = w->count;
	return 0;
}

int norn_valuation_table_init(struct norn_valuation_table *w, const struct norn_binding *binding, const struct norn_position *start)
{
	uint32_t world;
	*w = (struct norn_valuation_table){.binding = binding};
	norn_map_init(&w->index, sizeof(uint32_t));
	int r = norn_valuation_init(&w->scratch, binding);
	if (r == 0)
		r = norn_moment_init(&w->moment, binding);
	if (r == 0) {
		norn_valuation_fade(&w->scratch, binding, start);
		r = intern(w, &w->scratch, &world);
	}
	if (r != 0)
		norn_valuation_table_done(w);
	return r;
}

void norn_valuation_table_done(struct norn_valuation_table *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		norn_valuation_done(&w->list[i]);
	free(w->list);
	free(w->chains);
	norn_map_done(&w->index);
	free(w->names);
	norn_valuation_done(&w->scratch);
	norn_moment_done(&w->moment);
	*w = (struct norn_valuation_table){0};
}

size_t norn_valuation_table_bytes(const struct norn_valuation_table *w)
{
	size_t each = w->binding->zones->spot_count * sizeof(struct norn_spot_bytes) + ghost_bytes(w->binding) + 64;
	return w->count * each + w->room * (sizeof *w->list + sizeof *w->chains) + w->index.capacity * w->index.slot_bytes;
}

int norn_valuation_table_widen(struct norn_valuation_table *w, uint32_t threads)
{
	struct norn_valuation fresh;
	int r = norn_valuation_init(&fresh, w->binding);
	if (r != 0)
		return r;
	for (uint32_t i = 0; r == 0 && i < w->count; i++)
		r = norn_valuation_widen(w->binding, &fresh, threads, &w->list[i]);
	if (r == 0)
		r = norn_valuation_widen(w->binding, &fresh, threads, &w->scratch);
	norn_valuation_done(&fresh);
	norn_map_done(&w->index);
	norn_map_init(&w->index, sizeof(uint32_t));
	for (uint32_t i = 0; r == 0 && i < w->count; i++)
		r = enter(w, i);
	return r;
}

bool norn_valuation_table_sweep(struct norn_valuation_table *w)
{
	if (w->count < w->sweep_at || w->count < SWEEP_FROM)
		return false;
	w->names = malloc(w->count * sizeof *w->names);
	if (!w->names)
		return false;
	memset(w->names, 0xff, w->count * sizeof *w->names);
	w->named = 0;
	return true;
}

uint32_t norn_valuation_table_rename(struct norn_valuation_table *w, uint32_t world)
{
	if (w->names[world] == UINT32_MAX)
		w->names[world] = w->named++;
	return w->names[world];
}

int norn_valuation_table_swept(struct norn_valuation_table *w)
{
	struct norn_valuation *list = malloc((w->room + 1ul) * sizeof *list);
	int r = list ? 0 : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < w->count; i++)
		if (w->names[i] == UINT32_MAX)
			norn_valuation_done(&w->list[i]);
		else
			list[w->names[i]] = w->list[i];
	free(w->names);
	w->names = NULL;
	if (r != 0)
		return r;
	free(w->list);
	w->list = list;
	w->count = w->named;
	w->sweep_at = 2 * w->count;
	norn_map_done(&w->index);
	norn_map_init(&w->index, sizeof(uint32_t));
	for (uint32_t i = 0; r == 0 && i < w->count; i++)
		r = enter(w, i);
	return r;
}

int norn_valuation_table_look(struct norn_valuation_table *w, uint32_t world, const struct norn_position *position)
{
	const struct norn_valuation *v = &w->list[world];
	memcpy(w->scratch.spots, v->spots, w->binding->zones->spot_count * sizeof *v->spots);
	memcpy(w->scratch.ghosts, v->ghosts, ghost_bytes(w->binding));
	return norn_valuation_apply(&w->scratch, position, &w->moment);
}

int norn_valuation_table_next(
        struct norn_valuation_table *w, uint32_t world, const struct norn_position *position, uint32_t *ret_world)
{
	int r = norn_valuation_table_look(w, world, position);
	if (r != 0)
		return r;
	norn_valuation_fade(&w->scratch, w->binding, position);
	return intern(w, &w->scratch, ret_world);
}
