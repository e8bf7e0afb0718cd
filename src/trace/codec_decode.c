#include "trace/codec.h"

#include <errno.h>

#include "trace/codec_model.h"

struct decoder {
	struct norn_codec *c;
	const uint8_t *p, *end;
	uint64_t *to; /* next unit */
	uint64_t *to_end;
	unsigned previous, position; /* as in struct encoder */
	bool bad; /* the input ended too early, or makes no sense */
};

static uint64_t take(struct decoder *d, unsigned bytes)
{
	uint64_t x = 0;
	size_t left = (size_t)(d->end - d->p);
	if (__builtin_expect(left >= 8, 1)) {
		memcpy(&x, d->p, 8);
		d->p += bytes;
		return bytes == 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
	}
	if (left < bytes) {
		d->bad = true;
		return 0;
	}
	memcpy(&x, d->p, bytes);
	d->p += bytes;
	return x;
}

static uint64_t take_varint(struct decoder *d)
{
	uint64_t x = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = take(d, 1);
		x |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			return x;
	}
	d->bad = true;
	return 0;
}

static uint64_t take_key(struct decoder *d)
{
	struct norn_codec *c = d->c;
	unsigned byte = take(d, 1), tag = byte & 15;
	uint64_t sub = byte >> 4;
	if (tag == NORN_TAG_ENTER || tag == NORN_TAG_LEAVE) {
		uint32_t site = (c->site + (uint32_t)unzigzag(take_varint(d))) & SITE_MASK;
		uint32_t other = (uint32_t)take_varint(d);
		if (tag == NORN_TAG_ENTER)
			other = site + (uint32_t)unzigzag(other);
		c->site = site;
		return (uint64_t)(other & SITE_MASK) << 36 | (uint64_t)site << 8 | tag;
	}
	if (sub == 15)
		sub = take_varint(d) & 0xfff;
	if (tag == NORN_TAG_VALUE)
		return (uint64_t)c->frame << 16 | sub << 4 | tag;
	c->site += (uint32_t)unzigzag(take_varint(d));
	return (uint64_t)c->site << 16 | sub << 4 | tag;
}

/* The context that a header with EXPLICIT names by the byte that follows it; 0 if none. */
static unsigned take_context(struct decoder *d, unsigned byte)
{
	if (byte == NEW_CONTEXT) {
		uint64_t key = take_key(d);
		unsigned new = new_context(d->c, key, d->position);
		d->previous = new == 1 ? 0 : d->previous;
		return new;
	}
	unsigned at = byte;
	if (byte >= 0xf0)
		at = (byte - 0xf0) << 8 | (unsigned)take(d, 1);
	return at < d->c->count ? at : 0;
}

static inline uint64_t decode_addr(struct decoder *d, struct context *x, unsigned header)
{
	struct norn_codec *c = d->c;
	unsigned code = header >> 3 & 7;
	uint64_t addr;
	if (code == 0) {
		addr = predict_addr(c, x, d->position);
		x->addr_missed = 0;
	} else {
		uint64_t coded = take(d, addr_bytes[code]), step = unzigzag(coded >> 2);
		addr = (base_addr(c, x, coded & 3, d->position) + step) & ADDR_MASK;
		learn_addr_miss(x, coded & 3, step);
	}
	push_addr(c, x, addr, &d->position);
	return addr;
}

static inline uint32_t decode_number(struct decoder *d, unsigned header, uint32_t predicted)
{
	unsigned code = header >> 1 & 3;
	if (code == 0)
		return predicted;
	return predicted + (uint32_t)unzigzag(take(d, number_bytes[code]));
}

static uint64_t take_value(struct decoder *d, const struct context *x, uint64_t addr)
{
	struct norn_codec *c = d->c;
	uint64_t mask = x->mask, value;
	unsigned code = take(d, 1);
	if (code < 0x80)
		return (x->value + unzigzag(code)) & mask;
	if (code == DICTIONARY_VALUE)
		return c->dictionary[take(d, 1)];
	unsigned mode = code >> 3 & 3, n = (code & 7) + 1;
	uint64_t coded = take(d, n);
	d->bad |= code > 0x9f;
	switch (mode) {
	case 0:
		value = (x->value + unzigzag(coded)) & mask;
		break;
	case 1:
		value = coded;
		break;
	case 2:
		value = coded << 8 * (8 - n);
		break;
	default:
		value = addr + unzigzag(coded);
	}
	if (n > 1)
		c->dictionary[value_hash(value)] = value;
	return value;
}

