#include "judge/recorded/valuation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where the leaves of an expression get their values. */
struct scope {
	const struct norn_binding *binding;
	const struct norn_valuation *valuation;
	const struct norn_position *position;
	const struct norn_moment *moment; /* NULL: events are not known yet */
	const struct norn_hit *hit; /* NULL: none */
	const struct norn_value *old;
	const struct norn_value *keys; /* NULL: unknown */
};

static struct norn_value *ghost_at(const struct norn_valuation *v, const struct norn_binding *b, uint32_t ghost, uint32_t thread)
{
	return &v->ghosts[2 * ((size_t)thread * b->spec->ghost_count + ghost)];
}

static struct norn_value *top_of(const struct norn_valuation *v, const struct norn_binding *b, uint32_t ghost, uint32_t thread)
{
	return ghost_at(v, b, ghost, thread) + 1;
}

static struct norn_value leaf(void *context, const struct norn_expr *e)
{
	const struct scope *s = context;
	switch (e->op) {
	case NORN_EXPR_PLACE:
		return norn_valuation_place(s->binding, s->valuation, e->index);
	case NORN_EXPR_GHOST:
		return *ghost_at(s->valuation, s->binding, e->index, s->position->thread);
	case NORN_EXPR_SLOT:
		return s->hit ? s->hit->slots[e->index] : norn_value_unknown();
	case NORN_EXPR_KEY:
		return s->keys ? s->keys[e->index] : norn_value_unknown();
	case NORN_EXPR_VALUE:
		return s->hit ? s->hit->value : norn_value_unknown();
	case NORN_EXPR_OLD:
		return s->old ? *s->old : norn_value_unknown();
	case NORN_EXPR_SELF:
		return s->hit && s->hit->self ? norn_value_integer(s->hit->self) : norn_value_unknown();
	case NORN_EXPR_TID:
		return norn_value_integer(s->position->thread);
	case NORN_EXPR_EVENT:
		if (!s->moment || s->moment->events[e->index] == NORN_TRUTH_UNKNOWN)
			return norn_value_unknown();
		return norn_value_integer(s->moment->events[e->index]);
	default:
		return norn_value_unknown();
	}
}

static struct norn_eval_env env_of(struct scope *scope)
{
	return (struct norn_eval_env){leaf, scope};
}

/* ---- life ---- */

size_t norn_valuation_ghosts(const struct norn_binding *b)
{
	return 2ul * b->spec->ghost_count * b->threads;
}

static int allocate(struct norn_valuation *v, const struct norn_binding *b)
{
	size_t bytes = (norn_valuation_ghosts(b) + 1) * sizeof *v->ghosts;
	v->spots = calloc(b->spot_count + 1ul, sizeof *v->spots);
	v->ghosts = aligned_alloc(_Alignof(struct norn_value), bytes);
	if (v->spots && v->ghosts) {
		memset(v->ghosts, 0, bytes); /* padding, too: valuations are compared as bytes */
		return 0;
	}
	norn_valuation_done(v);
	return -ENOMEM;
}

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

int norn_valuation_init(struct norn_valuation *v, const struct norn_binding *b)
{
	if (allocate(v, b) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->spot_count; i++)
		v->spots[i].known = norn_binding_initial(b, i, &v->spots[i].bytes);
	static const struct norn_position start;
	struct scope scope = {.binding = b, .valuation = v, .position = &start};
	struct norn_eval_env env = env_of(&scope);
	for (uint32_t g = 0; g < b->spec->ghost_count; g++) {
		struct norn_value value = norn_expr_eval(b->spec->ghosts[g].initial, &env);
		for (uint32_t t = 0; t < b->threads; t++) {
			set_value(ghost_at(v, b, g, t), value);
			set_value(top_of(v, b, g, t), value);
		}
	}
	return 0;
}

int norn_valuation_copy(const struct norn_binding *b, const struct norn_valuation *from, struct norn_valuation *ret_to)
{
	struct norn_valuation to;
	if (allocate(&to, b) != 0)
		return -ENOMEM;
	memcpy(to.spots, from->spots, b->spot_count * sizeof *to.spots);
	memcpy(to.ghosts, from->ghosts, norn_valuation_ghosts(b) * sizeof *to.ghosts);
	*ret_to = to;
	return 0;
}

