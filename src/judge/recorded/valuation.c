#include "judge/recorded/valuation.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* ---- life ---- */

size_t norn_valuation_ghosts(const struct norn_binding *b)
{
	return 2ul * b->spec->ghost_count * b->threads;
}

static void allocate(struct norn_valuation *v, const struct norn_binding *b)
{
	size_t bytes = (norn_valuation_ghosts(b) + 1) * sizeof *v->ghosts;
	v->spots = norn_must_calloc(b->place_index->spot_count, sizeof *v->spots);
	v->ghosts = norn_must(aligned_alloc(_Alignof(struct norn_value), bytes));
	memset(v->ghosts, 0, bytes); /* padding, too: valuations are compared as bytes */
}

void norn_valuation_init(struct norn_valuation *v, const struct norn_binding *b)
{
	allocate(v, b);
	for (uint32_t i = 0; i < b->place_index->spot_count; i++)
		v->spots[i] = norn_binding_initial(b, i);
	const struct norn_moment start = {
	        .spec = b->spec, .place_index = b->place_index, .spots = v->spots, .spot_count = b->place_index->spot_count};
	size_t each = 2ul * b->spec->ghost_count;
	for (uint32_t t = 0; each && t < b->threads; t++)
		if (t == 0)
			norn_ghosts_start(&start, v->ghosts);
		else
			memcpy(v->ghosts + t * each, v->ghosts, each * sizeof *v->ghosts);
}

void norn_valuation_copy(const struct norn_binding *b, const struct norn_valuation *from, struct norn_valuation *ret_to)
{
	allocate(ret_to, b);
	memcpy(ret_to->spots, from->spots, b->place_index->spot_count * sizeof *ret_to->spots);
	memcpy(ret_to->ghosts, from->ghosts, norn_valuation_ghosts(b) * sizeof *ret_to->ghosts);
}

void norn_valuation_widen(
        const struct norn_binding *b, const struct norn_valuation *fresh, uint32_t threads, struct norn_valuation *v)
{
	size_t old = 2ul * b->spec->ghost_count * threads, all = norn_valuation_ghosts(b);
	struct norn_value *ghosts = norn_must(aligned_alloc(_Alignof(struct norn_value), (all + 1) * sizeof *ghosts));
	memcpy(ghosts, fresh->ghosts, (all + 1) * sizeof *ghosts);
	memcpy(ghosts, v->ghosts, old * sizeof *ghosts);
	free(v->ghosts);
	v->ghosts = ghosts;
}

bool norn_valuation_equal(const struct norn_binding *b, const struct norn_valuation *x, const struct norn_valuation *y)
{
	return memcmp(x->spots, y->spots, b->place_index->spot_count * sizeof *x->spots) == 0 &&
	       memcmp(x->ghosts, y->ghosts, norn_valuation_ghosts(b) * sizeof *x->ghosts) == 0;
}

void norn_valuation_done(struct norn_valuation *v)
{
	free(v->spots);
	free(v->ghosts);
	*v = (struct norn_valuation){0};
}

/* ---- moments ---- */

void norn_moment_init(struct norn_moment *m, const struct norn_binding *binding)
{
	*m = (struct norn_moment){.binding = binding, .place_index = binding->place_index};
	norn_moment_place(m, binding->spec, norn_must_calloc(1, norn_moment_bytes(binding->spec)));
}

static struct norn_change *changes_of(struct norn_moment *m)
{
	return (struct norn_change *)(uintptr_t)m->changes; /* its own */
}

void norn_moment_done(struct norn_moment *m)
{
	free(m->hits);
	free(changes_of(m));
	free(m->news);
	*m = (struct norn_moment){0};
}

static void moment_room(struct norn_moment *m, uint32_t need)
{
	if (need <= m->room)
		return;
	free(m->hits);
	free(changes_of(m));
	m->room = need + 16;
	m->hits = norn_must_alloc(m->room, sizeof *m->hits);
	m->changes = norn_must_alloc(m->room, sizeof *m->changes);
}

struct norn_value norn_moment_before(const struct norn_moment *m, uint32_t place, uint32_t write)
{
	const struct norn_place *p = &m->spec->places[place];
	return p->hops > 1 ? norn_value_unknown() : norn_spot_value(p, &m->changes[write].before);
}

void norn_valuation_apply(struct norn_valuation *v, const struct norn_position *p, struct norn_moment *m)
{
	const struct norn_place_index *z = m->place_index;
	struct norn_change *changes;
	moment_room(m, p->hit_count > p->write_count ? p->hit_count : p->write_count);
	m->position = p;
	m->valuation = v;
	m->spots = v->spots;
	m->spot_count = z->spot_count;
	m->thread = p->thread;
	m->ghosts = v->ghosts + 2ul * p->thread * m->spec->ghost_count;
	m->bitfield = p->bitfield;
	m->starts = p->number == 0;
	m->hit_count = p->hit_count;
	m->change_count = p->write_count;
	for (uint32_t i = 0; i < p->hit_count; i++) {
		m->hits[i] = p->hits[i];
		if (p->hits[i].place != NORN_SLOT_NONE && p->hits[i].spot != NORN_NO_SPOT)
			m->hits[i].old = norn_spot_value(&m->spec->places[p->hits[i].place], &v->spots[p->hits[i].spot]);
	}
	changes = changes_of(m);
	for (uint32_t i = 0; i < p->write_count; i++) {
		changes[i].write = p->writes[i];
		norn_spot_write(v->spots, &changes[i]);
	}
	norn_moment_decide(m);
	norn_moment_update(m);
}

static void forget(struct norn_spot_bytes *s, uint8_t bytes)
{
	s->known &= ~(uint64_t)bytes;
	s->bytes &= norn_event_value_bytes(s->known);
}

void norn_valuation_fade(struct norn_valuation *v, const struct norn_binding *b, const struct norn_position *p)
{
	for (uint32_t i = 0; i < p->fade_count; i++)
		forget(&v->spots[p->fades[i].spot], p->fades[i].bytes);
	for (uint32_t i = 0; p->lost && i < b->place_index->spot_count; i++)
		forget(&v->spots[i], 0xff);
}

/* ---- views ---- */

struct norn_view *norn_view_new(const struct norn_binding *binding, const struct norn_property *property)
{
	struct norn_view *view = norn_must_calloc(1, sizeof *view);
	view->binding = binding;
	norn_must_do(norn_property_terms_init(&view->terms, binding->spec, property));
	return view;
}

void norn_view_free(struct norn_view *view)
{
	if (view)
		norn_property_terms_done(&view->terms);
	free(view);
}
