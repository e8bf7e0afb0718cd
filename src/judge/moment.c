#include "judge/moment.h"

#include <string.h>

size_t norn_moment_bytes(const struct norn_spec *spec)
{
	return (spec->ghost_count + 1ul) * (sizeof(struct norn_value) + sizeof(bool)) + spec->event_count + 1ul;
}

void norn_moment_place(struct norn_moment *m, const struct norn_spec *spec, void *memory)
{
	m->spec = spec;
	m->news = memory;
	m->events = (int8_t *)(m->news + spec->ghost_count + 1ul);
	m->set = (bool *)(m->events + spec->event_count + 1ul);
}

/* ---- expressions ---- */

struct norn_value norn_moment_leaf(void *context, const struct norn_expr *e)
{
	const struct norn_leaf_context *s = context;
	const struct norn_moment *m = s->moment;
	switch (e->op) {
	case NORN_EXPR_PLACE:
		return norn_moment_variable(m, e->index);
	case NORN_EXPR_GHOST:
		return m->ghosts[(size_t)2 * e->index];
	case NORN_EXPR_SLOT:
		return s->hit ? s->hit->slots[e->index] : norn_value_unknown();
	case NORN_EXPR_KEY:
		return s->keys ? s->keys[e->index] : norn_value_unknown();
	case NORN_EXPR_VALUE:
		return s->hit ? s->hit->value : norn_value_unknown();
	case NORN_EXPR_OLD:
		return s->hit ? s->hit->old : norn_value_unknown();
	case NORN_EXPR_SELF:
		return s->hit && s->hit->self ? norn_value_integer(s->hit->self) : norn_value_unknown();
	case NORN_EXPR_TID:
		return norn_value_integer(m->thread);
	case NORN_EXPR_EVENT:
		if (!m->decided || m->events[e->index] == NORN_TRUTH_UNKNOWN)
			return norn_value_unknown();
		return norn_value_integer(m->events[e->index]);
	default:
		return norn_value_unknown();
	}
}

static struct norn_value value_of(
        const struct norn_moment *m, const struct norn_online_hit *hit, const struct norn_value *keys, const struct norn_expr *expr)
{
	struct norn_leaf_context leaf_context = {m, hit, keys};
	return norn_expr_eval(expr, &(const struct norn_eval_env){norn_moment_leaf, &leaf_context});
}

/* ---- declared events ---- */

/* A place that pointers lead to is hit only while they lead there. */
static bool leads_there(const struct norn_moment *m, const struct norn_online_hit *hit)
{
	bool passed;
	if (!m->place_index || hit->place == NORN_SLOT_NONE || m->spec->places[hit->place].hops <= 1 ||
	        m->place_index->last_written[hit->place] != NORN_NO_SPOT)
		return true;
	uint32_t spot = norn_place_spot(m->place_index, m->spots, m->spot_count, hit->place, NORN_NO_SPOT, &passed);
	return spot != NORN_NO_SPOT && m->place_index->spots[spot].address == hit->address;
}

static void decide(const struct norn_moment *m, struct norn_online_hit *hit)
{
	const struct norn_expr *condition = m->spec->events[hit->event].selectors[hit->selector].condition;
	if (!leads_there(m, hit)) {
		hit->holds = NORN_TRUTH_NO;
		return;
	}
	if (!condition || hit->holds != NORN_TRUTH_UNKNOWN)
		return;
	struct norn_leaf_context leaf_context = {.moment = m, .hit = hit};
	enum norn_truth truth = norn_expr_holds(condition, &(const struct norn_eval_env){norn_moment_leaf, &leaf_context});
	hit->holds = (int8_t)(truth == NORN_TRUTH_YES && hit->unseen ? NORN_TRUTH_UNKNOWN : truth);
}

void norn_moment_decide(struct norn_moment *m)
{
	m->decided = false;
	memset(m->events, NORN_TRUTH_NO, m->spec->event_count);
	for (uint32_t i = 0; i < m->hit_count; i++) {
		struct norn_online_hit *hit = &m->hits[i];
		if (hit->event == NORN_SLOT_NONE)
			continue;
		decide(m, hit);
		int8_t *event = &m->events[hit->event];
		if (hit->holds == NORN_TRUTH_YES || (hit->holds == NORN_TRUTH_UNKNOWN && *event == NORN_TRUTH_NO))
			*event = hit->holds;
	}
	m->decided = true;
}