int norn_valuation_widen(
        const struct norn_binding *b, const struct norn_valuation *fresh, uint32_t threads, struct norn_valuation *v)
{
	size_t old = 2ul * b->spec->ghost_count * threads, all = norn_valuation_ghosts(b);
	struct norn_value *ghosts = aligned_alloc(_Alignof(struct norn_value), (all + 1) * sizeof *ghosts);
	if (!ghosts)
		return -ENOMEM;
	memcpy(ghosts, fresh->ghosts, (all + 1) * sizeof *ghosts);
	memcpy(ghosts, v->ghosts, old * sizeof *ghosts);
	free(v->ghosts);
	v->ghosts = ghosts;
	return 0;
}

bool norn_valuation_equal(const struct norn_binding *b, const struct norn_valuation *x, const struct norn_valuation *y)
{
	return memcmp(x->spots, y->spots, b->spot_count * sizeof *x->spots) == 0 &&
	       memcmp(x->ghosts, y->ghosts, norn_valuation_ghosts(b) * sizeof *x->ghosts) == 0;
}

void norn_valuation_done(struct norn_valuation *v)
{
	free(v->spots);
	free(v->ghosts);
	*v = (struct norn_valuation){0};
}

int norn_moment_init(struct norn_moment *m, const struct norn_binding *binding)
{
	*m = (struct norn_moment){.binding = binding};
	m->events = calloc(binding->spec->event_count + 1ul, sizeof *m->events);
	m->ghosts = calloc(binding->spec->ghost_count + 1ul, sizeof *m->ghosts);
	if (m->events && m->ghosts)
		return 0;
	norn_moment_done(m);
	return -ENOMEM;
}

void norn_moment_done(struct norn_moment *m)
{
	free(m->holds);
	free(m->old);
	free(m->events);
	free(m->changed);
	free(m->before);
	free(m->ghosts);
	*m = (struct norn_moment){0};
}

static int moment_room(struct norn_moment *m, uint32_t need)
{
	if (need <= m->room)
		return 0;
	uint32_t room = need + 16;
	free(m->holds);
	free(m->old);
	free(m->changed);
	free(m->before);
	m->before = calloc(room, sizeof *m->before);
	m->holds = calloc(room, sizeof *m->holds);
	m->old = aligned_alloc(_Alignof(struct norn_value), room * sizeof *m->old);
	m->changed = calloc(room, sizeof *m->changed);
	m->room = m->holds && m->old && m->changed && m->before ? room : 0;
	return m->room ? 0 : -ENOMEM;
}

/* ---- places ---- */

/* The spot where the place is now: follows its pointers. passes: a spot, NORN_SPOT_NONE: no matter; true if it is on the way, or the end. */
static uint32_t resolve(
        const struct norn_binding *b, const struct norn_valuation *v, uint32_t place, uint32_t passes, bool *ret_passed)
{
	const struct norn_place *p = &b->spec->places[place];
	uint32_t spot = b->last_written[place];
	*ret_passed = spot != NORN_SPOT_NONE && spot == passes;
	if (spot != NORN_SPOT_NONE || p->kind != NORN_PLACE_OBJECT || !p->base || p->base->is_thread_local || !p->base->address)
		return spot;
	uint64_t address = p->base->address + (b->program ? norn_program_bias(b->program, p->base->module) : 0);
	for (uint32_t hop = 0; hop < p->hops; hop++) {
		bool last = hop + 1 == p->hops;
		address += p->offsets[hop];
		unsigned size = 8;
		if (last) {
			size = p->bit_size ? (p->bit_offset % 8u + p->bit_size + 7) / 8 : (unsigned)(p->size <= 8 ? p->size : 1);
			address += p->bit_size ? p->bit_offset / 8 : 0;
		}
		const uint32_t *known = norn_map_get(&b->seats, address << 4 | size);
		if (!known || !*known)
			return NORN_SPOT_NONE;
		spot = *known - 1;
		*ret_passed |= spot == passes;
		if (last)
			return spot;
		if (v->spots[spot].known != 0xff)
			return NORN_SPOT_NONE;
		address = v->spots[spot].bytes;
	}
	return NORN_SPOT_NONE;
}