static inline uint64_t decode_value(struct decoder *d, struct context *x, unsigned header, uint64_t addr)
{
	bool hit = !(header & CODED_VALUE);
	uint64_t value = hit ? predict_value(x) : take_value(d, x, addr);
	learn_value(x, value, hit);
	return value;
}

static inline unsigned decode_plain(struct decoder *d, struct context *x, unsigned header, unsigned trait)
{
	uint64_t *r = d->to, addr = 0;
	unsigned units = !!(trait & NUMBER) + !!(trait & VALUE) + 1;
	if ((size_t)(d->to_end - r) < units) {
		d->bad = true;
		return 0;
	}
	if (trait & ADDR)
		addr = decode_addr(d, x, header);
	r[0] = addr << 16 | (uint16_t)x->key;
	if (trait & STAMP) {
		struct stamp s = predict_version(d->c, x, addr, trait & MADE ? 1 : 0);
		uint32_t version = decode_number(d, header, s.predicted);
		learn_version(x, &s, version);
		r[1] = (uint64_t)version << 32 | (uint32_t)(x->key >> 16);
	} else if (trait & NUMBER) {
		x->number = decode_number(d, header, x->number);
		r[1] = (uint64_t)x->number << 32 | (uint32_t)(x->key >> 16);
	}
	if (trait & VALUE)
		r[units - 1] = decode_value(d, x, header, addr);
	return units;
}

static unsigned decode_wide(struct decoder *d, struct context *x, unsigned header)
{
	uint64_t *r = d->to;
	if (d->to_end - r < 5 || !(header & CODED_VALUE)) {
		d->bad = true;
		return 0;
	}
	uint64_t addr = decode_addr(d, x, header);
	struct stamp s = predict_version(d->c, x, addr, 1);
	uint32_t version = decode_number(d, header, s.predicted);
	learn_version(x, &s, version);
	r[0] = addr << 16 | (uint16_t)x->key;
	r[1] = (uint64_t)version << 32 | (uint32_t)(x->key >> 16);
	for (unsigned i = 2; i < 5; i++)
		r[i] = take(d, 8);
	return 5;
}

/* Returns the number of runs, 0 if they make no sense. */
static uint32_t take_runs(struct decoder *d, struct context *x, uint64_t addr, uint32_t made)
{
	uint64_t *r = d->to, bytes = take_varint(d), runs = take_varint(d);
	uint64_t words = norn_range_words(addr, bytes);
	if (bytes > NORN_RANGE_BYTES || runs > words || (uint64_t)(d->to_end - r) < 3 + runs)
		return 0;
	for (uint64_t i = 0; i < runs; i++) {
		struct stamp s = predict_version(d->c, x, addr, made);
		uint64_t count = i + 1 < runs ? take_varint(d) : words;
		uint32_t version = s.predicted + (uint32_t)unzigzag(take_varint(d));
		if (count == 0 || count > words)
			return 0;
		words -= count;
		learn_run(d->c, x, &s, addr, count, version);
		r[3 + i] = count << 32 | version;
		addr += 8 * count;
	}
	x->bytes = bytes;
	return words == 0 ? runs : 0;
}

