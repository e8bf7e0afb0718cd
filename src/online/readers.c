#include "online/readers.h"

#include <stdlib.h>

#define READERS 8u

/* Behind what it has in common with vectors. */
struct list {
	uint32_t count;
	struct norn_knowledge *of[READERS];
};

static struct list *list_of(const struct norn_knowledge *readers)
{
	return (struct list *)(void *)(uintptr_t)readers->places;
}

struct norn_knowledge *norn_readers_new(struct norn_knowledge *first)
{
	struct norn_knowledge *readers = calloc(1, sizeof *readers + sizeof(struct list));
	if (!readers)
		return NULL;
	readers->id = norn_id_take(readers);
	if (!readers->id) {
		free(readers);
		return NULL;
	}
	atomic_init(&readers->refs, 1);
	readers->owner = NORN_SEAT_MANY;
	readers->sequence = UINT64_MAX; /* so that nobody covers it */
	*list_of(readers) = (struct list){.count = 1, .of = {first}};
	return readers;
}

void norn_readers_free(struct norn_knowledge *readers)
{
	const struct list *list = list_of(readers);
	for (uint32_t i = 0; i < list->count; i++)
		norn_knowledge_drop(list->of[i]);
	norn_id_give(readers->id);
	free(readers);
}

void norn_readers_join(struct norn_mind *m, struct norn_knowledge *readers)
{
	struct list *list = list_of(readers);
	uint32_t left = 0;
	for (uint32_t i = 0; i < list->count; i++)
		if (norn_knowledge_covers(&m->world->program, m->now, list->of[i]))
			norn_mind_take_back(m, list->of[i]);
		else
			list->of[left++] = list->of[i];
	list->count = left;
	if (left < READERS) {
		list->of[list->count++] = norn_mind_lend(m);
		return;
	}
	struct norn_knowledge **last = &list->of[READERS - 1], *joined = norn_mind_join(m, *last);
	if (!joined || !joined->id) {
		norn_minds_drop(m->world);
		norn_knowledge_drop(joined);
		return;
	}
	norn_mind_take_back(m, *last);
	*last = joined;
}

void norn_readers_teach(const struct norn_knowledge *readers, struct norn_mind *mind, struct norn_lesson lesson)
{
	const struct list *list = list_of(readers);
	for (uint32_t i = 0; i < list->count; i++)
		norn_mind_learn(mind, list->of[i], lesson);
}

struct norn_knowledge *norn_readers_unite(const struct norn_knowledge *readers, struct norn_minds *minds)
{
	const struct list *list = list_of(readers);
	struct norn_knowledge *all = norn_knowledge_keep(list->of[0]);
	for (uint32_t i = 1; i < list->count; i++) {
		struct norn_knowledge *more = norn_knowledge_join(&minds->program, all, list->of[i]);
		if (!more) {
			norn_minds_drop(minds);
			continue;
		}
		norn_knowledge_drop(all);
		all = more;
	}
	return all;
}
