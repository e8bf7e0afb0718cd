#include "judge/place_values.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int norn_place_values_init(struct norn_place_values *v, struct norn_place_index *index, norn_peek *peek, const void *context)
{
	*v = (struct norn_place_values){
	        .place_index = index, .peek = peek, .context = context, .room = index->room, .learns = index->has_pointers};
	v->spots = calloc(v->room, sizeof *v->spots);
	return v->spots ? 0 : -ENOMEM;
}

void norn_place_values_done(struct norn_place_values *v)
{
	free(v->spots);
	v->spots = NULL;
}

static bool starts_at_zero(const struct norn_place_index *z, uint32_t spot)
{
	for (uint32_t i = 0; i < z->spec->place_count; i++)
		if (z->last_written[i] == spot)
			return z->spec->places[i].kind == NORN_PLACE_SET || z->spec->places[i].kind == NORN_PLACE_FREE;
	return false;
}

struct norn_spot_bytes norn_spot_initial(const struct norn_place_index *z, uint32_t spot, norn_peek *peek, const void *context)
{
	const struct norn_online_spot *s = &z->spots[spot];
	struct norn_spot_bytes b = {0};
	bool known = s->address ? peek(context, s->address, &b.bytes, s->size) : starts_at_zero(z, spot);
	return known ? (struct norn_spot_bytes){b.bytes, (1u << s->size) - 1} : (struct norn_spot_bytes){0};
}

static int learn(struct norn_place_values *v, uint32_t spot)
{
	return v->learns && v->spots[spot].known == 0xff ? norn_place_index_learn(v->place_index, spot, v->spots[spot].bytes) : 0;
}

static int reserve(struct norn_place_values *v)
{
	if (v->ready < v->room)
		return 0;
	struct norn_spot_bytes *more = realloc(v->spots, v->place_index->room * sizeof *more);
	if (!more)
		return -ENOMEM;
	v->spots = more;
	v->room = v->place_index->room;
	return 0;
}

int norn_place_values_follow(struct norn_place_values *v)
{
	int r = 0;
	while (r == 0 && v->ready < v->place_index->spot_count && (r = reserve(v)) == 0) {
		v->spots[v->ready] = norn_spot_initial(v->place_index, v->ready, v->peek, v->context);
		v->ready++;
		r = learn(v, v->ready - 1); /* may make the loop longer */
	}
	return r;
}

/* ---- events ---- */

void norn_spot_write(struct norn_spot_bytes *spots, struct norn_change *c)
{
	const struct norn_spot_write *w = &c->write;
	struct norn_spot_bytes *b = &spots[w->spot];
	uint64_t written = norn_event_value_bytes(w->written), known = norn_event_value_bytes(w->known),
	         was_known = norn_event_value_bytes(b->known);
	assert(!(w->known & ~w->written) && !(w->bytes & ~written)); /* a byte that is known now was written */
	c->before = *b;
	b->bytes = (b->bytes & ~written) | (w->bytes & known);
	b->known = (b->known & ~(uint64_t)w->written) | w->known;
	c->changed = (c->before.bytes ^ b->bytes) | (written & (~known | ~was_known));
}

uint32_t norn_place_values_set(struct norn_place_values *v, uint32_t place, bool known, uint64_t raw, struct norn_change *changes,
        uint32_t count, uint32_t room)
{
	uint32_t spot = v->place_index->last_written[place];
	norn_place_values_follow(v);
	if (spot >= v->ready)
		return count;
	struct norn_change c = {.write = {.spot = spot, .written = 0xff, .known = known ? 0xff : 0, .bytes = raw}};
	norn_spot_write(v->spots, &c);
	if (count == room)
		return count;
	changes[count] = c;
	return count + 1;
}

/* True if a range before this one lies on the same spot. */
static bool is_done(const struct norn_place_values *v, const uint32_t *ranges, uint32_t i)
{
	uint32_t spot = v->place_index->list[ranges[i]].spot;
	if (v->place_index->spots[spot].ranges == ranges[i] + 1 && !v->place_index->list[ranges[i]].of_spot)
		return false; /* it has no other */
	for (uint32_t k = 0; k < i; k++)
		if (v->place_index->list[ranges[k]].spot == spot)
			return true;
	return false;
}

uint32_t norn_place_values_apply(struct norn_place_values *v, const struct norn_event *e, const uint32_t *ranges, uint32_t count,
        struct norn_change *changes, uint32_t room)
{
	uint32_t made = 0;
	norn_place_values_follow(v);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t spot = v->place_index->list[ranges[i]].spot;
		struct norn_change c = {.write.spot = spot};
		if (spot >= v->ready || is_done(v, ranges, i))
			continue;
		const struct norn_online_spot *s = &v->place_index->spots[spot];
		const struct norn_spot_bytes *b = &v->spots[spot];
		if (!norn_event_value_effect(e, s->address, s->size, (uint8_t)b->known, b->bytes, &c.write))
			continue;
		norn_spot_write(v->spots, &c);
		learn(v, spot);
		if (made < room)
			changes[made++] = c;
	}
	norn_place_values_follow(v);
	return made;
}

