/* The format, in bytes. A record of most kinds has the same shape: a key (tag, subcode, site), an address, a number (the version),
 * and, unless it is a READ, a value. All records with the same key share a context, which predicts the rest. One record is
 *
 *   a control byte        w | b<<2 | a<<3 | v<<6
 *     w 0, 1              the context that last came after the previous record's, or the one before that
 *     w 2                 another: a 16-bit place in the table follows; with bit 15 set, the context is new and its key (8 bytes) follows
 *     w 3                 no context: the rest of the byte is a tag, TIME or LOST, and a varint follows
 *     b                   address and number are predicted 0: from the last record of this context, 1: from the last record of the
 *                         thread (fields of one node; an element that was read is written next)
 *     a                   a bytes of zigzag(address - predicted) follow
 *     v                   0, 1, 2, 5 bytes of zigzag(number - predicted) follow
 *   a second byte, if there is a value: n | m<<4, then n bytes
 *     m 0                 zigzag(value - predicted); 1: the value; 2: its high bytes
 *
 * If a and v are 0 then b is what the last record of this context had, and the bit is 0.
 * ENTER and LEAVE are nothing but a key. VALUE has only a value, RANGE and 16-byte RMW have varints after the address.
 *
 * Speed matters more than the last byte, as the watched program waits: a record that came as predicted takes few instructions, and
 * what differs is coded without branching on it (lengths are computed, eight bytes stored, the pointer moved). */
#include "trace/codec.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace/record.h"

#define CONTEXTS 1024u
#define ADDR_MASK (UINT64_MAX >> 16)
#define RECORD_BYTES_MAX 48u /* coded, but for RANGE */
#define NEW_CONTEXT 0x8000u

enum { WHICH_LATEST, WHICH_SECOND, WHICH_OTHER, WHICH_NONE };

/* Where a record of a context is expected, from the last one of the context or of the thread. */
struct context {
	uint64_t key; /* 0: free */
	uint64_t addr; /* last */
	uint64_t step[2]; /* by base */
	uint64_t value, value_step; /* predicted: value + value_step */
	uint32_t number; /* last */
	uint16_t next[2]; /* places of the contexts that came after this one, the latest first */
	int16_t number_step[2]; /* by base */
	uint32_t base; /* the better one lately */
};
static_assert(sizeof(struct context) == 64, "a context is a cache line");

struct norn_codec {
	struct context context[CONTEXTS];
	unsigned previous; /* place of the last record's context */
	uint32_t number; /* last */
	uint64_t addr; /* last */
	uint64_t time; /* last TIME */
	uint32_t frame; /* site of the last ENTER or LEAVE: VALUE records belong to it */
};

/* How the records of each kind are coded. */
enum shape {
	SHAPE_BAD,
	SHAPE_READ, /* addr, number: 2 units */
	SHAPE_WRITE, /* addr, number, value: 3 units */
	SHAPE_KEY, /* ENTER, LEAVE: 1 unit */
	SHAPE_VALUE, /* 2 units */
	SHAPE_RANGE,
	SHAPE_WIDE, /* RMW of 16 bytes: 5 units */
	SHAPE_ASIDE /* TIME, LOST: 1 unit, no context */
};

static const uint8_t shapes[16] = {
        [NORN_TAG_READ] = SHAPE_READ,
        [NORN_TAG_WRITE] = SHAPE_WRITE,
        [NORN_TAG_RMW] = SHAPE_WRITE,
        [NORN_TAG_EXT] = SHAPE_WRITE,
        [NORN_TAG_SYNC] = SHAPE_WRITE,
        [NORN_TAG_ALLOC] = SHAPE_WRITE,
        [NORN_TAG_THREAD] = SHAPE_WRITE,
        [NORN_TAG_MARK] = SHAPE_WRITE,
        [NORN_TAG_ENTER] = SHAPE_KEY,
        [NORN_TAG_LEAVE] = SHAPE_KEY,
        [NORN_TAG_VALUE] = SHAPE_VALUE,
        [NORN_TAG_RANGE] = SHAPE_RANGE,
        [NORN_TAG_TIME] = SHAPE_ASIDE,
        [NORN_TAG_LOST] = SHAPE_ASIDE,
};