const struct norn_online_hit *norn_moment_hit(const struct norn_moment *m)
{
	for (uint32_t i = 0; i < m->hit_count; i++)
		if (m->hits[i].holds == NORN_TRUTH_YES && m->hits[i].event != NORN_SLOT_NONE)
			return &m->hits[i];
	return NULL;
}

uint32_t norn_moment_named(const struct norn_moment *m, const struct norn_property *p, uint64_t letter)
{
	for (uint32_t i = 0; i < p->atom_count; i++)
		if (letter >> i & 1 && p->atoms[i].kind == NORN_ATOM_EVENT)
			return p->atoms[i].event;
	for (uint32_t i = 0; i < m->spec->event_count; i++)
		if (m->events[i] == NORN_TRUTH_YES)
			return i;
	return NORN_SLOT_NONE;
}

/* ---- ghosts ---- */

/* Without what is in unused bytes: valuations are compared as memory. */
static void set_value(struct norn_value *to, struct norn_value value)
{
	memset(to, 0, sizeof *to);
	to->known = value.known;
	if (!value.known)
		return;
	to->is_float = value.is_float;
	if (value.is_float)
		to->real = value.real;
	else
		to->integer = value.integer;
}

void norn_ghosts_start(const struct norn_moment *m, struct norn_value *ret_ghosts)
{
	for (uint32_t g = 0; g < m->spec->ghost_count; g++) {
		struct norn_value value = value_of(m, NULL, NULL, m->spec->ghosts[g].initial);
		set_value(&ret_ghosts[(size_t)2 * g], value);
		set_value(&ret_ghosts[2 * g + 1], value);
	}
}

/* The value of the ghost after the update. fresh: one more than the greatest value so far. */
static struct norn_value updated(
        const struct norn_moment *m, const struct norn_checked_update *u, uint32_t ghost, const struct norn_online_hit *hit)
{
	if (hit->holds != NORN_TRUTH_YES)
		return norn_value_unknown();
	if (!u->fresh)
		return value_of(m, hit, NULL, u->value);
	struct norn_value top = m->ghosts[2 * ghost + 1];
	if (!top.known || top.is_float)
		return norn_value_unknown();
	top.integer++;
	return top;
}

static void raise_top(struct norn_value *top, struct norn_value value)
{
	if (!top->known)
		return;
	if (!value.known)
		set_value(top, value);
	else if (!value.is_float && !top->is_float && value.integer > top->integer)
		set_value(top, value);
}

static const struct norn_online_hit *hit_for(const struct norn_moment *m, uint32_t event)
{
	for (uint32_t i = 0; i < m->hit_count; i++)
		if (m->hits[i].event == event && m->hits[i].holds != NORN_TRUTH_NO)
			return &m->hits[i];
	return NULL;
}

/* The first update of each ghost whose event takes place counts. All are computed from the ghosts before. */
void norn_moment_update(struct norn_moment *m)
{
	bool decided = m->decided, any = false;
	m->decided = false; /* updates do not speak of events */
	for (uint32_t g = 0; g < m->spec->ghost_count; g++) {
		m->set[g] = false;
		for (uint32_t u = 0; u < m->spec->ghosts[g].update_count && !m->set[g]; u++) {
			const struct norn_checked_update *update = &m->spec->ghosts[g].updates[u];
			const struct norn_online_hit *hit = hit_for(m, update->event);
			if (!hit)
				continue;
			m->set[g] = any = true;
			m->news[g] = updated(m, update, g, hit);
		}
	}
	m->decided = decided;
	for (uint32_t g = 0; any && g < m->spec->ghost_count; g++) {
		if (!m->set[g])
			continue;
		set_value(&m->ghosts[(size_t)2 * g], m->news[g]);
		raise_top(&m->ghosts[2 * g + 1], m->news[g]);
	}
}

/* ---- letters ---- */

static enum norn_truth atom_event(const struct norn_moment *m, const struct norn_property_terms *t, const struct norn_value *keys,
        const struct norn_atom *atom)
{
	enum norn_truth any = NORN_TRUTH_NO;
	if (m->events[atom->event] == NORN_TRUTH_NO)
		return NORN_TRUTH_NO;
	for (uint32_t i = 0; i < m->hit_count && any != NORN_TRUTH_YES; i++) {
		const struct norn_online_hit *hit = &m->hits[i];
		if (hit->event != atom->event)
			continue;
		struct norn_leaf_context leaf_context = {m, hit, keys};
		const struct norn_eval_env env = {norn_moment_leaf, &leaf_context};
		enum norn_truth holds = norn_property_terms_hit(t, atom, hit->slots, (enum norn_truth)hit->holds, keys, &env);
		any = holds == NORN_TRUTH_NO ? any : holds;
	}
	return any;
}

