#include "judge/place_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int norn_place_values_init(struct norn_place_values *v, struct norn_place_index *zones, norn_peek *peek)
{
	*v = (struct norn_place_values){.zones = zones, .peek = peek};
	v->spots = calloc(NORN_PLACE_INDEX_MAX, sizeof *v->spots);
	return v->spots ? 0 : -ENOMEM;
}

void norn_place_values_done(struct norn_place_values *v)
{
	free(v->spots);
	v->spots = NULL;
}

static uint8_t all_of(const struct norn_online_spot *s)
{
	return (uint8_t)((1u << s->size) - 1);
}

static bool starts_at_zero(const struct norn_place_index *z, uint32_t spot)
{
	for (uint32_t i = 0; i < z->spec->place_count; i++)
		if (z->last_written[i] == spot)
			return z->spec->places[i].kind == NORN_PLACE_SET || z->spec->places[i].kind == NORN_PLACE_FREE;
	return false;
}

static void learn(struct norn_place_values *v, uint32_t spot)
{
	if (v->zones->has_pointers && v->spots[spot].known == 0xff)
		norn_place_index_learn(v->zones, spot, v->spots[spot].bytes);
}

void norn_place_values_follow(struct norn_place_values *v)
{
	for (; v->ready < v->zones->spot_count; v->ready++) {
		const struct norn_online_spot *s = &v->zones->spots[v->ready];
		struct norn_spot_bytes *b = &v->spots[v->ready];
		*b = (struct norn_spot_bytes){0};
		if (s->address ? v->peek(s->address, &b->bytes, s->size) : starts_at_zero(v->zones, v->ready))
			b->known = all_of(s);
		else
			b->bytes = 0;
		learn(v, v->ready); /* may make the loop longer */
	}
}

/* ---- events ---- */

static void write_spot(struct norn_place_values *v, struct norn_change *c)
{
	const struct norn_spot_write *w = &c->write;
	struct norn_spot_bytes *b = &v->spots[w->spot];
	uint64_t written = norn_event_value_bytes(w->written), known = norn_event_value_bytes(w->known),
	         was_known = norn_event_value_bytes(b->known);
	c->before = *b;
	b->bytes = (b->bytes & ~written) | (w->bytes & known);
	b->known = (uint8_t)((b->known & ~w->written) | w->known);
	c->changed = (c->before.bytes ^ b->bytes) | (written & (~known | ~was_known));
	learn(v, w->spot);
}

static bool has_change(const struct norn_change *changes, uint32_t count, uint32_t spot)
{
	for (uint32_t i = 0; i < count; i++)
		if (changes[i].write.spot == spot)
			return true;
	return false;
}

uint32_t norn_place_values_set(
        struct norn_place_values *v, uint32_t place, bool known, uint64_t raw, struct norn_change *changes, uint32_t count)
{
	uint32_t spot = v->zones->last_written[place];
	norn_place_values_follow(v);
	if (spot == NORN_NO_SPOT || count == NORN_CHANGES_MAX)
		return count;
	changes[count] = (struct norn_change){.write = {.spot = spot, .written = 0xff, .known = known ? 0xff : 0, .bytes = raw}};
	write_spot(v, &changes[count]);
	return count + 1;
}

uint32_t norn_place_values_apply(
        struct norn_place_values *v, const struct norn_event *e, const uint32_t *zones, uint32_t count, struct norn_change *changes)
{
	uint32_t made = 0;
	norn_place_values_follow(v);
	for (uint32_t i = 0; i < count && made < NORN_CHANGES_MAX; i++) {
		uint32_t spot = v->zones->list[zones[i]].spot;
		struct norn_change c = {.write.spot = spot};
		if (spot == NORN_NO_SPOT || has_change(changes, made, spot))
			continue;
		const struct norn_online_spot *s = &v->zones->spots[spot];
		const struct norn_spot_bytes *b = &v->spots[spot];
		if (!norn_event_value_effect(e, s->address, s->size, b->known, b->bytes, &c.write))
			continue;
		write_spot(v, &c);
		changes[made++] = c;
	}
	norn_place_values_follow(v);
	return made;
}

bool norn_place_values_external(
        const struct norn_place_values *v, const uint32_t *zones, uint32_t count, struct norn_event *ret_event)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t spot = v->zones->list[zones[i]].spot;
		uint64_t now = 0;
		if (spot == NORN_NO_SPOT || spot >= v->ready || !v->zones->spots[spot].address || !v->spots[spot].known)
			continue;
		const struct norn_online_spot *s = &v->zones->spots[spot];
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
	uint32_t spot = norn_place_values_resolve(v, place, NORN_NO_SPOT, &passed);
	uint64_t now = 0;
	if (spot == NORN_NO_SPOT || !v->zones->spots[spot].address || !v->spots[spot].known)
		return false;
	const struct norn_online_spot *s = &v->zones->spots[spot];
	if (!s->learned)
		memcpy(&now, (const void *)(uintptr_t)s->address, s->size);
	else if (!learned)
		return false;
	else if (!v->peek(s->address, &now, s->size))
		now = ~v->spots[spot].bytes; /* it is gone */
	uint64_t differs = (now ^ v->spots[spot].bytes) & norn_event_value_bytes(v->spots[spot].known);
	if (!differs)
		return false;
	for (unsigned i = 0; i < 8; i++)
		if (differs >> i * 8 & 0xff)
			v->spots[spot].known &= (uint8_t)~(1u << i);
	v->spots[spot].bytes &= norn_event_value_bytes(v->spots[spot].known);
	return true;
}

/* ---- places ---- */

uint32_t norn_place_values_resolve(const struct norn_place_values *v, uint32_t place, uint32_t passes, bool *ret_passed)
{
	const struct norn_place *p = &v->zones->spec->places[place];
	uint32_t spot = v->zones->last_written[place];
	*ret_passed = spot != NORN_NO_SPOT && spot == passes;
	if (spot != NORN_NO_SPOT || p->kind != NORN_PLACE_OBJECT)
		return spot;
	uint64_t address = atomic_load_explicit(&v->zones->firsts[place], memory_order_relaxed);
	for (uint32_t hop = 0; address && hop < p->hops; hop++) {
		bool last = hop + 1 == p->hops;
		unsigned size = 8;
		if (hop)
			address += p->offsets[hop];
		if (last) {
			size = p->bit_size ? (p->bit_offset % 8u + p->bit_size + 7) / 8 : (unsigned)(p->size <= 8 ? p->size : 1);
			address += hop && p->bit_size ? p->bit_offset / 8 : 0; /* a first zone begins there already */
		}
		spot = norn_place_index_spot(v->zones, address, size);
		if (spot == NORN_NO_SPOT || spot >= v->ready)
			return NORN_NO_SPOT;
		*ret_passed |= spot == passes;
		if (last)
			return spot;
		if (v->spots[spot].known != 0xff)
			return NORN_NO_SPOT;
		address = v->spots[spot].bytes;
	}
	return NORN_NO_SPOT;
}

struct norn_value norn_place_values_old(const struct norn_place_values *v, uint32_t place, uint32_t spot)
{
	const struct norn_place *p = &v->zones->spec->places[place];
	if (spot == NORN_NO_SPOT || spot >= v->ready || norn_event_value_mask(p) & ~norn_event_value_bytes(v->spots[spot].known))
		return norn_value_unknown();
	return norn_event_value_place(p, v->spots[spot].bytes);
}

struct norn_value norn_place_values_place(const struct norn_place_values *v, uint32_t place)
{
	bool passed;
	return norn_place_values_old(v, place, norn_place_values_resolve(v, place, NORN_NO_SPOT, &passed));
}