static inline enum shape shape_of(uint64_t unit)
{
	unsigned tag = unit & 15;
	return tag == NORN_TAG_RMW && norn_record_sub(unit) > 3 ? SHAPE_WIDE : shapes[tag];
}

/* ---- both directions ---- */

static inline uint64_t zigzag(uint64_t x)
{
	return x << 1 ^ (uint64_t)((int64_t)x >> 63);
}

static inline uint64_t unzigzag(uint64_t x)
{
	return x >> 1 ^ -(x & 1);
}

/* Differences of 48-bit addresses and 32-bit numbers wrap around. */
static inline uint64_t zigzag48(uint64_t x)
{
	return zigzag((uint64_t)((int64_t)(x << 16) >> 16));
}

static inline uint64_t zigzag32(uint32_t x)
{
	return zigzag((uint64_t)(int64_t)(int32_t)x);
}

static inline unsigned bytes_of(uint64_t x) /* 0 for 0 */
{
	return (71 - (unsigned)__builtin_clzll(x | 1)) / 8 & -(unsigned)(x != 0);
}

static inline uint64_t low_bytes(uint64_t x, unsigned n)
{
	return n >= 8 ? x : x & ((UINT64_C(1) << 8 * n) - 1);
}

static inline unsigned place_of(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
}
static_assert(CONTEXTS == 1u << (64 - 54), "place_of uses the top bits");

static void start(struct norn_codec *c)
{
	memset(c, 0, sizeof *c);
}

static void renew(struct norn_codec *c, struct context *x, uint64_t key)
{
	*x = (struct context){.key = key, .addr = c->addr, .number = 1};
}

/* The context at place follows the previous one. */
static inline void follow(struct norn_codec *c, unsigned place)
{
	struct context *previous = &c->context[c->previous];
	unsigned first = previous->next[0];
	previous->next[1] = first != place ? first : previous->next[1];
	previous->next[0] = place;
	c->previous = place;
}

static inline uint64_t expected_addr(const struct norn_codec *c, const struct context *x, unsigned base)
{
	return ((base ? c->addr : x->addr) + x->step[base]) & ADDR_MASK;
}

static inline uint32_t expected_number(const struct norn_codec *c, const struct context *x, unsigned base)
{
	return (base ? c->number : x->number) + (uint32_t)(int32_t)x->number_step[base];
}

/* The record came as expected. */
static inline void confirm(struct norn_codec *c, struct context *x, uint64_t addr, uint32_t number)
{
	c->addr = x->addr = addr;
	c->number = x->number = number;
}

/* It did not: base would have been nearer. */
static inline void learn(struct norn_codec *c, struct context *x, unsigned base, uint64_t addr, uint32_t number)
{
	x->step[0] = addr - x->addr;
	x->step[1] = addr - c->addr;
	x->number_step[0] = (int16_t)(number - x->number);
	x->number_step[1] = (int16_t)(number - c->number);
	x->base = base;
	confirm(c, x, addr, number);
}

static inline void learn_value(struct context *x, uint64_t value)
{
	x->value_step = value - x->value;
	x->value = value;
}

/* ---- encoding ---- */

static inline uint8_t *put(uint8_t *p, uint64_t x, unsigned bytes)
{
	memcpy(p, &x, 8);
	return p + bytes;
}

static uint8_t *put_varint(uint8_t *p, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		*p++ = (uint8_t)x | 0x80;
	*p++ = (uint8_t)x;
	return p;
}

static __attribute__((noinline)) uint8_t *put_place(struct norn_codec *c, uint8_t *p, uint64_t key, unsigned place)
{
	struct context *x = &c->context[place];
	bool fresh = x->key != key;
	p = put(p, place | (fresh ? NEW_CONTEXT : 0), 2);
	if (!fresh)
		return p;
	renew(c, x, key);
	return put(p, key, 8);
}

/* Finds the context of key; the control byte at *p gets which it is, *p moves past what else that takes. The place comes from
 * the key alone, and is only compared with what was expected: so the processor need not wait for the record before this one. */
