#include "predict/influence.h"

#include <stdlib.h>

#include "base/must.h"

/* Each returns whether something was added. */

static bool add(bool *set, uint32_t i)
{
	bool is_new = !set[i];
	set[i] = true;
	return is_new;
}

static bool add_expr(struct norn_influence *c, const struct norn_expr *e)
{
	if (!e)
		return false;
	bool changed = add_expr(c, e->a);
	changed |= add_expr(c, e->b);
	if (e->op == NORN_EXPR_PLACE)
		changed |= add(c->places, e->index);
	else if (e->op == NORN_EXPR_GHOST)
		changed |= add(c->ghosts, e->index);
	else if (e->op == NORN_EXPR_EVENT)
		changed |= add(c->events, e->index);
	return changed;
}

/* A selector of an access fits by the pointers that lead to its place; a condition may ask for its old value. */
static bool add_selector(struct norn_influence *c, const struct norn_spec *spec, const struct norn_checked_selector *s)
{
	bool changed = add_expr(c, s->condition);
	bool has_place = s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_UNLOCK;
	if (has_place && (s->condition || spec->places[s->place].hops > 1))
		changed |= add(c->places, s->place);
	return changed;
}

static bool widen(struct norn_influence *c, const struct norn_spec *spec)
{
	bool changed = false;
	for (uint32_t g = 0; g < spec->ghost_count; g++)
		for (uint32_t u = 0; c->ghosts[g] && u < spec->ghosts[g].update_count; u++) {
			changed |= add(c->events, spec->ghosts[g].updates[u].event);
			changed |= add_expr(c, spec->ghosts[g].updates[u].value);
		}
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t s = 0; c->events[e] && s < spec->events[e].selector_count; s++)
			changed |= add_selector(c, spec, &spec->events[e].selectors[s]);
	return changed;
}

static bool add_atoms(struct norn_influence *c, const struct norn_spec *spec, const struct norn_property *p)
{
	bool changed = false;
	for (uint32_t i = 0; i < p->atom_count; i++) {
		const struct norn_atom *atom = &p->atoms[i];
		if (atom->kind == NORN_ATOM_PREDICATE) {
			changed |= add_expr(c, atom->predicate);
			continue;
		}
		changed |= add(c->events, atom->event);
		for (uint32_t a = 0; atom->arguments && a < spec->events[atom->event].parameter_count; a++)
			changed |= add_expr(c, atom->arguments[a]);
	}
	return changed;
}

void norn_influence_init(struct norn_influence *c, const struct norn_view *view)
{
	const struct norn_binding *b = view->binding;
	const struct norn_spec *spec = b->spec;
	*c = (struct norn_influence){norn_must_calloc(spec->place_count, sizeof(bool)),
	        norn_must_calloc(spec->ghost_count, sizeof(bool)), norn_must_calloc(spec->event_count, sizeof(bool)),
	        norn_must_calloc(b->place_index->spot_count, sizeof(bool))};
	for (bool changed = add_atoms(c, spec, view->terms.property); changed;)
		changed = widen(c, spec);
	const struct norn_place_index *z = b->place_index;
	for (uint32_t i = 0; i < z->count; i++)
		if (c->places[z->list[i].place] && z->list[i].spot != NORN_NO_SPOT)
			c->spots[z->list[i].spot] = true;
	for (uint32_t p = 0; p < spec->place_count; p++)
		if (c->places[p] && z->last_written[p] != NORN_NO_SPOT)
			c->spots[z->last_written[p]] = true;
}

void norn_influence_done(struct norn_influence *c)
{
	free(c->places);
	free(c->ghosts);
	free(c->events);
	free(c->spots);
	*c = (struct norn_influence){0};
}

bool norn_influence_has(const struct norn_influence *c, const struct norn_position *p)
{
	for (uint32_t i = 0; i < p->hit_count; i++)
		if (c->events[p->hits[i].event])
			return true;
	for (uint32_t i = 0; i < p->write_count; i++)
		if (c->spots[p->writes[i].spot])
			return true;
	for (uint32_t i = 0; i < p->fade_count; i++)
		if (c->spots[p->fades[i].spot])
			return true;
	return false;
}