static struct norn_value value_in(const struct norn_spot_value *spot, const struct norn_place *p)
{
	if (norn_event_value_mask(p) & ~norn_event_value_bytes(spot->known))
		return norn_value_unknown();
	return norn_event_value_place(p, spot->bytes);
}

static struct norn_value spot_value(const struct norn_valuation *v, const struct norn_place *p, uint32_t spot)
{
	return spot == NORN_SPOT_NONE ? norn_value_unknown() : value_in(&v->spots[spot], p);
}

struct norn_value norn_moment_before(const struct norn_moment *m, uint32_t place, uint32_t write)
{
	const struct norn_place *p = &m->binding->spec->places[place];
	return p->hops > 1 ? norn_value_unknown() : value_in(&m->before[write], p);
}

struct norn_value norn_valuation_place(const struct norn_binding *b, const struct norn_valuation *v, uint32_t place)
{
	bool passed;
	return spot_value(v, &b->spec->places[place], resolve(b, v, place, NORN_SPOT_NONE, &passed));
}

/* ---- applying ---- */

static void write_spots(struct norn_valuation *v, const struct norn_position *p, struct norn_moment *m)
{
	for (uint32_t i = 0; i < p->write_count; i++) {
		const struct norn_spot_write *w = &p->writes[i];
		struct norn_spot_value *s = &v->spots[w->spot];
		uint64_t written = norn_event_value_bytes(w->written), known = norn_event_value_bytes(w->known), before = s->bytes;
		uint64_t was_known = norn_event_value_bytes(s->known);
		m->before[i] = *s;
		s->bytes = (s->bytes & ~written) | (w->bytes & known);
		s->known = (s->known & ~(uint64_t)w->written) | w->known;
		m->changed[i] = (before ^ s->bytes) | (written & (~known | ~was_known));
	}
}

/* A pointer place is hit only while its pointers lead there. */
static bool leads_there(const struct norn_binding *b, const struct norn_valuation *v, const struct norn_hit *hit)
{
	bool passed;
	if (hit->place == NORN_SLOT_NONE || b->spec->places[hit->place].hops <= 1 || b->last_written[hit->place] != NORN_SPOT_NONE)
		return true;
	uint32_t spot = resolve(b, v, hit->place, NORN_SPOT_NONE, &passed);
	return spot != NORN_SPOT_NONE && b->spots[spot].address == hit->address;
}

static enum norn_truth hit_holds(const struct norn_valuation *v, const struct norn_position *p, struct norn_moment *m, uint32_t i)
{
	const struct norn_hit *hit = &p->hits[i];
	const struct norn_expr *condition = m->binding->spec->events[hit->event].selectors[hit->selector].condition;
	if (!leads_there(m->binding, v, hit))
		return NORN_TRUTH_NO;
	enum norn_truth truth = NORN_TRUTH_YES;
	if (condition) {
		struct scope scope = {.binding = m->binding, .valuation = v, .position = p, .hit = hit, .old = &m->old[i]};
		struct norn_eval_env env = env_of(&scope);
		truth = norn_expr_holds(condition, &env);
	}
	return truth == NORN_TRUTH_YES && hit->by_unknown ? NORN_TRUTH_UNKNOWN : truth;
}

static void decide_events(const struct norn_valuation *v, const struct norn_position *p, struct norn_moment *m)
{
	memset(m->events, NORN_TRUTH_NO, m->binding->spec->event_count * sizeof *m->events);
	for (uint32_t i = 0; i < p->hit_count; i++) {
		int8_t *event = &m->events[p->hits[i].event];
		m->holds[i] = (int8_t)hit_holds(v, p, m, i);
		if (m->holds[i] == NORN_TRUTH_YES || (m->holds[i] == NORN_TRUTH_UNKNOWN && *event == NORN_TRUTH_NO))
			*event = m->holds[i];
	}
}