static inline struct context *choose(struct norn_codec *c, uint64_t key, uint8_t **p)
{
	unsigned place = place_of(key);
	struct context *x = &c->context[place];
	const struct context *previous = &c->context[c->previous];
	unsigned which = previous->next[0] == place ? WHICH_LATEST : previous->next[1] == place ? WHICH_SECOND : WHICH_OTHER;
	uint8_t *control = (*p)++;
	if (__builtin_expect(which == WHICH_OTHER || x->key != key, 0)) {
		which = WHICH_OTHER;
		*p = put_place(c, *p, key, place);
	}
	*control = which;
	follow(c, place);
	return x;
}

/* Address and number of a record that did not come as expected. */
static inline uint8_t *put_surprise(
        struct norn_codec *c, struct context *x, uint8_t *p, uint8_t *control, uint64_t addr, uint32_t number)
{
	static const uint8_t code[8] = {0, 1, 2, 3, 3, 3}, bytes[4] = {0, 1, 2, 5};
	uint64_t own = zigzag48(addr - expected_addr(c, x, 0)), other = zigzag48(addr - expected_addr(c, x, 1));
	unsigned base = other < own;
	uint64_t z = base ? other : own, y = zigzag32(number - expected_number(c, x, base));
	unsigned n = bytes_of(z), v = code[bytes_of(y)];
	/* Nothing to code after all: then the decoder takes this for the expected base, so one byte says otherwise. */
	n += !n && !v;
	*control |= base << 2 | n << 3 | v << 6;
	learn(c, x, base, addr, number);
	p = put(p, z, n);
	return put(p, y, bytes[v]);
}

static inline uint8_t *put_place_in_time(
        struct norn_codec *c, struct context *x, uint8_t *p, uint8_t *control, uint64_t addr, uint32_t number)
{
	unsigned base = x->base;
	if (__builtin_expect(addr == expected_addr(c, x, base) && number == expected_number(c, x, base), 1)) {
		confirm(c, x, addr, number);
		return p;
	}
	return put_surprise(c, x, p, control, addr, number);
}

static inline uint8_t *put_value(struct context *x, uint8_t *p, uint64_t value)
{
	uint64_t z = zigzag(value - x->value - x->value_step);
	unsigned n = bytes_of(z), m = 0, whole = bytes_of(value);
	unsigned high = value ? 8 - (unsigned)__builtin_ctzll(value | UINT64_C(1) << 63) / 8 : 0;
	bool better = whole < n;
	m = better ? 1 : m;
	n = better ? whole : n;
	z = better ? value : z;
	better = high < n;
	m = better ? 2 : m;
	n = better ? high : n;
	z = better ? value >> (64 - 8 * high) % 64 : z;
	learn_value(x, value);
	*p++ = (uint8_t)(n | m << 4);
	return put(p, z, n);
}

static uint8_t *put_range(struct norn_codec *c, struct context *x, uint8_t *p, uint8_t *control, const uint64_t *r)
{
	unsigned runs = (unsigned)(r[2] >> 32), data = (uint32_t)r[2];
	p = put_place_in_time(c, x, p, control, norn_record_addr(r[0]), (uint32_t)r[3]);
	p = put_varint(p, r[1] >> 32);
	p = put_varint(p, runs);
	for (unsigned i = 0; i < runs; i++) {
		p = put_varint(p, r[3 + i] >> 32);
		p = put_varint(p, zigzag32((uint32_t)r[3 + i] - x->number)); /* 0 for the first */
	}
	p = put_varint(p, data);
	memcpy(p, &r[3 + runs], 8ul * data);
	return p + 8ul * data;
}

static uint8_t *encode_rest(struct norn_codec *c, uint8_t *p, const uint64_t *r, enum shape shape)
{
	uint8_t *control = p;
	if (shape == SHAPE_ASIDE) {
		*p++ = (uint8_t)(WHICH_NONE | (r[0] & 15) << 2);
		bool time = (r[0] & 15) == NORN_TAG_TIME;
		p = put_varint(p, time ? zigzag((r[0] >> 8) - c->time) : r[0] >> 8);
		c->time = time ? r[0] >> 8 : c->time;
		return p;
	}
	if (shape == SHAPE_KEY) {
		choose(c, r[0], &p);
		c->frame = r[0] >> 8 & ((1u << NORN_SITE_BITS) - 1);
		return p;
	}
	uint64_t key = (r[0] & 0xffff) | (uint64_t)(shape == SHAPE_VALUE ? c->frame : (uint32_t)r[1]) << 16;
	struct context *x = choose(c, key, &p);
	if (shape == SHAPE_VALUE)
		return put_value(x, p, r[1]);
	if (shape == SHAPE_RANGE)
		return put_range(c, x, p, control, r);
	p = put_place_in_time(c, x, p, control, norn_record_addr(r[0]), (uint32_t)(r[1] >> 32));
	p = put_value(x, p, r[2]);
	p = put_varint(p, r[3]);
	return put_varint(p, r[4]);
}

