/* Decoding. The input may be anything: nothing is read or written out of bounds, and only valid records come out. */
#include <errno.h>
#include <string.h>

#include "trace/codec/codec_context.h"

struct decoder {
	struct norn_codec *c;
	struct codec_context *before; /* of the last record */
	const uint8_t *p, *end;
	uint64_t *raw;
	unsigned at, units;
	uint32_t records;
	bool bad;
};

static inline uint64_t take(struct decoder *d, unsigned bytes)
{
	uint64_t x = 0;
	if (bytes > 8 || (size_t)(d->end - d->p) < bytes) {
		d->bad = true;
		return 0;
	}
	if (__builtin_expect(d->end - d->p >= 8, 1)) {
		memcpy(&x, d->p, 8);
		x = bytes ? x << (64 - 8 * bytes) >> (64 - 8 * bytes) : 0;
	} else {
		memcpy(&x, d->p, bytes);
	}
	d->p += bytes;
	return x;
}

static uint64_t take_varint(struct decoder *d)
{
	uint64_t x = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = take(d, 1);
		x |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return x;
	}
	d->bad = true;
	return 0;
}

/* True if n more units fit; marks the input as bad if not. */
static inline bool fits(struct decoder *d, uint64_t n)
{
	if (n > d->units - d->at)
		d->bad = true;
	return !d->bad;
}

/* ---- records ---- */

/* The bytes after the first: address and number as a pair, and the value. */
static pair take_access(struct decoder *d, struct codec_context *x, unsigned first, uint64_t *ret_value)
{
	unsigned n = first & 15, a = first >> 4 & 3, v = first >> 6;
	uint64_t addr = x->next[0] >> 16;
	if (n == FAR) {
		unsigned second = (unsigned)take(d, 1);
		v = first >> 4 & 3;
		a = second & 15;
		n = second >> 4;
		addr = first & 0x40 ? addr_of(d->before) : addr;
	}
	if (a > 6)
		d->bad = true;
	addr = (addr + unzigzag(take(d, a))) & ADDR_MASK;
	uint32_t number = (uint32_t)((x->next[1] >> 32) + unzigzag(take(d, norn_codec_number_bytes[v])));
	*ret_value = take(d, n);
	pair now = pair_of(x, addr, number);
	learn(x, now);
	return now;
}

static unsigned decode_range(struct decoder *d, struct codec_context *x, unsigned first, uint64_t *r)
{
	uint64_t none;
	pair now = take_access(d, x, first, &none);
	uint64_t bytes = take_varint(d), runs = take_varint(d);
	if (bytes > NORN_RANGE_BYTES || runs > NORN_RANGE_BYTES / 8 + 1 || !fits(d, 3 + runs)) {
		d->bad = true;
		return 0;
	}
	r[0] = now[0] | (x->key & 0xffff);
	r[1] = bytes << 32 | (uint32_t)(x->key >> 16);
	for (uint64_t i = 0; i < runs; i++) {
		uint64_t count = take_varint(d);
		r[3 + i] = count << 32 | (uint32_t)((now[1] >> 32) + unzigzag(take_varint(d)));
	}
	uint64_t data = take_varint(d);
	if (data > NORN_RANGE_BYTES / 8 + 1 || !fits(d, 3 + runs + data) || (size_t)(d->end - d->p) < 8 * data) {
		d->bad = true;
		return 0;
	}
	r[2] = runs << 32 | data;
	memcpy(&r[3 + runs], d->p, 8 * data);
	d->p += 8 * data;
	return (unsigned)(3 + runs + data);
}

/* A record of x to r, where any fixed one fits; returns its units. */
static unsigned decode_record(struct decoder *d, struct codec_context *x, unsigned first, uint64_t *r)
{
	pair now;
	enum shape shape = norn_codec_shape(x->key);
	switch (shape) {
	case SHAPE_KEY:
		r[0] = x->key;
		d->c->frame = frame_of(x->key);
		keep_addr(d->before, x);
		return 1;
	case SHAPE_VALUE:
		r[0] = x->key & 0xffff;
		r[1] = take(d, first & 15);
		keep_addr(d->before, x);
		return 2;
	case SHAPE_RANGE:
		return decode_range(d, x, first, r);
	case SHAPE_READ:
	case SHAPE_WRITE:
		now = take_access(d, x, first, &r[2]);
		r[0] = now[0];
		r[1] = now[1];
		return x->units;
	case SHAPE_WIDE:
		now = take_access(d, x, first, &r[2]);
		r[0] = now[0] | (x->key & 0xffff);
		r[1] = now[1] | (uint32_t)(x->key >> 16);
		r[3] = take_varint(d);
		r[4] = take_varint(d);
		return 5;
	default: /* no context was made there */
		d->bad = true;
		return 0;
	}
}

/* The records from d->at to end are there: checks and counts them. */
static void count_records(struct decoder *d, unsigned end)
{
	while (d->at < end && !d->bad) {
		unsigned n = norn_record_units(d->raw + d->at, end - d->at);
		d->bad = n == 0;
		d->records += is_event(norn_codec_shape(d->raw[d->at]));
		d->at += n;
	}
}

static void decode_next(struct decoder *d)
{
	unsigned first = *d->p++;
	struct codec_context *x = successor(d->c, d->before);
	uint64_t small[5], *r = d->units - d->at >= 5 ? d->raw + d->at : small;
	if (norn_codec_shape(x->key) == SHAPE_RANGE)
		r = d->raw + d->at; /* checks its own room */
	unsigned n = decode_record(d, x, first, r);
	d->before = x;
	if (d->bad || !fits(d, n))
		return;
	if (r == small)
		memcpy(d->raw + d->at, small, 8ul * n);
	count_records(d, d->at + n);
}

