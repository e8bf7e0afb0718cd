/* Nodes of a plan (step_model.h): what can be done there, and where it leads. */
#include <string.h>

#include "sliced/step_model.h"

bool norn_step_model_lockable(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node)
{
	uint32_t state = node[p->threads + p->byte_groups + s->lock];
	switch (s->locking) {
	case NORN_STEP_MODEL_TAKE:
		return state == 0;
	case NORN_STEP_MODEL_TAKE_SHARED:
		return state != NORN_STEP_MODEL_EXCLUSIVE;
	case NORN_STEP_MODEL_FAIL:
		return state != 0;
	default:
		return true;
	}
}

bool norn_step_model_enabled(const struct norn_step_model *p, const struct norn_step_model_step *s, const uint32_t *node)
{
	const uint32_t *contents = node + p->threads;
	if (s->opaque || (s->locking && !norn_step_model_lockable(p, s, node)))
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
static bool is_live(const struct norn_step_model *p, const uint32_t *node, uint32_t tile)
{
	const uint32_t *last = p->last_read + (uint64_t)tile * p->threads;
	for (uint32_t t = 0; t < p->threads; t++)
		if (node[t] < last[t])
			return true;
	return false;
}

void norn_step_model_start(const struct norn_step_model *p, uint32_t *node)
{
	uint32_t *contents = node + p->threads;
	memset(node, 0, p->threads * sizeof *node);
	for (uint32_t c = 0; c < p->byte_groups; c++)
		contents[c] = is_live(p, node, c) ? p->contents[c] : 0;
	memcpy(contents + p->byte_groups, p->held, p->locks * sizeof *contents);
}

void norn_step_model_make(const struct norn_step_model *p, const struct norn_step_model_step *s, uint32_t thread, uint32_t *node)
{
	uint32_t *contents = node + p->threads, *lock = contents + p->byte_groups + s->lock;
	node[thread]++;
	for (uint32_t i = 0; i < s->read_count; i++)
		if (!is_live(p, node, p->accesses[s->read + i].tile))
			contents[p->accesses[s->read + i].tile] = 0;
	for (uint32_t i = 0; i < s->write_count; i++) {
		const struct norn_step_model_access *a = &p->accesses[s->write + i];
		contents[a->tile] = is_live(p, node, a->tile) ? a->content : 0;
	}
	switch (s->locking) {
	case NORN_STEP_MODEL_TAKE:
		*lock = NORN_STEP_MODEL_EXCLUSIVE;
		break;
	case NORN_STEP_MODEL_TAKE_SHARED:
		++*lock;
		break;
	case NORN_STEP_MODEL_GIVE:
		*lock = 0;
		break;
	case NORN_STEP_MODEL_GIVE_SHARED:
		*lock -= *lock != 0;
		break;
	default:
		break;
	}
}