size_t norn_codec_bytes(void)
{
	return sizeof(struct norn_codec);
}

size_t norn_codec_bound(unsigned units)
{
	/* The worst per unit: ENTER with a new context, 11 bytes; a READ with one has 22 for two units; a run of a RANGE 10. */
	return 24ul * units + 2 * RECORD_BYTES_MAX;
}

size_t norn_codec_encode(
        struct norn_codec *c, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	uint8_t *p = to;
	uint32_t records = 0;
	unsigned at = 0;
	start(c);
	while (at < units) {
		const uint64_t *r = raw + at;
		enum shape shape = shape_of(r[0]);
		if (__builtin_expect(shape == SHAPE_READ || shape == SHAPE_WRITE, 1)) {
			unsigned has_value = shape == SHAPE_WRITE;
			if (at + 2 + has_value > units)
				break;
			uint64_t addr = norn_record_addr(r[0]);
			uint8_t *control = p;
			struct context *x = choose(c, (r[0] & 0xffff) | (uint64_t)(uint32_t)r[1] << 16, &p);
			p = put_place_in_time(c, x, p, control, addr, (uint32_t)(r[1] >> 32));
			if (has_value)
				p = put_value(x, p, r[2]);
			at += 2 + has_value;
			records++;
			continue;
		}
		unsigned n = norn_record_units(r, units - at);
		if (!n)
			break;
		p = encode_rest(c, p, r, shape);
		at += n;
		records += shape != SHAPE_ASIDE && shape != SHAPE_VALUE;
	}
	if (at < units) {
		uint64_t lost = (uint64_t)(units - at) << 8 | NORN_TAG_LOST;
		p = encode_rest(c, p, &lost, SHAPE_ASIDE);
		at++;
	}
	*ret_records = records;
	*ret_units = at;
	return (size_t)(p - to);
}

/* ---- decoding ---- */

struct decoder {
	struct norn_codec *c;
	const uint8_t *p, *end;
	uint64_t *raw;
	unsigned at, units;
	bool bad;
};

