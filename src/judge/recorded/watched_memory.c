#include "judge/recorded/watched_memory.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "trace/record.h"

int norn_watched_memory_init(struct norn_watched_memory *m, const struct norn_binding *binding)
{
	*m = (struct norn_watched_memory){.binding = binding};
	int r = norn_place_values_init(&m->values, binding->zones, norn_binding_peek, binding);
	m->values.learns = false;
	return r == 0 ? norn_place_values_follow(&m->values) : r;
}

void norn_watched_memory_done(struct norn_watched_memory *memory)
{
	norn_place_values_done(&memory->values);
	free(memory->zones);
	free(memory->changes);
	*memory = (struct norn_watched_memory){0};
}

int norn_watched_memory_touch(struct norn_watched_memory *m, uint64_t address, uint64_t size)
{
	m->zone_count = norn_place_index_find(m->binding->zones, address, size, m->zones, m->zone_room);
	while (m->zone_count == m->zone_room) { /* there may be more */
		if (norn_grow(&m->zones, m->zone_room + UINT64_C(32), &m->zone_room, sizeof *m->zones) != 0)
			return -ENOMEM;
		m->zone_count = norn_place_index_find(m->binding->zones, address, size, m->zones, m->zone_room);
	}
	return 0;
}

int norn_watched_memory_set(struct norn_watched_memory *m, uint32_t place, bool known, uint64_t raw)
{
	if (norn_grow(&m->changes, m->change_count + UINT64_C(1), &m->change_room, sizeof *m->changes) != 0)
		return -ENOMEM;
	m->change_count = norn_place_values_set(&m->values, place, known, raw, m->changes, m->change_count, m->change_room);
	return 0;
}

int norn_watched_memory_step(struct norn_watched_memory *m, const struct norn_event *e)
{
	const struct norn_place_index *z = m->binding->zones;
	m->zone_count = 0;
	m->change_count = 0;
	if (e->kind == NORN_EVENT_LOST) {
		for (uint32_t i = 0; i < m->values.ready; i++)
			m->values.spots[i] = (struct norn_spot_bytes){0};
		return 0;
	}
	bool access = e->kind <= NORN_EVENT_EXTERNAL, block = e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE;
	if ((!access && !(block && z->has_pointers)) || !norn_place_index_near(z, e->addr, e->size))
		return 0;
	int r = norn_watched_memory_touch(m, e->addr, e->size);
	if (r != 0 || !m->zone_count)
		return r;
	if (norn_grow(&m->changes, m->zone_count, &m->change_room, sizeof *m->changes) != 0)
		return -ENOMEM;
	m->change_count = norn_place_values_apply(&m->values, e, m->zones, m->zone_count, m->changes, m->change_room);
	return 0;
}