static unsigned decode_range(struct decoder *d, struct context *x, unsigned header)
{
	uint64_t *r = d->to;
	uint64_t left = (uint64_t)(d->to_end - r), runs = 1, data = 0;
	unsigned sub = x->key >> 4 & 0xfff;
	uint32_t made = range_made(sub);
	if (left < 4)
		return 0;
	uint64_t addr = decode_addr(d, x, header);
	if (header & CODED_RUNS) {
		runs = take_runs(d, x, addr, made);
	} else {
		struct stamp s = predict_version(d->c, x, addr, made);
		uint64_t words = norn_range_words(addr, x->bytes);
		learn_run(d->c, x, &s, addr, words, s.predicted);
		r[3] = words << 32 | s.predicted;
	}
	if (sub == NORN_RANGE_WRITE)
		data = ((uint64_t)x->bytes + 7) / 8;
	else if (sub == NORN_RANGE_SET || sub == NORN_RANGE_FREE)
		data = 1;
	if (runs == 0 || left < 3 + runs + data)
		return 0;
	r[0] = addr << 16 | (uint16_t)x->key;
	r[1] = (uint64_t)x->bytes << 32 | (uint32_t)(x->key >> 16);
	r[2] = runs << 32 | data;
	if (sub == NORN_RANGE_WRITE) {
		if (!(header & CODED_VALUE) || (size_t)(d->end - d->p) < x->bytes)
			return 0;
		r[3 + runs + data - 1] = 0;
		memcpy(&r[3 + runs], d->p, x->bytes);
		d->p += x->bytes;
	} else if (data) {
		r[3 + runs] = decode_value(d, x, header, addr);
	}
	return 3 + runs + data;
}

static void decode_aside(struct decoder *d, unsigned byte)
{
	uint64_t x = take_varint(d);
	if (d->to == d->to_end) {
		d->bad = true;
		return;
	}
	if (byte == ASIDE_TIME)
		d->c->time = x = (d->c->time + unzigzag(x)) & (UINT64_MAX >> 8);
	*d->to++ = x << 8 | (byte == ASIDE_TIME ? NORN_TAG_TIME : NORN_TAG_LOST);
}

static inline void decode_in(struct decoder *d, unsigned at, unsigned header, uint32_t *records)
{
	struct context *x = &d->c->context[at];
	unsigned tag = x->key & 15, units;
	if (at == 0) {
		d->bad = true;
		return;
	}
	follow(d->c, d->previous, at);
	d->previous = at;
	switch (tag) {
	case NORN_TAG_ENTER:
	case NORN_TAG_LEAVE:
		units = d->to < d->to_end;
		if (units)
			*d->to = x->key;
		d->c->frame = x->key >> 8 & SITE_MASK;
		break;
	case NORN_TAG_RANGE:
		units = decode_range(d, x, header);
		break;
	default:
		if (tag == NORN_TAG_RMW && (x->key >> 4 & 0xfff) == 4)
			units = decode_wide(d, x, header);
		else
			units = decode_plain(d, x, header, traits[tag]);
	}
	if (units == 0 || norn_record_units(d->to, units) != units)
		d->bad = true;
	d->to += units;
	*records += tag != NORN_TAG_VALUE;
}

static void decode(struct decoder *d, uint32_t *records)
{
	unsigned header = *d->p++;
	struct norn_codec *c = d->c;
	switch (header & EXPLICIT) {
	case 0:
		for (unsigned n = 0; n <= header && !d->bad; n++)
			decode_in(d, c->context[d->previous].next[0], EXPECTED, records);
		break;
	case EXPECTED:
		decode_in(d, c->context[d->previous].next[0], header, records);
		break;
	case SECOND:
		decode_in(d, c->context[d->previous].next[1], header, records);
		break;
	default: {
		unsigned byte = take(d, 1);
		if (byte == ASIDE_TIME || byte == ASIDE_LOST)
			decode_aside(d, byte);
		else
			decode_in(d, take_context(d, byte), header, records);
	}
	}
}

int norn_codec_decode(
        struct norn_codec *codec, const uint8_t *from, size_t bytes, uint64_t *raw, unsigned units, uint32_t *ret_records)
{
	struct decoder d = {.c = codec, .p = from, .end = from + bytes, .to = raw, .to_end = raw + units};
	uint32_t records = 0;
	start(codec);
	while (d.p < d.end && !d.bad)
		decode(&d, &records);
	if (d.bad || d.to != d.to_end)
		return -EBADMSG;
	*ret_records = records;
	return 0;
}