/* What the update makes of the ghost. */
static struct norn_value updated(const struct norn_valuation *v, const struct norn_moment *m, const struct norn_checked_update *u,
        uint32_t ghost, uint32_t i)
{
	if (u->fresh) {
		struct norn_value top = *top_of(v, m->binding, ghost, m->position->thread);
		if (top.known && !top.is_float)
			top.integer++;
		return top.known && top.is_float ? norn_value_unknown() : top;
	}
	struct scope scope = {
	        .binding = m->binding, .valuation = v, .position = m->position, .hit = &m->position->hits[i], .old = &m->old[i]};
	struct norn_eval_env env = env_of(&scope);
	return norn_expr_eval(u->value, &env);
}

static void raise_top(struct norn_value *top, struct norn_value value)
{
	if (!top->known)
		return;
	if (!value.known)
		set_value(top, norn_value_unknown());
	else if (!value.is_float && !top->is_float && value.integer > top->integer)
		set_value(top, value);
}

/* The first update of each ghost whose event takes place counts. All are computed from the ghosts before. */
static void update_ghosts(struct norn_valuation *v, const struct norn_position *p, struct norn_moment *m)
{
	const struct norn_spec *spec = m->binding->spec;
	struct norn_value news[spec->ghost_count + 1];
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		m->ghosts[g] = false;
		for (uint32_t u = 0; u < spec->ghosts[g].update_count && !m->ghosts[g]; u++)
			for (uint32_t i = 0; i < p->hit_count && !m->ghosts[g]; i++) {
				const struct norn_checked_update *update = &spec->ghosts[g].updates[u];
				if (p->hits[i].event != update->event || m->holds[i] == NORN_TRUTH_NO)
					continue;
				m->ghosts[g] = true;
				news[g] = m->holds[i] == NORN_TRUTH_YES ? updated(v, m, update, g, i) : norn_value_unknown();
			}
	}
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		if (!m->ghosts[g])
			continue;
		set_value(ghost_at(v, m->binding, g, p->thread), news[g]);
		raise_top(top_of(v, m->binding, g, p->thread), news[g]);
	}
}

int norn_valuation_apply(struct norn_valuation *v, const struct norn_position *p, struct norn_moment *m)
{
	uint32_t need = p->hit_count > p->write_count ? p->hit_count : p->write_count;
	if (moment_room(m, need) != 0)
		return -ENOMEM;
	m->position = p;
	m->valuation = v;
	for (uint32_t i = 0; i < p->hit_count; i++) {
		uint32_t place = p->hits[i].place;
		m->old[i] = place == NORN_SLOT_NONE ? norn_value_unknown()
		                                    : spot_value(v, &m->binding->spec->places[place], p->hits[i].spot);
	}
	write_spots(v, p, m);
	decide_events(v, p, m);
	update_ghosts(v, p, m);
	return 0;
}

static void forget(struct norn_spot_value *s, uint8_t bytes)
{
	s->known &= ~(uint64_t)bytes;
	s->bytes &= norn_event_value_bytes(s->known);
}

void norn_valuation_fade(struct norn_valuation *v, const struct norn_binding *b, const struct norn_position *p)
{
	for (uint32_t i = 0; i < p->fade_count; i++)
		forget(&v->spots[p->fades[i].spot], p->fades[i].bytes);
	for (uint32_t i = 0; p->lost && i < b->spot_count; i++)
		forget(&v->spots[i], 0xff);
}

/* ---- views ---- */

int norn_view_new(const struct norn_binding *binding, const struct norn_property *property, struct norn_view **ret_view)
{
	struct norn_view *view = calloc(1, sizeof *view);
	if (!view)
		return -ENOMEM;
	view->binding = binding;
	if (norn_property_terms_init(&view->topic, binding->spec, property) != 0) {
		norn_view_free(view);
		return -ENOMEM;
	}
	*ret_view = view;
	return 0;
}

void norn_view_free(struct norn_view *view)
{
	if (view)
		norn_property_terms_done(&view->topic);
	free(view);
}