static uint64_t take(struct decoder *d, unsigned bytes)
{
	uint64_t x = 0;
	if (bytes > 8 || (size_t)(d->end - d->p) < bytes) {
		d->bad = true;
		return 0;
	}
	if (d->end - d->p >= 8) {
		memcpy(&x, d->p, 8);
		x = low_bytes(x, bytes);
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

/* Whether n more units fit; marks the input as bad if not. */
static bool fits(struct decoder *d, uint64_t n)
{
	if (n > d->units - d->at)
		d->bad = true;
	return !d->bad;
}

static struct context *take_context(struct decoder *d, unsigned which)
{
	struct norn_codec *c = d->c;
	unsigned place = c->context[c->previous].next[which & 1];
	if (which == WHICH_OTHER) {
		unsigned named = (unsigned)take(d, 2);
		place = named % CONTEXTS;
		if (named & NEW_CONTEXT) {
			uint64_t key = take(d, 8);
			d->bad |= place_of(key) != place;
			renew(c, &c->context[place], key);
		}
	}
	d->bad |= !c->context[place].key;
	follow(c, place);
	return &c->context[place];
}

static uint64_t take_place_in_time(struct decoder *d, struct context *x, unsigned control, uint32_t *ret_number)
{
	static const uint8_t bytes[4] = {0, 1, 2, 5};
	struct norn_codec *c = d->c;
	bool surprise = control >> 3;
	unsigned base = surprise ? control >> 2 & 1 : x->base;
	uint64_t addr = (expected_addr(c, x, base) + unzigzag(take(d, control >> 3 & 7))) & ADDR_MASK;
	uint32_t number = expected_number(c, x, base) + (uint32_t)unzigzag(take(d, bytes[control >> 6]));
	if (surprise)
		learn(c, x, base, addr, number);
	else
		confirm(c, x, addr, number);
	*ret_number = number;
	return addr;
}

static uint64_t take_value(struct decoder *d, struct context *x)
{
	unsigned byte = (unsigned)take(d, 1), n = byte & 15, m = byte >> 4;
	uint64_t z = take(d, n), value = z;
	if (m == 0)
		value = x->value + x->value_step + unzigzag(z);
	else if (m == 2)
		value = n ? z << (64 - 8 * n) : 0;
	else if (m != 1)
		d->bad = true;
	learn_value(x, value);
	return value;
}

static unsigned decode_range(struct decoder *d, struct context *x, unsigned control, uint64_t *r)
{
	uint32_t number;
	uint64_t addr = take_place_in_time(d, x, control, &number), bytes = take_varint(d), runs = take_varint(d);
	if (bytes > NORN_RANGE_BYTES || runs > NORN_RANGE_BYTES / 8 + 1 || !fits(d, 3 + runs)) {
		d->bad = true;
		return 0;
	}
	r[0] = addr << 16 | (x->key & 0xffff);
	r[1] = bytes << 32 | (uint32_t)(x->key >> 16);
	for (uint64_t i = 0; i < runs; i++) {
		uint64_t count = take_varint(d);
		r[3 + i] = count << 32 | (uint32_t)(number + unzigzag(take_varint(d)));
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

static unsigned decode_aside(struct decoder *d, unsigned tag, uint64_t *r)
{
	uint64_t x = take_varint(d);
	if (tag == NORN_TAG_TIME)
		x = d->c->time = (d->c->time + unzigzag(x)) & (UINT64_MAX >> 8);
	r[0] = x << 8 | tag;
	d->bad |= shapes[tag] != SHAPE_ASIDE;
	return 1;
}

/* One record to r, where the longest fixed one fits; returns its units. */
static unsigned decode_one(struct decoder *d, uint64_t *r)
{
	unsigned control = (unsigned)take(d, 1), which = control & 3;
	if (which == WHICH_NONE)
		return decode_aside(d, control >> 2 & 15, r);
	struct context *x = take_context(d, which);
	if (d->bad)
		return 0;
	enum shape shape = shape_of(x->key);
	if (shape == SHAPE_KEY) {
		r[0] = x->key;
		d->c->frame = x->key >> 8 & ((1u << NORN_SITE_BITS) - 1);
		return 1;
	}
	if (shape == SHAPE_VALUE) {
		r[0] = x->key & 0xffff;
		r[1] = take_value(d, x);
		d->bad |= x->key >> 16 != d->c->frame;
		return 2;
	}
	if (shape == SHAPE_RANGE)
		return decode_range(d, x, control, r);
	if (shape == SHAPE_BAD || shape == SHAPE_ASIDE) {
		d->bad = true;
		return 0;
	}
	uint32_t number;
	r[0] = take_place_in_time(d, x, control, &number) << 16 | (x->key & 0xffff);
	r[1] = (uint64_t)number << 32 | (uint32_t)(x->key >> 16);
	if (shape == SHAPE_READ)
		return 2;
	r[2] = take_value(d, x);
	if (shape == SHAPE_WRITE)
		return 3;
	r[3] = take_varint(d);
	r[4] = take_varint(d);
	return 5;
}

int norn_codec_decode(struct norn_codec *c, const uint8_t *from, size_t bytes, uint64_t *raw, unsigned units, uint32_t *ret_records)
{
	struct decoder d = {.c = c, .p = from, .end = from + bytes, .raw = raw, .units = units};
	uint32_t records = 0;
	start(c);
	while (d.p < d.end && !d.bad) {
		uint64_t small[5], *r = units - d.at >= 5 ? raw + d.at : small;
		unsigned n = decode_one(&d, r);
		if (d.bad || !fits(&d, n) || norn_record_units(r, n) != n)
			return -EBADMSG;
		if (r == small)
			memcpy(raw + d.at, small, 8ul * n);
		enum shape shape = shape_of(r[0]);
		records += shape != SHAPE_ASIDE && shape != SHAPE_VALUE;
		d.at += n;
	}
	if (d.bad || d.at != units)
		return -EBADMSG;
	*ret_records = records;
	return 0;
}
