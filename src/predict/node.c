/* Nodes of a plan (plan.h): what can be done there, and where it leads. */
#include <string.h>

#include "predict/plan.h"

bool norn_plan_lockable(const struct norn_plan *p, const struct norn_plan_step *s, const uint32_t *node)
{
	uint32_t state = node[p->threads + p->tiles + s->lock];
	switch (s->locking) {
	case NORN_PLAN_TAKE:
		return state == 0;
	case NORN_PLAN_TAKE_SHARED:
		return state != NORN_PLAN_EXCLUSIVE;
	case NORN_PLAN_FAIL:
		return state != 0;
	default:
		return true;
	}
}

bool norn_plan_enabled(const struct norn_plan *p, const struct norn_plan_step *s, const uint32_t *node)
{
	const uint32_t *contents = node + p->threads;
	if (s->opaque || (s->locking && !norn_plan_lockable(p, s, node)))
		return false;
	for (uint32_t i = 0; i < s->need_count; i++)
		if (node[p->needs[s->need + i].thread] < p->needs[s->need + i].count)
			return false;
	for (uint32_t i = 0; i < s->read_count; i++)
		if (contents[p->accesses[s->read + i].tile] != p->accesses[s->read + i].content)
			return false;
	return true;
}

/* Is somebody still going to read it? */
static bool is_live(const struct norn_plan *p, const uint32_t *node, uint32_t tile)
{
	const uint32_t *last = p->last_read + (uint64_t)tile * p->threads;
	for (uint32_t t = 0; t < p->threads; t++)
		if (node[t] < last[t])
			return true;
	return false;
}

void norn_plan_start(const struct norn_plan *p, uint32_t *node)
{
	uint32_t *contents = node + p->threads;
	memset(node, 0, p->threads * sizeof *node);
	for (uint32_t c = 0; c < p->tiles; c++)
		contents[c] = is_live(p, node, c) ? p->contents[c] : 0;
	memcpy(contents + p->tiles, p->held, p->locks * sizeof *contents);
}

void norn_plan_make(const struct norn_plan *p, const struct norn_plan_step *s, uint32_t thread, uint32_t *node)
{
	uint32_t *contents = node + p->threads, *lock = contents + p->tiles + s->lock;
	node[thread]++;
	for (uint32_t i = 0; i < s->read_count; i++)
		if (!is_live(p, node, p->accesses[s->read + i].tile))
			contents[p->accesses[s->read + i].tile] = 0;
	for (uint32_t i = 0; i < s->write_count; i++) {
		const struct norn_plan_access *a = &p->accesses[s->write + i];
		contents[a->tile] = is_live(p, node, a->tile) ? a->content : 0;
	}
	switch (s->locking) {
	case NORN_PLAN_TAKE:
		*lock = NORN_PLAN_EXCLUSIVE;
		break;
	case NORN_PLAN_TAKE_SHARED:
		++*lock;
		break;
	case NORN_PLAN_GIVE:
		*lock = 0;
		break;
	case NORN_PLAN_GIVE_SHARED:
		*lock -= *lock != 0;
		break;
	default:
		break;
	}
}