static enum norn_truth atom_event(
        const struct norn_view *view, const struct norn_moment *m, const struct norn_value *keys, const struct norn_atom *atom)
{
	enum norn_truth any = NORN_TRUTH_NO;
	if (m->events[atom->event] == NORN_TRUTH_NO)
		return NORN_TRUTH_NO;
	for (uint32_t i = 0; i < m->position->hit_count && any != NORN_TRUTH_YES; i++) {
		const struct norn_hit *hit = &m->position->hits[i];
		if (hit->event != atom->event)
			continue;
		struct scope scope = {.binding = view->binding,
		        .valuation = m->valuation,
		        .position = m->position,
		        .moment = m,
		        .hit = hit,
		        .old = &m->old[i],
		        .keys = keys};
		const struct norn_eval_env env = env_of(&scope);
		enum norn_truth holds =
		        norn_property_terms_hit(&view->topic, atom, hit->slots, (enum norn_truth)m->holds[i], keys, &env);
		any = holds == NORN_TRUTH_NO ? any : holds;
	}
	return any;
}

/* Whether a write, however it came about, changes a place that the property's predicates speak of. */
static bool writes_place(const struct norn_view *view, const struct norn_moment *m, uint32_t i)
{
	const struct norn_binding *b = view->binding;
	const struct norn_spot_write *w = &m->position->writes[i];
	if (w->silent)
		return false;
	bool passed;
	if (!b->spots[w->spot].address) {
		for (uint32_t p = 0; p < b->spec->place_count; p++)
			if (view->topic.places[p] && b->last_written[p] == w->spot)
				return true;
		return false;
	}
	for (uint32_t z = b->spots[w->spot].zones; z; z = b->zones[z - 1].of_spot) {
		const struct norn_zone *zone = &b->zones[z - 1];
		const struct norn_place *p = &b->spec->places[zone->place];
		if (!view->topic.places[zone->place])
			continue;
		if (norn_event_value_neighbour(p, m->position->bitfield) && !(m->changed[i] & norn_event_value_mask(p)))
			continue; /* only its neighbour was written */
		if (p->hops <= 1 || (resolve(b, m->valuation, zone->place, w->spot, &passed), passed))
			return true;
	}
	return false;
}

static bool touches(const struct norn_view *view, const struct norn_moment *m)
{
	for (uint32_t i = 0; i < m->position->write_count; i++)
		if (writes_place(view, m, i))
			return true;
	for (uint32_t g = 0; g < view->binding->spec->ghost_count; g++)
		if (view->topic.ghosts[g] && m->ghosts[g])
			return true;
	for (uint32_t i = 0; i < m->position->hit_count; i++)
		if (view->topic.events[m->position->hits[i].event] && m->holds[i] != NORN_TRUTH_NO)
			return true;
	return false;
}

bool norn_view_letter(
        const struct norn_view *view, const struct norn_moment *m, const struct norn_value *keys, struct norn_letter *ret_letter)
{
	const struct norn_property *property = view->topic.property;
	struct norn_letter letter = {.sure = m->position->number == 0 || touches(view, m)};
	for (uint32_t i = 0; i < property->atom_count; i++)
		if (property->atoms[i].kind == NORN_ATOM_EVENT)
			norn_property_terms_tell(&letter, i, atom_event(view, m, keys, &property->atoms[i]));
	if (!letter.sure && !letter.yes && !letter.unknown)
		return false;
	letter.sure |= letter.yes != 0;
	struct scope scope = {
	        .binding = view->binding, .valuation = m->valuation, .position = m->position, .moment = m, .keys = keys};
	const struct norn_eval_env env = env_of(&scope);
	norn_property_terms_predicates(&view->topic, &env, &letter);
	*ret_letter = letter;
	return true;
}

struct norn_value norn_view_value(const struct norn_view *view, const struct norn_moment *m, const struct norn_value *keys,
        const struct norn_hit *hit, const struct norn_expr *expr)
{
	struct scope scope = {.binding = view->binding,
	        .valuation = m->valuation,
	        .position = m->position,
	        .moment = m,
	        .hit = hit,
	        .keys = keys};
	if (hit)
		scope.old = &m->old[hit - m->position->hits];
	struct norn_eval_env env = env_of(&scope);
	return norn_expr_eval(expr, &env);
}
