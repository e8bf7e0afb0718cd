#include "judge/event_values.h"

#include <string.h>

#include "trace/record.h"

/* ---- values ---- */

struct norn_value norn_value_of_bits(const struct norn_type *type, uint64_t size, uint64_t raw)
{
	enum norn_type_kind kind = type ? type->kind : NORN_TYPE_SIGNED;
	if (type && type->size)
		size = type->size;
	if (size == 0 || size > 8)
		return norn_value_unknown();
	unsigned shift = (unsigned)(64 - size * 8);
	float narrow;
	double wide;
	uint32_t low = (uint32_t)raw;
	switch (kind) {
	case NORN_TYPE_BOOL:
	case NORN_TYPE_UNSIGNED:
	case NORN_TYPE_POINTER:
		return norn_value_integer(raw << shift >> shift);
	case NORN_TYPE_SIGNED:
	case NORN_TYPE_UNKNOWN:
		return norn_value_integer((int64_t)(raw << shift) >> shift);
	case NORN_TYPE_FLOAT:
		memcpy(&narrow, &low, sizeof narrow);
		memcpy(&wide, &raw, sizeof wide);
		return size == 4 ? norn_value_real(narrow) : size == 8 ? norn_value_real(wide) : norn_value_unknown();
	default:
		return norn_value_unknown();
	}
}

struct norn_value norn_event_value_place(const struct norn_place *place, uint64_t bytes)
{
	if (!place->bit_size)
		return norn_value_of_bits(place->type, place->size, bytes);
	unsigned shift = 64u - place->bit_size;
	uint64_t top = bytes >> place->bit_offset % 8 << shift;
	bool is_signed = !place->type || place->type->kind == NORN_TYPE_SIGNED || place->type->kind == NORN_TYPE_UNKNOWN;
	return is_signed ? norn_value_integer((int64_t)top >> shift) : norn_value_integer(top >> shift);
}

uint64_t norn_event_value_mask(const struct norn_place *place)
{
	uint64_t bits = place->bit_size ? place->bit_size : place->size * 8;
	uint64_t mask = bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
	return place->bit_size ? mask << place->bit_offset % 8 : mask;
}

uint64_t norn_event_value_bytes(uint64_t bytes)
{
	/* In each byte its own bit, then 1 if it is set. */
	uint64_t bits = (bytes & 0xff) * 0x0101010101010101u & 0x8040201008040201u;
	return ((bits + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u) * 0xff;
}

struct norn_value norn_event_value_carried(const struct norn_place *p, const struct norn_event *e, uint64_t address, unsigned bytes)
{
	const uint8_t *data = e->data ? e->data : (const uint8_t *)&e->value;
	uint64_t raw = 0, at = address - e->addr;
	if (!e->known || (!e->data && e->size > 8) || bytes == 0 || bytes > 8 || at > e->size || e->size - at < bytes)
		return norn_value_unknown();
	memcpy(&raw, data + at, bytes);
	return norn_event_value_place(p, raw);
}

/* ---- events ---- */

/* The bytes of the spot that the event carries. */
static void cut_out(const struct norn_event *e, uint64_t address, unsigned size, struct norn_spot_write *w)
{
	const uint8_t *data = e->data ? e->data : (const uint8_t *)&e->value;
	bool known = e->known && (e->data || e->size <= 8);
	for (unsigned i = 0; i < size; i++) {
		uint64_t at = address + i - e->addr;
		if (at >= e->size)
			continue;
		w->written |= (uint8_t)(1u << i);
		if (known) {
			w->known |= (uint8_t)(1u << i);
			w->bytes |= (uint64_t)data[at] << i * 8;
		}
	}
}

bool norn_event_value_effect(
        const struct norn_event *e, uint64_t address, unsigned size, uint8_t known, uint64_t bytes, struct norn_spot_write *w)
{
	cut_out(e, address, size, w);
	if (!w->written)
		return false;
	switch (e->kind) {
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		return true;
	case NORN_EVENT_EXTERNAL:
		/* Of the bytes only some have changed; those that were unknown have only become known. */
		for (unsigned i = 0; i < 8; i++)
			if (known >> i & 1 && (bytes ^ w->bytes) >> i * 8 << 56 == 0)
				w->written &= (uint8_t)~(1u << i);
		w->known &= w->written;
		w->bytes &= norn_event_value_bytes(w->written);
		w->silent = !(w->written & known);
		return w->written;
	case NORN_EVENT_READ:
		w->silent = true;
		return w->known & ~known;
	case NORN_EVENT_ALLOC:
		w->known = e->op == NORN_ALLOC_CALLOC ? w->written : 0;
		w->bytes = 0;
		w->silent = true;
		return true;
	default: /* FREE */
		w->known = 0;
		w->bytes = 0;
		w->silent = true;
		return true;
	}
}

static bool reads(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
}

bool norn_event_value_writes(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
}

bool norn_event_value_fits(const struct norn_checked_selector *s, const struct norn_event *e)
{
	return s->kind == NORN_POINT_ACCESS ? reads(e) || norn_event_value_writes(e)
	       : s->kind == NORN_POINT_READ ? reads(e)
	                                    : norn_event_value_writes(e);
}

/* ---- bit-fields ---- */

const char *norn_event_value_part(const char *text)
{
	const char *dot = strrchr(text, '.');
	return dot ? dot + 1 : text;
}

bool norn_event_value_neighbour(const struct norn_place *place, const char *bitfield)
{
	return place->bit_size && bitfield && strcmp(bitfield, norn_event_value_part(place->text)) != 0;
}