/* True if a change, from any cause, is of a place that the property's predicates name. */
static bool writes_place(const struct norn_moment *m, const struct norn_property_terms *t, const struct norn_change *c)
{
	const struct norn_place_index *z = m->place_index;
	bool passed;
	if (c->write.silent)
		return false;
	if (!z->spots[c->write.spot].address) {
		for (uint32_t p = 0; p < z->spec->place_count; p++)
			if (t->places[p] && z->last_written[p] == c->write.spot)
				return true;
		return false;
	}
	for (uint32_t i = z->spots[c->write.spot].ranges; i; i = z->list[i - 1].of_spot) {
		uint32_t place = z->list[i - 1].place;
		const struct norn_place *p = &z->spec->places[place];
		if (!t->places[place])
			continue;
		if (norn_event_value_neighbour(p, m->bitfield) && !(c->changed & norn_event_value_mask(p)))
			continue; /* only its neighbour was written */
		if (p->hops <= 1 || (norn_place_spot(z, m->spots, m->spot_count, place, c->write.spot, &passed), passed))
			return true;
	}
	return false;
}

static bool sets_ghost(const struct norn_moment *m, const struct norn_property_terms *t)
{
	for (uint32_t g = 0; t->has_ghosts && g < m->spec->ghost_count; g++)
		if (t->ghosts[g] && m->set[g])
			return true;
	return false;
}

static bool touches(const struct norn_moment *m, const struct norn_property_terms *t)
{
	for (uint32_t i = 0; t->place_count && i < m->change_count; i++)
		if (writes_place(m, t, &m->changes[i]))
			return true;
	if (sets_ghost(m, t))
		return true;
	for (uint32_t i = 0; i < m->hit_count; i++) {
		const struct norn_online_hit *hit = &m->hits[i];
		if (hit->event != NORN_SLOT_NONE && t->events[hit->event] && hit->holds != NORN_TRUTH_NO)
			return true;
	}
	return false;
}

bool norn_moment_concerns(const struct norn_moment *m, const struct norn_property_terms *t)
{
	if (m->starts || (m->change_count && t->place_count))
		return true;
	for (uint32_t i = 0; i < m->hit_count; i++) {
		uint32_t event = m->hits[i].event;
		if (event != NORN_SLOT_NONE && (t->events[event] || norn_property_terms_is_atom(t, event)))
			return true;
	}
	return sets_ghost(m, t);
}

bool norn_moment_hit_keys(const struct norn_property_terms *t, const struct norn_online_hit *hit, struct norn_value *ret_keys)
{
	return hit->event != NORN_SLOT_NONE && hit->holds != NORN_TRUTH_NO && norn_property_terms_is_atom(t, hit->event) &&
	       norn_property_terms_keys(t, hit->event, hit->slots, ret_keys);
}

bool norn_moment_makes(const struct norn_moment *m, const struct norn_property_terms *t, const struct norn_value *keys)
{
	struct norn_value own[NORN_KEYS_MAX];
	for (uint32_t h = 0; keys && h < m->hit_count; h++)
		if (norn_moment_hit_keys(t, &m->hits[h], own) && norn_keys_same(own, keys, t->property->key_count))
			return true;
	return !keys;
}

bool norn_moment_letter(const struct norn_moment *m, const struct norn_property_terms *t, const struct norn_value *keys,
        struct norn_letter *ret_letter)
{
	const struct norn_property *property = t->property;
	struct norn_letter letter = {.sure = m->starts || touches(m, t)};
	for (uint64_t atoms = m->hit_count ? t->event_atoms : 0; atoms; atoms &= atoms - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(atoms);
		norn_property_terms_tell(&letter, i, atom_event(m, t, keys, &property->atoms[i]));
	}
	if (!letter.sure && !letter.yes && !letter.unknown)
		return false;
	letter.sure |= letter.yes != 0;
	struct norn_leaf_context leaf_context = {m, NULL, keys};
	norn_property_terms_predicates(t, &(const struct norn_eval_env){norn_moment_leaf, &leaf_context}, &letter);
	*ret_letter = letter;
	return true;
}
