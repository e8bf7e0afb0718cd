/* The format. A record of most kinds has the same shape: a key (tag, subcode, site), an address, a number (the version) and, unless
 * it is a READ, a value. Records with the same key share a context, found by a hash of the key, which expects the next address
 * and number to go on as the last two did. One record is
 *
 *   16 bits               place of its context | a<<10 | v<<13
 *     a                   a bytes follow: zigzag(address - expected)<<1 | base; base 0: what the context expects, 1: the thread's last address
 *     v                   0, 1, 2, 4 bytes follow: zigzag(number - expected)
 *   1 byte and n bytes, if there is a value: n, then the value without its leading zeros
 *
 * ENTER and LEAVE are nothing but a key, VALUE has only a value, RANGE and 16-byte RMW have varints after the address. With bit 15 of
 * the first 16 bits set, it is no record; bits 0 to 3 tell:
 *
 *   NEW                   the context at place (bits 4 to 13) is now that of another key: 8 bytes
 *   RUN                   varints p and k: the next k * p units go on as the last 2 * p did, each unit by the same difference
 *   TIME, LOST            a varint
 *
 * Speed matters more than bytes, as the watched program waits: what comes as expected takes a compare, loops become runs, and the
 * rest is coded with few branches (lengths are computed, eight bytes stored, the pointer moved). */
#include "trace/codec.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace/record.h"

#define CONTEXTS 1024u
#define ADDR_MASK (UINT64_MAX >> 16)
#define SITE_MASK ((1u << NORN_SITE_BITS) - 1)
#define PERIOD_MOST 128u /* units */
#define STREAK 8u /* records as expected after which a run is looked for */

enum { SPECIAL = 0x8000, NEW = 0, RUN = 1 }; /* others: the tag */

struct context {
	uint64_t key; /* 0: free */
	uint64_t addr, step; /* last; expected: addr + step */
	uint32_t number, number_step;
	uint32_t last; /* 1 + unit at which the last record of this context starts */
};

struct norn_codec {
	struct context context[CONTEXTS];
	uint64_t addr; /* last */
	uint64_t time; /* last TIME */
	uint32_t frame; /* site of the last ENTER or LEAVE: VALUE records belong to it */
};

