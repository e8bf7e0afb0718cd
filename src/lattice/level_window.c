/* Windows: the events in which cuts may differ. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "lattice/levels.h"

#define WIDE 256u /* cuts of a level that is worth large blocks */

void norn_levels_enable(const struct norn_search *search, uint64_t *record)
{
	const struct norn_packing *packing = &search->packing;
	uint32_t words = search->shape.words;
	memset(record + words, 0, search->shape.masks * sizeof *record);
	for (uint32_t t = 0; t < packing->threads; t++) {
		const struct norn_cut_field *field = &packing->fields[t];
		uint32_t k = norn_cut_get(field, record);
		if (k < field->events &&
		        norn_cut_covers(record, packing->needs + (field->first + k) * words, packing->guards, words))
			record[words + t / 64] |= UINT64_C(1) << t % 64;
	}
}

void norn_levels_set_window(struct norn_levels *l, const struct norn_packing *packing, const struct norn_observed_run *observed)
{
	struct norn_search *search = &l->search;
	norn_packing_done(&search->packing);
	norn_observed_run_done(&l->observed);
	free(search->observed);
	search->packing = *packing;
	l->observed = *observed;
	l->observed_from = l->level;
	search->shape = (struct norn_record_shape){packing->words, packing->threads ? (packing->threads + 63) / 64 : 1};
	search->ranks = l->observed.ranks;
	search->observed = norn_must_calloc(packing->threads, sizeof *search->observed);
	norn_levels_account(l, &l->window_bytes, norn_packing_bytes(packing) + norn_observed_run_bytes(observed));
}

/* The place of a thread's number of events in a record of the old window. */
struct window_origin {
	const struct norn_cut_field *field; /* NULL: it was not in that window, */
	uint32_t events; /* and is the same in all cuts */
};

static void translate(const struct norn_search *search, const struct window_origin *origins, const uint64_t *from, uint64_t *to)
{
	memset(to, 0, search->shape.words * sizeof *to);
	for (uint32_t t = 0; t < search->packing.threads; t++) {
		const struct norn_cut_field *field = &search->packing.fields[t], *old = origins[t].field;
		uint64_t events = old ? norn_cut_get(old, from) + old->base : origins[t].events;
		assert(events >= field->base && events - field->base <= field->events);
		to[field->word] |= (events - field->base) << field->shift;
	}
}

static int rewrite(
        struct norn_levels *l, struct norn_record_shape old, const struct window_origin *origins, struct norn_level *level)
{
	struct norn_search *search = &l->search;
	struct norn_record_shape shape = search->shape;
	const struct norn_lattice_model *model = search->model;
	bool renumber = model->renumber_begin && model->renumber_begin(model->context);
	size_t skip = old.words + old.masks, head_at = shape.words + shape.masks;
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, old)) {
		uint64_t head = norn_record_head_of(old, at.record);
		size_t words = norn_record_size(shape, head);
		uint64_t *record = norn_level_append(level, &search->pool, words, l->present.records >= WIDE);
		translate(search, origins, at.record, record);
		norn_levels_enable(search, record);
		memcpy(record + head_at, at.record + skip, (words - head_at) * sizeof *record);
		if (renumber)
			record[head_at] = norn_record_head(model->rename(model->context, norn_record_valuation(head)),
			        norn_record_entries(head), norn_record_limbs(head));
	}
	return renumber ? model->renumber_end(model->context) : 0;
}

int norn_levels_move_window(struct norn_levels *l, const struct norn_packing *packing, const struct norn_observed_run *observed,
        const uint32_t *base, const uint32_t *taken)
{
	struct norn_search *search = &l->search;
	struct norn_packing old = search->packing;
	struct norn_record_shape shape = search->shape;
	struct norn_level level = {0};
	struct window_origin *origins = norn_must_calloc(packing->threads, sizeof *origins);
	search->packing = (struct norn_packing){0};
	norn_levels_set_window(l, packing, observed);
	for (uint32_t t = 0, o = 0; t < packing->threads; t++) {
		uint32_t thread = packing->fields[t].thread;
		while (o < old.threads && old.fields[o].thread < thread)
			o++;
		bool there = o < old.threads && old.fields[o].thread == thread;
		origins[t] = (struct window_origin){there ? &old.fields[o] : NULL, base[thread]};
		search->observed[t] = taken[thread] > base[thread] ? taken[thread] - base[thread] : 0;
	}
	int r = rewrite(l, shape, origins, &level);
	norn_level_release(&l->present, &search->pool);
	l->present = level;
	for (unsigned i = 0; i < l->members; i++)
		if (l->workers[i])
			norn_worker_move(l->workers[i]);
	norn_packing_done(&old);
	free(origins);
	return r;
}

void norn_levels_least(const struct norn_levels *l, uint32_t *least)
{
	const struct norn_packing *packing = &l->search.packing;
	bool first = true;
	assert(l->present.records || l->over);
	for (struct norn_level_cursor at = norn_level_at(l->present.first); at.record; norn_level_next(&at, l->search.shape)) {
		for (uint32_t t = 0; t < packing->threads; t++) {
			const struct norn_cut_field *field = &packing->fields[t];
			uint32_t events = norn_cut_get(field, at.record) + field->base;
			if (first || events < least[field->thread])
				least[field->thread] = events;
		}
		first = false;
	}
}
