#include "judge/recorded/position.h"

#include <string.h>

static void *copy_of(struct norn_arena *arena, const void *from, size_t bytes)
{
	void *to = norn_arena_alloc(arena, bytes ? bytes : 1);
	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

const struct norn_position *norn_position_copy(
        const struct norn_spec *spec, const struct norn_position *position, struct norn_arena *arena)
{
	struct norn_position *copy = copy_of(arena, position, sizeof *position);
	struct norn_online_hit *hits = copy_of(arena, position->hits, position->hit_count * sizeof *hits);
	if (!copy || !hits)
		return NULL;
	copy->hits = hits;
	copy->writes = copy_of(arena, position->writes, position->write_count * sizeof *position->writes);
	copy->fades = copy_of(arena, position->fades, position->fade_count * sizeof *position->fades);
	bool whole = copy->writes && copy->fades;
	for (uint32_t i = 0; i < position->hit_count; i++) {
		const struct norn_checked_selector *s = &spec->events[hits[i].event].selectors[hits[i].selector];
		hits[i].slots = copy_of(arena, hits[i].slots, s->slots_total * sizeof *hits[i].slots);
		whole &= hits[i].slots != NULL;
	}
	return whole ? copy : NULL;
}
