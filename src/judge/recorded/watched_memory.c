#include "judge/recorded/watched_memory.h"

#include <stdlib.h>

#include "base/must.h"
#include "trace/record.h"

void norn_watched_memory_init(struct norn_watched_memory *m, const struct norn_binding *binding)
{
	*m = (struct norn_watched_memory){.binding = binding};
	norn_must_do(norn_place_values_init(&m->values, binding->place_index, norn_binding_peek, binding));
	m->values.learns = false;
	norn_must_do(norn_place_values_follow(&m->values));
}

void norn_watched_memory_done(struct norn_watched_memory *memory)
{
	norn_place_values_done(&memory->values);
	free(memory->ranges);
	free(memory->changes);
	*memory = (struct norn_watched_memory){0};
}

void norn_watched_memory_touch(struct norn_watched_memory *m, uint64_t address, uint64_t size)
{
	m->range_count = norn_place_index_find(m->binding->place_index, address, size, m->ranges, m->range_room);
	while (m->range_count == m->range_room) { /* there may be more */
		norn_must_grow(&m->ranges, m->range_room + UINT64_C(32), &m->range_room, sizeof *m->ranges);
		m->range_count = norn_place_index_find(m->binding->place_index, address, size, m->ranges, m->range_room);
	}
}

void norn_watched_memory_set(struct norn_watched_memory *m, uint32_t place, bool known, uint64_t raw)
{
	norn_must_grow(&m->changes, m->change_count + UINT64_C(1), &m->change_room, sizeof *m->changes);
	m->change_count = norn_place_values_set(&m->values, place, known, raw, m->changes, m->change_count, m->change_room);
}

void norn_watched_memory_step(struct norn_watched_memory *m, const struct norn_event *e)
{
	const struct norn_place_index *z = m->binding->place_index;
	m->range_count = 0;
	m->change_count = 0;
	if (e->kind == NORN_EVENT_LOST) {
		for (uint32_t i = 0; i < m->values.ready; i++)
			m->values.spots[i] = (struct norn_spot_bytes){0};
		return;
	}
	bool access = e->kind <= NORN_EVENT_EXTERNAL, block = e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE;
	if ((!access && !(block && z->has_pointers)) || !norn_place_index_near(z, e->addr, e->size))
		return;
	norn_watched_memory_touch(m, e->addr, e->size);
	if (!m->range_count)
		return;
	norn_must_grow(&m->changes, m->range_count, &m->change_room, sizeof *m->changes);
	m->change_count = norn_place_values_apply(&m->values, e, m->ranges, m->range_count, m->changes, m->change_room);
}
