#include "mttl/cell_readers.h"

#include <assert.h>
#include <stdlib.h>

#define READERS 8u

/* The fields of a vector that are asked for are here, since others have it in their caches. */
struct cell_reader {
	struct norn_knowledge *vector;
	uint32_t owner, id; /* of vector, as is the next */
	uint64_t sequence;
};

/* Behind what it has in common with vectors. */
struct reader_list {
	uint32_t count;
	struct cell_reader of[READERS];
};

static struct reader_list *list_of(const struct norn_knowledge *readers)
{
	assert(norn_cell_readers_are(readers));
	return (struct reader_list *)(void *)(uintptr_t)readers->places;
}

static struct cell_reader reader_of(struct norn_knowledge *vector)
{
	assert(vector->id && !norn_cell_readers_are(vector));
	return (struct cell_reader){vector, vector->owner, vector->id, vector->sequence};
}

struct norn_knowledge *norn_cell_readers_new(struct norn_knowledge *first)
{
	struct norn_knowledge *readers = calloc(1, sizeof *readers + sizeof(struct reader_list));
	if (!readers)
		return NULL;
	readers->id = norn_id_take(readers);
	if (!readers->id) {
		free(readers);
		return NULL;
	}
	atomic_init(&readers->refs, 1);
	readers->owner = NORN_SEAT_MANY;
	readers->sequence = UINT64_MAX; /* so that no clock covers it */
	*list_of(readers) = (struct reader_list){.count = 1, .of = {reader_of(first)}};
	return readers;
}

void norn_cell_readers_free(struct norn_knowledge *readers)
{
	const struct reader_list *list = list_of(readers);
	for (uint32_t i = 0; i < list->count; i++)
		norn_knowledge_drop(list->of[i].vector);
	norn_id_give(readers->id);
	free(readers);
}

/* True if the monitor knows all that the reader's vector does. */
static bool is_covered(const struct norn_local_monitor *m, const struct cell_reader *r)
{
	if (r->owner != NORN_SEAT_NONE)
		return norn_knowledge_sequence(m->now, r->owner) >= r->sequence;
	return norn_knowledge_covers(&m->world->program, m->now, r->vector);
}

void norn_cell_readers_join(struct norn_local_monitor *m, struct norn_knowledge *readers)
{
	struct reader_list *list = list_of(readers);
	uint32_t left = 0;
	for (uint32_t i = 0; i < list->count; i++)
		if (is_covered(m, &list->of[i]))
			norn_local_monitor_take_back_id(m, list->of[i].id);
		else
			list->of[left++] = list->of[i];
	list->count = left;
	if (left < READERS) {
		list->of[list->count++] = reader_of(norn_local_monitor_share(m));
		return;
	}
	struct cell_reader *last = &list->of[READERS - 1];
	struct norn_knowledge *joined = norn_local_monitor_join(m, last->vector);
	if (!joined || !joined->id) {
		norn_local_monitors_drop(m->world);
		norn_knowledge_drop(joined);
		return;
	}
	norn_local_monitor_take_back_id(m, last->id);
	*last = reader_of(joined);
}

void norn_cell_readers_teach(
        const struct norn_knowledge *readers, struct norn_local_monitor *local_monitor, struct norn_knowledge_origin origin)
{
	const struct reader_list *list = list_of(readers);
	for (uint32_t i = 0; i < list->count; i++)
		norn_local_monitor_learn(local_monitor, list->of[i].vector, origin);
}

struct norn_knowledge *norn_cell_readers_unite(const struct norn_knowledge *readers, struct norn_local_monitors *local_monitors)
{
	const struct reader_list *list = list_of(readers);
	assert(list->count > 0 && list->count <= READERS);
	struct norn_knowledge *all = norn_knowledge_keep(list->of[0].vector);
	for (uint32_t i = 1; i < list->count; i++) {
		struct norn_knowledge *more = norn_knowledge_join(&local_monitors->program, all, list->of[i].vector);
		if (!more) {
			norn_local_monitors_drop(local_monitors);
			continue;
		}
		norn_knowledge_drop(all);
		all = more;
	}
	return all;
}