bool norn_place_values_external(
        const struct norn_place_values *v, const uint32_t *ranges, uint32_t count, struct norn_event *ret_event)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t spot = v->place_index->list[ranges[i]].spot;
		uint64_t now = 0;
		if (spot == NORN_NO_SPOT || spot >= v->ready || !v->place_index->spots[spot].address || !v->spots[spot].known)
			continue;
		const struct norn_online_spot *s = &v->place_index->spots[spot];
		memcpy(&now, (const void *)(uintptr_t)s->address, s->size);
		if (((now ^ v->spots[spot].bytes) & norn_event_value_bytes(v->spots[spot].known)) == 0)
			continue;
		ret_event->kind = NORN_EVENT_EXTERNAL;
		ret_event->known = true;
		ret_event->addr = s->address;
		ret_event->size = s->size;
		ret_event->value = now;
		ret_event->data = NULL;
		return true;
	}
	return false;
}

bool norn_place_values_check(struct norn_place_values *v, uint32_t place, bool learned)
{
	bool passed;
	uint32_t spot = norn_place_spot(v->place_index, v->spots, v->ready, place, NORN_NO_SPOT, &passed);
	uint64_t now = 0;
	if (spot == NORN_NO_SPOT || !v->place_index->spots[spot].address || !v->spots[spot].known)
		return false;
	const struct norn_online_spot *s = &v->place_index->spots[spot];
	if (!s->learned)
		memcpy(&now, (const void *)(uintptr_t)s->address, s->size);
	else if (!learned)
		return false;
	else if (!v->peek(v->context, s->address, &now, s->size))
		now = ~v->spots[spot].bytes; /* it is gone */
	uint64_t differs = (now ^ v->spots[spot].bytes) & norn_event_value_bytes(v->spots[spot].known);
	if (!differs)
		return false;
	for (unsigned i = 0; i < 8; i++)
		if (differs >> i * 8 & 0xff)
			v->spots[spot].known &= ~(UINT64_C(1) << i);
	v->spots[spot].bytes &= norn_event_value_bytes(v->spots[spot].known);
	return true;
}

/* ---- places ---- */

uint32_t norn_place_spot(const struct norn_place_index *z, const struct norn_spot_bytes *spots, uint32_t count, uint32_t place,
        uint32_t passes, bool *ret_passed)
{
	const struct norn_place *p = &z->spec->places[place];
	uint32_t spot = z->last_written[place];
	*ret_passed = spot != NORN_NO_SPOT && spot == passes;
	if (spot != NORN_NO_SPOT || p->kind != NORN_PLACE_OBJECT)
		return spot;
	uint64_t address = atomic_load_explicit(&z->firsts[place], memory_order_relaxed);
	for (uint32_t hop = 0; address && hop < p->hops; hop++) {
		bool last = hop + 1 == p->hops;
		unsigned size = 8;
		if (hop)
			address += p->offsets[hop];
		if (last) {
			size = p->bit_size ? (p->bit_offset % 8u + p->bit_size + 7) / 8 : (unsigned)(p->size <= 8 ? p->size : 1);
			address += hop && p->bit_size ? p->bit_offset / 8 : 0; /* a first range begins there already */
		}
		spot = norn_place_index_spot(z, address, size);
		if (spot == NORN_NO_SPOT || spot >= count)
			return NORN_NO_SPOT;
		*ret_passed |= spot == passes;
		if (last)
			return spot;
		if (spots[spot].known != 0xff)
			return NORN_NO_SPOT;
		address = spots[spot].bytes;
	}
	return NORN_NO_SPOT;
}

struct norn_value norn_spot_value(const struct norn_place *p, const struct norn_spot_bytes *spot)
{
	if (norn_event_value_mask(p) & ~norn_event_value_bytes(spot->known))
		return norn_value_unknown();
	return norn_event_value_place(p, spot->bytes);
}

struct norn_value norn_place_values_old(
        const struct norn_place_values *v, const struct norn_change *changes, uint32_t count, const struct norn_online_hit *hit)
{
	if (hit->place == NORN_SLOT_NONE || hit->spot >= v->ready)
		return norn_value_unknown();
	const struct norn_spot_bytes *old = &v->spots[hit->spot];
	for (uint32_t i = 0; i < count; i++)
		if (changes[i].write.spot == hit->spot)
			old = &changes[i].before;
	return norn_spot_value(&v->place_index->spec->places[hit->place], old);
}

struct norn_value norn_place_value(
        const struct norn_place_index *z, const struct norn_spot_bytes *spots, uint32_t count, uint32_t place)
{
	bool passed;
	uint32_t spot = norn_place_spot(z, spots, count, place, NORN_NO_SPOT, &passed);
	return spot >= count ? norn_value_unknown() : norn_spot_value(&z->spec->places[place], &spots[spot]);
}