/* How the records of each kind are coded. */
enum shape {
	SHAPE_BAD,
	SHAPE_READ, /* address, number: 2 units */
	SHAPE_WRITE, /* and value: 3 units */
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
static const uint8_t shape_units[] = {[SHAPE_READ] = 2, [SHAPE_WRITE] = 3, [SHAPE_KEY] = 1, [SHAPE_VALUE] = 2, [SHAPE_ASIDE] = 0};

static inline enum shape shape_of(uint64_t unit)
{
	unsigned tag = unit & 15;
	return tag == NORN_TAG_RMW && norn_record_sub(unit) > 3 ? SHAPE_WIDE : shapes[tag];
}

static inline bool is_event(enum shape shape)
{
	return shape != SHAPE_ASIDE && shape != SHAPE_VALUE;
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
	return (x << 1) ^ (uint32_t)((int32_t)x >> 31);
}

static inline unsigned bytes_of(uint64_t x) /* 0 for 0 */
{
	return (71 - (unsigned)__builtin_clzll(x | 1)) / 8 & -(unsigned)(x != 0);
}

static inline unsigned place_of(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
}
static_assert(CONTEXTS == 1u << (64 - 54), "place_of uses the top bits");

static inline uint64_t key_of(const struct norn_codec *c, const uint64_t *r, enum shape shape)
{
	if (shape == SHAPE_KEY)
		return r[0];
	return (r[0] & 0xffff) | (uint64_t)(shape == SHAPE_VALUE ? c->frame : (uint32_t)r[1]) << 16;
}

static inline uint32_t frame_of(uint64_t key)
{
	return key >> 8 & SITE_MASK;
}

static inline uint64_t expected_addr(const struct context *x)
{
	return (x->addr + x->step) & ADDR_MASK;
}

static inline void learn(struct context *x, uint64_t addr, uint32_t number)
{
	x->step = addr - x->addr;
	x->addr = addr;
	x->number_step = number - x->number;
	x->number = number;
}

static void renew(struct norn_codec *c, struct context *x, uint64_t key)
{
	*x = (struct context){.key = key, .addr = c->addr, .number = 1};
}

/* Units of the record at r if runs may consist of its kind, else 0. */
static inline unsigned plain_units(const uint64_t *r)
{
	enum shape shape = shape_of(r[0]);
	return shape < sizeof shape_units ? shape_units[shape] : 0;
}

/* The contexts after a run that ended at end: what its last period's records would have taught them. */
static void absorb(struct norn_codec *c, const uint64_t *raw, unsigned end, unsigned period)
{
	for (unsigned at = end - period, n; at < end && (n = plain_units(raw + at)); at += n) {
		const uint64_t *r = raw + at, *before = r - period;
		enum shape shape = shape_of(r[0]);
		uint64_t key = key_of(c, r, shape);
		struct context *x = &c->context[place_of(key)];
		if (shape == SHAPE_KEY)
			c->frame = frame_of(key);
		if (x->key == key)
			x->last = at + 1;
		if (shape != SHAPE_READ && shape != SHAPE_WRITE)
			continue;
		c->addr = norn_record_addr(r[0]);
		if (x->key == key) {
			x->addr = norn_record_addr(before[0]);
			x->number = (uint32_t)(before[1] >> 32);
			learn(x, c->addr, (uint32_t)(r[1] >> 32));
		}
	}
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

static inline uint8_t *put_value(uint8_t *p, uint64_t value)
{
	unsigned n = bytes_of(value);
	*p++ = (uint8_t)n;
	return put(p, value, n);
}

static __attribute__((noinline)) uint8_t *put_new(struct norn_codec *c, struct context *x, uint8_t *p, uint64_t key)
{
	p = put(p, SPECIAL | NEW | (unsigned)(x - c->context) << 4, 2);
	renew(c, x, key);
	return put(p, key, 8);
}

static inline struct context *choose(struct norn_codec *c, uint8_t **p, uint64_t key, unsigned at)
{
	struct context *x = &c->context[place_of(key)];
	if (__builtin_expect(x->key != key, 0))
		*p = put_new(c, x, *p, key);
	x->last = at + 1;
	return x;
}

/* The 16 bits, address and number. *streak counts records that came as expected. */
static inline uint8_t *put_access(
        struct norn_codec *c, const struct context *known, uint8_t *p, uint64_t addr, uint32_t number, unsigned *streak)
{
	static const uint8_t code[8] = {0, 1, 2, 3, 3}, bytes[4] = {0, 1, 2, 4};
	struct context *x = (struct context *)known;
	unsigned place = (unsigned)(x - c->context);
	uint32_t y = number - x->number - x->number_step;
	uint64_t d = addr - expected_addr(x);
	if (__builtin_expect(!d && !y, 1)) {
		x->addr = c->addr = addr;
		x->number = number;
		++*streak;
		return put(p, place, 2);
	}
	*streak = 0;
	uint64_t own = zigzag48(d), other = zigzag48(addr - c->addr);
	uint64_t coded = other < own ? other << 1 | 1 : own << 1;
	unsigned a = bytes_of(coded), v = code[bytes_of(zigzag32(y))];
	p = put(p, place | a << 10 | v << 13, 2);
	p = put(p, coded, a);
	p = put(p, zigzag32(y), bytes[v]);
	learn(x, addr, number);
	c->addr = addr;
	return p;
}

static uint8_t *put_range(struct norn_codec *c, const struct context *x, uint8_t *p, const uint64_t *r)
{
	unsigned runs = (unsigned)(r[2] >> 32), data = (uint32_t)r[2], streak;
	uint32_t number = (uint32_t)r[3];
	p = put_access(c, x, p, norn_record_addr(r[0]), number, &streak);
	p = put_varint(p, r[1] >> 32);
	p = put_varint(p, runs);
	for (unsigned i = 0; i < runs; i++) {
		p = put_varint(p, r[3 + i] >> 32);
		p = put_varint(p, zigzag32((uint32_t)r[3 + i] - number)); /* 0 for the first */
	}
	p = put_varint(p, data);
	memcpy(p, &r[3 + runs], 8ul * data);
	return p + 8ul * data;
}

static uint8_t *encode_rest(struct norn_codec *c, uint8_t *p, const uint64_t *r, enum shape shape, unsigned at)
{
	if (shape == SHAPE_ASIDE) {
		bool time = (r[0] & 15) == NORN_TAG_TIME;
		p = put(p, SPECIAL | (r[0] & 15), 2);
		p = put_varint(p, time ? zigzag((r[0] >> 8) - c->time) : r[0] >> 8);
		c->time = time ? r[0] >> 8 : c->time;
		return p;
	}
	uint64_t key = key_of(c, r, shape);
	const struct context *x = choose(c, &p, key, at);
	unsigned streak;
	switch (shape) {
	case SHAPE_KEY:
		c->frame = frame_of(key);
		return put(p, (uint64_t)(x - c->context), 2);
	case SHAPE_VALUE:
		return put_value(put(p, (uint64_t)(x - c->context), 2), r[1]);
	case SHAPE_RANGE:
		return put_range(c, x, p, r);
	default:
		p = put_access(c, x, p, norn_record_addr(r[0]), (uint32_t)(r[1] >> 32), &streak);
		p = put_value(p, r[2]);
		p = put_varint(p, r[3]);
		return put_varint(p, r[4]);
	}
}

static inline bool goes_on(const uint64_t *u, unsigned period)
{
	return u[0] - u[-(long)period] == u[-(long)period] - u[-2 * (long)period];
}

/* How many units from at on go on with the period of the record there; *ret_events: events in one period. */
static __attribute__((noinline)) unsigned find_run(
        const struct norn_codec *c, const uint64_t *raw, unsigned units, unsigned at, unsigned *ret_period, unsigned *ret_events)
{
	const uint64_t *r = raw + at;
	unsigned n = plain_units(r), events = 0;
	if (!n || at + n > units)
		return 0;
	uint64_t key = key_of(c, r, shape_of(r[0]));
	const struct context *x = &c->context[place_of(key)];
	unsigned period = at + 1 - x->last;
	if (x->key != key || !x->last || period > PERIOD_MOST || at < 2 * period || at + 2 * period > units || !goes_on(r, period))
		return 0;
	/* One period, record by record: tags must stay as they are, so that the records keep their lengths. */
	unsigned end = at;
	for (; end < at + period; end += n, events += is_event(shape_of(raw[end - n])))
		if (!(n = plain_units(raw + end)) || (raw[end] - raw[end - period]) & 0xffff)
			return 0;
	if (end != at + period)
		return 0;
	for (end = at; end < units && goes_on(raw + end, period); end++)
		;
	*ret_period = period;
	*ret_events = events;
	return end - at < 2 * period || end - at < 16 ? 0 : (end - at) / period * period;
}

size_t norn_codec_bytes(void)
{
	return sizeof(struct norn_codec);
}

size_t norn_codec_bound(unsigned units)
{
	/* The worst per unit: ENTER with a new context, 12 bytes; a READ with one has 23 for two units; a run of a RANGE 10. */
	return 16ul * units + 64;
}

size_t norn_codec_encode(
        struct norn_codec *c, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	uint8_t *p = to;
	uint32_t records = 0;
	unsigned at = 0, streak = 0, period, events;
	memset(c, 0, sizeof *c);
	while (at < units) {
		const uint64_t *r = raw + at;
		enum shape shape = shape_of(r[0]);
		if (__builtin_expect(streak >= STREAK, 0)) {
			unsigned run = find_run(c, raw, units, at, &period, &events);
			streak = 0;
			if (run) {
				p = put(p, SPECIAL | RUN, 2);
				p = put_varint(p, period);
				p = put_varint(p, run / period);
				at += run;
				records += run / period * events;
				absorb(c, raw, at, period);
				continue;
			}
		}
		if (__builtin_expect(shape == SHAPE_READ || shape == SHAPE_WRITE, 1)) {
			unsigned has_value = shape == SHAPE_WRITE;
			if (at + 2 + has_value > units)
				break;
			const struct context *x = choose(c, &p, (r[0] & 0xffff) | (uint64_t)(uint32_t)r[1] << 16, at);
			p = put_access(c, x, p, norn_record_addr(r[0]), (uint32_t)(r[1] >> 32), &streak);
			if (has_value)
				p = put_value(p, r[2]);
			at += 2 + has_value;
			records++;
			continue;
		}
		unsigned n = norn_record_units(r, units - at);
		if (!n)
			break;
		p = encode_rest(c, p, r, shape, at);
		at += n;
		records += is_event(shape);
	}
	if (at < units) {
		uint64_t lost = (uint64_t)(units - at) << 8 | NORN_TAG_LOST;
		p = encode_rest(c, p, &lost, SHAPE_ASIDE, at++);
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

static inline uint64_t take_value(struct decoder *d)
{
	return take(d, (unsigned)take(d, 1));
}

/* Whether n more units fit; marks the input as bad if not. */
static inline bool fits(struct decoder *d, uint64_t n)
{
	if (n > d->units - d->at)
		d->bad = true;
	return !d->bad;
}

static inline uint64_t take_access(struct decoder *d, struct context *x, unsigned control, uint32_t *ret_number)
{
	static const uint8_t bytes[4] = {0, 1, 2, 4};
	uint64_t addr = expected_addr(x);
	uint32_t number = x->number + x->number_step;
	if (control >> 10) {
		uint64_t coded = take(d, control >> 10 & 7);
		addr = ((coded & 1 ? d->c->addr : addr) + unzigzag(coded >> 1)) & ADDR_MASK;
		number += (uint32_t)unzigzag(take(d, bytes[control >> 13 & 3]));
		learn(x, addr, number);
	} else {
		x->addr = addr;
		x->number = number;
	}
	d->c->addr = addr;
	*ret_number = number;
	return addr;
}

static unsigned decode_range(struct decoder *d, struct context *x, unsigned control, uint64_t *r)
{
	uint32_t number;
	uint64_t addr = take_access(d, x, control, &number), bytes = take_varint(d), runs = take_varint(d);
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

/* A record with a context to r, where any fixed one fits; returns its units. */
static inline unsigned decode_record(struct decoder *d, unsigned control, uint64_t *r)
{
	struct norn_codec *c = d->c;
	struct context *x = &c->context[control % CONTEXTS];
	enum shape shape = shape_of(x->key);
	x->last = d->at + 1;
	switch (shape) {
	case SHAPE_KEY:
		r[0] = x->key;
		c->frame = frame_of(x->key);
		return 1;
	case SHAPE_VALUE:
		r[0] = x->key & 0xffff;
		r[1] = take_value(d);
		return 2;
	case SHAPE_RANGE:
		return decode_range(d, x, control, r);
	case SHAPE_READ:
	case SHAPE_WRITE:
	case SHAPE_WIDE:
		break;
	default:
		d->bad = true;
		return 0;
	}
	uint32_t number;
	r[0] = take_access(d, x, control, &number) << 16 | (x->key & 0xffff);
	r[1] = (uint64_t)number << 32 | (uint32_t)(x->key >> 16);
	if (shape == SHAPE_READ)
		return 2;
	r[2] = take_value(d);
	if (shape == SHAPE_WRITE)
		return 3;
	r[3] = take_varint(d);
	r[4] = take_varint(d);
	return 5;
}

/* The records from d->at to end are there: checks and counts them. */
static void count_records(struct decoder *d, unsigned end)
{
	while (d->at < end && !d->bad) {
		unsigned n = norn_record_units(d->raw + d->at, end - d->at);
		d->bad = n == 0;
		d->records += is_event(shape_of(d->raw[d->at]));
		d->at += n;
	}
}

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
		absorb(d->c, d->raw, d->at, (unsigned)period);
}

static void decode_special(struct decoder *d, unsigned control)
{
	unsigned kind = control & 15;
	if (kind == NEW) {
		struct context *x = &d->c->context[control >> 4 & (CONTEXTS - 1)];
		renew(d->c, x, take(d, 8));
		d->bad |= place_of(x->key) != (unsigned)(x - d->c->context);
	} else if (kind == RUN) {
		decode_run(d);
	} else if (shapes[kind] == SHAPE_ASIDE && fits(d, 1)) {
		uint64_t x = take_varint(d);
		if (kind == NORN_TAG_TIME)
			x = d->c->time = (d->c->time + unzigzag(x)) & (UINT64_MAX >> 8);
		d->raw[d->at] = x << 8 | kind;
		count_records(d, d->at + 1);
	} else {
		d->bad = true;
	}
}

int norn_codec_decode(struct norn_codec *c, const uint8_t *from, size_t bytes, uint64_t *raw, unsigned units, uint32_t *ret_records)
{
	struct decoder d = {.c = c, .p = from, .end = from + bytes, .raw = raw, .units = units};
	memset(c, 0, sizeof *c);
	while (d.p < d.end && !d.bad) {
		unsigned control = (unsigned)take(&d, 2);
		if (control & SPECIAL) {
			decode_special(&d, control);
			continue;
		}
		uint64_t small[5], *r = units - d.at >= 5 ? raw + d.at : small;
		if (r == small && shape_of(c->context[control % CONTEXTS].key) == SHAPE_RANGE)
			r = raw + d.at; /* checks its own room */
		unsigned n = decode_record(&d, control, r);
		if (d.bad || !fits(&d, n))
			break;
		if (r == small)
			memcpy(raw + d.at, small, 8ul * n);
		count_records(&d, d.at + n);
	}
	if (d.bad || d.at != units)
		return -EBADMSG;
	*ret_records = d.records;
	return 0;
}
