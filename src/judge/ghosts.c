#include "judge/ghosts.h"

#include <stdlib.h>

static struct norn_value happened(const struct norn_ghosts *g, uint32_t event)
{
	struct norn_value value = norn_value_integer(0);
	for (uint32_t i = 0; i < g->count; i++)
		if (g->hits[i].event == event)
			value = g->hits[i].holds == NORN_TRUTH_YES ? norn_value_integer(1) : norn_value_unknown();
	return value;
}

static struct norn_value leaf(void *context, const struct norn_expr *e)
{
	const struct norn_ghosts *g = context;
	switch (e->op) {
	case NORN_EXPR_GHOST:
		return g->values[e->index];
	case NORN_EXPR_EVENT:
		return happened(g, e->index);
	case NORN_EXPR_SLOT:
		return g->hit && e->index < NORN_HIT_SLOTS ? g->hit->slots[e->index] : norn_value_unknown();
	case NORN_EXPR_VALUE:
		return g->hit ? g->hit->value : norn_value_unknown();
	case NORN_EXPR_SELF:
		return g->hit && g->hit->self ? norn_value_integer(g->hit->self) : norn_value_unknown();
	case NORN_EXPR_TID:
		return norn_value_integer(g->thread);
	default:
		return norn_value_unknown();
	}
}

struct norn_eval_env norn_ghosts_env(struct norn_ghosts *g)
{
	return (struct norn_eval_env){leaf, g};
}

struct norn_ghosts *norn_ghosts_new(const struct norn_spec *spec, uint32_t thread)
{
	size_t count = spec->ghost_count, align = _Alignof(struct norn_value);
	struct norn_ghosts *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->spec = spec;
	g->thread = thread;
	g->set = calloc(count + 1, sizeof *g->set);
	g->memory = calloc(1, 3 * count * sizeof *g->values + align);
	if (!g->set || !g->memory) {
		norn_ghosts_free(g);
		return NULL;
	}
	g->values = (struct norn_value *)(void *)((char *)g->memory + (align - (uintptr_t)g->memory % align) % align);
	g->tops = g->values + count;
	g->news = g->tops + count;
	const struct norn_eval_env env = norn_ghosts_env(g);
	for (uint32_t i = 0; i < count; i++)
		g->values[i] = g->tops[i] = norn_expr_eval(spec->ghosts[i].initial, &env);
	return g;
}

void norn_ghosts_free(struct norn_ghosts *g)
{
	if (g) {
		free(g->set);
		free(g->memory);
	}
	free(g);
}

/* fresh: one more than the largest value so far. */
static struct norn_value updated(struct norn_ghosts *g, uint32_t ghost, const struct norn_checked_update *u)
{
	struct norn_value top = g->tops[ghost];
	if (g->hit->holds != NORN_TRUTH_YES || (u->fresh && (!top.known || top.is_float)))
		return norn_value_unknown();
	if (u->fresh) {
		top.integer++;
		return top;
	}
	const struct norn_eval_env env = norn_ghosts_env(g);
	return norn_expr_eval(u->value, &env);
}

static const struct norn_online_hit *hit_for(const struct norn_ghosts *g, uint32_t event)
{
	for (uint32_t i = 0; i < g->count; i++)
		if (g->hits[i].event == event)
			return &g->hits[i];
	return NULL;
}

static void settle(struct norn_ghosts *g, uint32_t ghost)
{
	struct norn_value value = g->news[ghost], *top = &g->tops[ghost];
	g->values[ghost] = value;
	if (!value.known)
		*top = value;
	else if (top->known && !value.is_float && !top->is_float && value.integer > top->integer)
		*top = value;
}

/* The first update of each ghost whose event takes place counts. All are computed from the ghosts before. */
void norn_ghosts_update(struct norn_ghosts *g, const struct norn_online_hit *hits, uint32_t count)
{
	g->hits = hits;
	g->count = count;
	for (uint32_t i = 0; i < g->spec->ghost_count; i++) {
		g->set[i] = false;
		for (uint32_t u = 0; u < g->spec->ghosts[i].update_count && !g->set[i]; u++) {
			g->hit = hit_for(g, g->spec->ghosts[i].updates[u].event);
			if (!g->hit)
				continue;
			g->set[i] = true;
			g->news[i] = updated(g, i, &g->spec->ghosts[i].updates[u]);
		}
	}
	for (uint32_t i = 0; i < g->spec->ghost_count; i++)
		if (g->set[i])
			settle(g, i);
	g->hit = NULL;
}
