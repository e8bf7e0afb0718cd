/* Nodes of a model (step_model.h): what can be done there, and where it leads. */
#include <assert.h>
#include <string.h>

#include "sliced/step/step_flow.h"
#include "sliced/step/step_model.h"

static uint32_t objects_at(const struct norn_step_model *p)
{
	return p->threads + p->byte_groups;
}

static uint32_t sleepers_at(const struct norn_step_model *p)
{
	return objects_at(p) + p->objects;
}

/* ---- conditions ---- */

#define PLACE 0xffffu

static bool sleeps_on(uint32_t sleep, uint32_t condition)
{
	return sleep != NORN_STEP_MODEL_WOKEN && sleep >> 16 == condition + 1;
}

/* The sleeper at the first place, which may be a thread without steps, is woken; those behind it move up. */
static void wake_first(const struct norn_step_model *p, uint32_t condition, uint32_t *node)
{
	uint32_t *sleep = node + sleepers_at(p) + p->conditions;
	assert(condition < p->conditions);
	if (node[sleepers_at(p) + condition] == 0)
		return;
	node[sleepers_at(p) + condition]--;
	for (uint32_t t = 0; t < p->threads; t++)
		if (sleeps_on(sleep[t], condition))
			sleep[t] = (sleep[t] & PLACE) == 1 ? NORN_STEP_MODEL_WOKEN : sleep[t] - 1;
}

static void make_wait(const struct norn_step_model *p, const struct norn_step_model_step *s, uint32_t thread, uint32_t *node)
{
	uint32_t *count = node + sleepers_at(p) + s->condition, *sleep = node + sleepers_at(p) + p->conditions + thread;
	assert(s->condition < p->conditions && thread < p->threads);
	switch (s->rule->wait) {
	case NORN_WAIT_SLEEP:
		assert(*count < PLACE);
		*sleep = (s->condition + 1) << 16 | ++*count;
		break;
	case NORN_WAIT_WOKEN:
		assert(*sleep == NORN_STEP_MODEL_WOKEN); /* as norn_step_model_ready asks */
		*sleep = 0;
		break;
	case NORN_WAIT_SIGNAL:
		wake_first(p, s->condition, node);
		break;
	case NORN_WAIT_BROADCAST:
		while (*count)
			wake_first(p, s->condition, node);
		break;
	default:
		break;
	}
}

/* ---- steps ---- */

/* Do the states of its object, and of its thread, which is the model's, allow the step? */
static bool is_ready(const struct norn_step_model *p, const struct norn_step_model_step *s, uint32_t thread, const uint32_t *node)
{
	if (s->object != NORN_STEP_MODEL_NONE && !norn_rule_enabled(s->rule, node[objects_at(p) + s->object]))
		return false;
	if (s->condition == NORN_STEP_MODEL_NONE)
		return true;
	return s->rule->wait != NORN_WAIT_WOKEN || norn_step_model_sleep(p, node)[thread] == NORN_STEP_MODEL_WOKEN;
}

bool norn_step_model_enabled(
        const struct norn_step_model *p, const struct norn_step_model_step *s, uint32_t thread, const uint32_t *node)
{
	const uint32_t *contents = node + p->threads;
	if (p->flows && norn_step_flows_passes(p, s, node))
		return norn_step_flows_may_pass(p, s);
	if (s->opaque || !is_ready(p, s, thread, node))
		return false;
	for (uint32_t i = 0; i < s->need_count; i++)
		if (node[p->needs[s->need + i].thread] < p->needs[s->need + i].count)
			return false;
	if (p->flows)
		return norn_step_flows_enabled(p, s, node);
	for (uint32_t i = 0; i < s->read_count; i++)
		if (contents[p->accesses[s->read + i].group] != p->accesses[s->read + i].content)
			return false;
	return true;
}

bool norn_step_model_live(const struct norn_step_model *p, const uint32_t *node, uint32_t group)
{
	const uint32_t *last = p->last_read + (uint64_t)group * p->threads;
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
		contents[c] = norn_step_model_live(p, node, c) ? p->contents[c] : 0;
	if (p->objects)
		memcpy(contents + p->byte_groups, p->states, p->objects * sizeof *contents);
	if (p->conditions) {
		memcpy(node + sleepers_at(p), p->sleepers, p->conditions * sizeof *node);
		memcpy(node + sleepers_at(p) + p->conditions, p->sleep, p->threads * sizeof *node);
	}
	memset(node + norn_step_model_words(p) - p->slots, 0, p->slots * sizeof *node);
}

enum norn_step_way norn_step_model_make(
        const struct norn_step_model *p, const struct norn_step_model_step *s, uint32_t thread, uint32_t *node)
{
	uint32_t *contents = node + p->threads;
	enum norn_step_way way = p->flows ? norn_step_flows_read(p, s, node) : NORN_STEP_AS_RECORDED;
	assert(node[thread] < p->first[thread + 1] - p->first[thread] && (!s->opaque || way == NORN_STEP_PASSED));
	node[thread]++;
	for (uint32_t i = 0; i < s->read_count; i++)
		if (!norn_step_model_live(p, node, p->accesses[s->read + i].group))
			contents[p->accesses[s->read + i].group] = 0;
	if (p->flows)
		norn_step_flows_write(p, s, way, node);
	for (uint32_t i = 0; i < s->write_count && !p->flows; i++) {
		const struct norn_step_model_access *a = &p->accesses[s->write + i];
		contents[a->group] = norn_step_model_live(p, node, a->group) ? a->content : 0;
	}
	if (s->object != NORN_STEP_MODEL_NONE) {
		assert(s->object < p->objects);
		uint32_t *state = node + objects_at(p) + s->object;
		*state = norn_rule_apply(s->rule, *state, s->value);
	}
	if (s->condition != NORN_STEP_MODEL_NONE)
		make_wait(p, s, thread, node);
	return way;
}
