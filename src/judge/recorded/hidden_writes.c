#include "judge/recorded/hidden_writes.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "judge/recorded/watched_memory.h"
#include "trace/merge.h"
#include "trace/record.h"

#define ROUNDS_MAX 16u /* pointers lead to pointers: one more pass for each */

struct pass {
	struct norn_binding *binding;
	struct norn_watched_memory memory;
	struct norn_hidden_writes *hidden_writes;
	uint64_t (*confirmed)[8]; /* per spot and byte: number of the last event that found or made its value */
	uint32_t spots;
	uint64_t number;
	bool news; /* objects were found that should have been watched from the start */
};

/* ---- is there anything to foresee? ---- */

/* True if an external write may have changed a spot, and did not just show the value that the program starts with. */
static bool shows_change(struct norn_watched_memory *m, uint64_t word, uint32_t version, uint64_t value)
{
	norn_watched_memory_touch(m, word, 8);
	for (uint32_t i = 0; i < m->range_count; i++) {
		const struct norn_place_index *z = m->binding->place_index;
		uint32_t spot = z->list[m->ranges[i]].spot;
		if (spot >= m->values.ready)
			continue;
		const struct norn_online_spot *s = &z->spots[spot];
		if (version != 1 || s->address < word || s->address + s->size > word + 8)
			return true;
		unsigned shift = (unsigned)(64 - s->size * 8);
		if (m->values.spots[spot].known && (m->values.spots[spot].bytes ^ value >> (s->address - word) * 8) << shift != 0)
			return true;
	}
	return false;
}

static int scan_thread(struct norn_watched_memory *m, struct norn_trace *trace, uint32_t thread, struct norn_error *err)
{
	struct norn_cursor *cursor;
	const uint64_t *record;
	unsigned units;
	bool found = false;
	int r = 0;
	if (norn_cursor_new(trace, thread, &cursor) != 0)
		return norn_error_no_memory(err);
	while (!found && (r = norn_cursor_next(cursor, &record, &units, err)) == 1)
		if (norn_record_tag(record[0]) == NORN_TAG_EXT)
			found = shows_change(m, norn_record_addr(record[0]), (uint32_t)(record[1] >> 32), record[2]);
	norn_cursor_free(cursor);
	return found ? 1 : r < 0 ? r : 0;
}

static int scan(struct norn_binding *b, struct norn_trace *trace, struct norn_error *err)
{
	struct norn_watched_memory memory;
	int r = 0;
	norn_watched_memory_init(&memory, b);
	for (uint32_t i = 0; r == 0 && i < b->threads; i++)
		r = scan_thread(&memory, trace, i, err);
	norn_watched_memory_done(&memory);
	return r;
}

/* ---- a pass over the merged run ---- */

/* An unseen write has changed these bytes at some time since each was confirmed. */
static void fade(struct pass *p, uint32_t spot, uint8_t bytes)
{
	while (bytes) {
		uint64_t after = p->confirmed[spot][__builtin_ctz(bytes)];
		uint8_t same = 0;
		for (unsigned i = 0; i < 8; i++)
			same |= bytes >> i & 1 && p->confirmed[spot][i] == after ? 1u << i : 0;
		norn_must_push(&p->hidden_writes->fades, (struct norn_fade){after, spot, same});
		bytes &= (uint8_t)~same;
	}
}

static void follow_spots(struct pass *p)
{
	uint32_t count = p->binding->place_index->spot_count;
	p->confirmed = norn_must_realloc(p->confirmed, count, sizeof *p->confirmed);
	for (; p->spots < count; p->spots++)
		memset(p->confirmed[p->spots], 0, sizeof *p->confirmed);
}

static void confirm(struct pass *p, const struct norn_event *e)
{
	const struct norn_place_index *z = p->binding->place_index;
	for (uint32_t i = 0; i < p->memory.range_count; i++) {
		uint32_t spot = z->list[p->memory.ranges[i]].spot;
		if (spot >= p->spots)
			continue;
		for (unsigned k = 0; k < z->spots[spot].size; k++)
			if (z->spots[spot].address + k - e->addr < e->size)
				p->confirmed[spot][k] = p->number;
	}
}

static void observe(struct pass *p, const struct norn_event *e)
{
	p->number++;
	uint32_t known = p->binding->place_index->spot_count;
	norn_watched_memory_step(&p->memory, e);
	if (!p->memory.range_count)
		return;
	p->news |= p->binding->place_index->spot_count > known;
	if (p->spots < p->binding->place_index->spot_count)
		follow_spots(p);
	for (uint32_t i = 0; i < p->memory.change_count; i++) {
		const struct norn_spot_write *w = &p->memory.changes[i].write;
		if (e->kind == NORN_EVENT_EXTERNAL && !w->silent)
			fade(p, w->spot, w->written);
	}
	confirm(p, e);
}

static int by_event(const void *a, const void *b)
{
	const struct norn_fade *x = a, *y = b;
	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	return x->spot < y->spot ? -1 : x->spot > y->spot;
}

static int run_pass(struct pass *p, struct norn_trace *trace, unsigned patience, struct norn_error *err)
{
	struct norn_merge *merge = norn_merge_new(trace, patience);
	struct norn_event event;
	int r;
	while ((r = norn_merge_next(merge, &event, err)) == 1)
		observe(p, &event);
	norn_merge_free(merge);
	return r;
}

int norn_hidden_writes_find(struct norn_binding *binding, struct norn_trace *trace, unsigned patience,
        struct norn_hidden_writes *ret_hidden_writes, struct norn_error *err)
{
	*ret_hidden_writes = (struct norn_hidden_writes){0};
	int r = binding->place_index->has_pointers ? 1 : binding->place_index->count ? scan(binding, trace, err) : 0;
	if (r <= 0)
		return r;
	r = 0;
	bool news = true;
	for (unsigned round = 0; r == 0 && news && round < ROUNDS_MAX; round++) {
		struct pass p = {.binding = binding, .hidden_writes = ret_hidden_writes};
		ret_hidden_writes->fades.count = 0;
		norn_watched_memory_init(&p.memory, binding);
		follow_spots(&p);
		p.memory.values.learns = binding->place_index->has_pointers;
		r = run_pass(&p, trace, patience, err);
		news = p.news;
		norn_watched_memory_done(&p.memory);
		free(p.confirmed);
	}
	if (r != 0) {
		norn_hidden_writes_done(ret_hidden_writes);
		return r;
	}
	if (ret_hidden_writes->fades.count)
		qsort(ret_hidden_writes->fades.items, ret_hidden_writes->fades.count, sizeof(struct norn_fade), by_event);
	return 0;
}

void norn_hidden_writes_done(struct norn_hidden_writes *hidden_writes)
{
	norn_vector_done(&hidden_writes->fades);
}