/* ---- what is common, where no bound is near ---- */

#define ROOM_IN 32u /* bytes: more than any record here takes, and what is read beyond it */
#define ROOM_OUT 3u /* units */

static inline uint64_t low_bytes(uint64_t x, unsigned bytes)
{
	static const uint64_t masks[9] = {
	        0, 0xff, 0xffff, 0xffffff, UINT32_MAX, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX};
	return x & masks[bytes];
}

static inline uint64_t load(const uint8_t *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return x;
}

/* True if the record with these first units, of a context of READ or WRITE shape, is valid. */
static inline bool valid(const uint64_t *r)
{
	unsigned sub = norn_record_sub(r[0]);
	if (__builtin_expect(norn_record_tag(r[0]) <= NORN_TAG_WRITE && sub <= 3, 1))
		return (norn_record_addr(r[0]) & 7) + (1u << sub) <= 8;
	return norn_record_units(r, ROOM_OUT) > 0;
}

/* Decodes records of READ and WRITE shape until there comes something else. */
static void decode_hot(struct decoder *d)
{
	struct norn_codec *c = d->c;
	struct codec_context *before = d->before;
	const uint8_t *p = d->p, *end = d->end;
	uint64_t *r = d->raw + d->at, *limit = d->raw + d->units;
	uint32_t records = 0;
	while (end - p >= (long)ROOM_IN && limit - r >= (long)ROOM_OUT) {
		unsigned first = *p++, n = first & 15, a = first >> 4 & 3, v = first >> 6;
		struct codec_context *x = successor(c, before);
		if (n > FAR || !x->units) {
			p--;
			break;
		}
		pair next = x->next, now = x->now;
		uint64_t addr = next[0];
		if (n == FAR) {
			v = a;
			addr = first & 0x40 ? before->now[0] : addr;
			a = *p & 15;
			n = *p++ >> 4;
			if (a > 6 || n > VALUE_MOST) {
				d->bad = true;
				break;
			}
		}
		unsigned number_bytes = norn_codec_number_bytes[v];
		r[0] = ((addr >> 16) + unzigzag(low_bytes(load(p), a))) << 16 | (next[0] & 0xffff);
		r[1] = next[1] + (unzigzag(low_bytes(load(p + a), number_bytes)) << 32);
		p += a + number_bytes;
		r[2] = low_bytes(load(p), n);
		p += n;
		x->next = (pair){2 * r[0] - now[0], 2 * r[1] - now[1]};
		x->now = (pair){r[0], r[1]};
		if (!valid(r)) {
			d->bad = true;
			break;
		}
		r += x->units;
		records++;
		before = x;
	}
	d->before = before;
	d->p = p;
	d->at = (unsigned)(r - d->raw);
	d->records += records;
}

/* ---- what is no record ---- */

static void decode_run(struct decoder *d)
{
	uint64_t period = take_varint(d), times = take_varint(d);
	if (period == 0 || period > PERIOD_MOST || times > d->units || 2 * period > d->at || !fits(d, period * times)) {
		d->bad = true;
		return;
	}
	uint64_t *u = d->raw + d->at, *end = u + period * times;
	for (; u < end; u++)
		u[0] = 2 * u[-(long)period] - u[-2 * (long)period];
	count_records(d, (unsigned)(end - d->raw));
	if (!d->bad)
		d->before = norn_codec_absorb(d->c, d->before, d->raw, d->at, (unsigned)period);
}

static void decode_new(struct decoder *d)
{
	uint64_t key = take(d, 8);
	enum shape shape = norn_codec_shape(key);
	struct codec_context *x = &d->c->context[place_of(key)];
	if (d->bad || shape == SHAPE_BAD || shape == SHAPE_ASIDE) {
		d->bad = true;
		return;
	}
	norn_codec_renew(d->c, d->before, x, key);
	set_successor(d->c, d->before, x);
}

static void decode_aside(struct decoder *d, unsigned tag)
{
	uint64_t x = take_varint(d);
	if (norn_codec_shape(tag) != SHAPE_ASIDE || !fits(d, 1)) {
		d->bad = true;
		return;
	}
	if (tag == NORN_TAG_TIME)
		x = d->c->time = (d->c->time + unzigzag(x)) & (UINT64_MAX >> 8);
	d->raw[d->at] = x << 8 | tag;
	count_records(d, d->at + 1);
}

static void decode_special(struct decoder *d)
{
	unsigned first = *d->p++, more = first >> 4;
	switch (first & 15) {
	case JUMP:
		set_successor(d->c, d->before, &d->c->context[(more << 8 | take(d, 1)) % CONTEXTS]);
		break;
	case NEW:
		decode_new(d);
		break;
	case RUN:
		decode_run(d);
		break;
	case ASIDE:
		decode_aside(d, more);
		break;
	default:
		d->bad = true;
	}
}

int norn_codec_decode(struct norn_codec *c, const uint8_t *from, size_t bytes, uint64_t *raw, unsigned units, uint32_t *ret_records)
{
	struct decoder d = {.c = c, .before = &c->first, .p = from, .end = from + bytes, .raw = raw, .units = units};
	norn_codec_reset(c);
	while (d.p < d.end && !d.bad) {
		decode_hot(&d);
		if (d.p == d.end || d.bad)
			break;
		if ((*d.p & 15) > FAR)
			decode_special(&d);
		else
			decode_next(&d);
	}
	if (d.bad || d.at != units)
		return -EBADMSG;
	*ret_records = d.records;
	return 0;
}
