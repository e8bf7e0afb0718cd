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
 * Speed matters more than bytes, as the watched program waits: loops become runs, and the rest is coded with few branches and few
 * instructions (address and number are predicted together; lengths are computed, eight bytes stored, the pointer moved). */
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

/* The first two units of a record: address<<16 | low 16 bits of the key, number<<32 | site. */
typedef uint64_t pair __attribute__((vector_size(16)));
typedef int64_t signed_pair __attribute__((vector_size(16)));

struct context {
	uint64_t key; /* 0: free */
	uint32_t last; /* 1 + unit at which the last record of this context starts */
	pair now, next; /* the last record; the one that is expected, which goes on as the last two did */
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
	return (71 - (unsigned)(x ? __builtin_clzll(x) : 64)) >> 3;
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
	return x->next[0] >> 16;
}

static inline uint32_t expected_number(const struct context *x)
{
	return (uint32_t)(x->next[1] >> 32);
}

static inline void learn(struct context *x, pair now)
{
	x->next = now + now - x->now;
	x->now = now;
}

static inline pair pair_of(const struct context *x, uint64_t addr, uint32_t number)
{
	return (pair){addr << 16 | (x->key & 0xffff), (uint64_t)number << 32 | (uint32_t)(x->key >> 16)};
}

static void renew(struct norn_codec *c, struct context *x, uint64_t key)
{
	*x = (struct context){.key = key};
	x->now = x->next = pair_of(x, c->addr, 1);
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
			x->now = (pair){before[0], before[1]};
			learn(x, (pair){r[0], r[1]});
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

static inline unsigned choose(struct norn_codec *c, uint8_t **p, uint64_t key, unsigned at)
{
	unsigned place = place_of(key);
	struct context *x = &c->context[place];
	if (__builtin_expect(x->key != key, 0))
		*p = put_new(c, x, *p, key);
	x->last = at + 1;
	return place;
}

/* The nearer base; the other one is looked at only if the first is far, which is seldom. */
static inline uint64_t code_addr(uint64_t own, uint64_t addr, uint64_t last)
{
	if (__builtin_expect(own < 1u << 15, 1))
		return own << 1;
	uint64_t other = zigzag48(addr - last);
	return other < own ? other << 1 | 1 : own << 1;
}

/* The 16 bits, address and number of a record that starts with now. There are no branches on what is common but hard to guess:
 * whether it comes as expected. *streak counts records that do. */
static inline uint8_t *put_access(struct norn_codec *c, unsigned place, uint8_t *p, pair now, unsigned *streak)
{
	struct context *x = &c->context[place];
	pair off = now - x->next;
	pair folded = (off + off) ^ (pair)((signed_pair)off >> 63); /* zigzag, of both */
	learn(x, now);
	uint64_t addr = now[0] >> 16, coded = code_addr(folded[0] >> 16, addr, c->addr), y = folded[1] >> 32;
	c->addr = addr;
	unsigned a = bytes_of(coded), v = bytes_of(y);
	v -= v >> 2; /* 4 bytes are 3 */
	*streak = coded | y ? 0 : *streak + 1;
	p = put(p, place | a << 10 | v << 13, 2);
	p = put(p, coded, a);
	return put(p, y, v + ((v + 1) >> 2));
}

static uint8_t *put_range(struct norn_codec *c, unsigned place, uint8_t *p, const uint64_t *r)
{
	unsigned runs = (unsigned)(r[2] >> 32), data = (uint32_t)r[2], streak = 0;
	uint32_t number = (uint32_t)r[3];
	p = put_access(c, place, p, pair_of(&c->context[place], norn_record_addr(r[0]), number), &streak);
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

/* Any record that is valid; *streak counts on only for those that may be part of a run. */
static __attribute__((noinline)) uint8_t *put_record(
        struct norn_codec *c, uint8_t *p, const uint64_t *r, enum shape shape, unsigned at, unsigned *streak)
{
	if (shape == SHAPE_ASIDE) {
		bool time = (r[0] & 15) == NORN_TAG_TIME;
		p = put(p, SPECIAL | (r[0] & 15), 2);
		p = put_varint(p, time ? zigzag((r[0] >> 8) - c->time) : r[0] >> 8);
		c->time = time ? r[0] >> 8 : c->time;
		return p;
	}
	uint64_t key = key_of(c, r, shape);
	unsigned place = choose(c, &p, key, at);
	unsigned aside = 0;
	switch (shape) {
	case SHAPE_KEY:
		c->frame = frame_of(key);
		return put(p, place, 2);
	case SHAPE_VALUE:
		return put_value(put(p, place, 2), r[1]);
	case SHAPE_RANGE:
		return put_range(c, place, p, r);
	case SHAPE_READ:
		return put_access(c, place, p, (pair){r[0], r[1]}, streak);
	case SHAPE_WRITE:
		return put_value(put_access(c, place, p, (pair){r[0], r[1]}, streak), r[2]);
	default:
		p = put_access(c, place, p, (pair){r[0], r[1]}, &aside);
		p = put_value(p, r[2]);
		p = put_varint(p, r[3]);
		return put_varint(p, r[4]);
	}
}

/* ---- the hot loop ---- */

/* For the tags of records that are two units and, if this is 1, a value: those that are common. 2: others. */
static const uint8_t hot_values[16] = {
        [NORN_TAG_NONE] = 2,
        [NORN_TAG_READ] = 0,
        [NORN_TAG_WRITE] = 1,
        [NORN_TAG_RMW] = 2,
        [NORN_TAG_EXT] = 1,
        [NORN_TAG_RANGE] = 2,
        [NORN_TAG_SYNC] = 1,
        [NORN_TAG_THREAD] = 2,
        [NORN_TAG_ENTER] = 2,
        [NORN_TAG_LEAVE] = 2,
        [NORN_TAG_VALUE] = 2,
        [NORN_TAG_ALLOC] = 1,
        [NORN_TAG_MARK] = 1,
        [NORN_TAG_TIME] = 2,
        [NORN_TAG_LOST] = 2,
        [15] = 2,
};

struct encoder {
	struct norn_codec *c;
	const uint64_t *raw;
	unsigned at, units;
	uint8_t *p;
	uint32_t records;
	unsigned streak; /* records that came as expected, up to here */
};

/* Encodes records until one needs more than the common case: it has another shape, a context must be made for it, it may begin a run,
 * or it may be cut off. */
static inline __attribute__((always_inline)) void encode_hot(struct encoder *e)
{
	struct norn_codec *c = e->c;
	const uint64_t *raw = e->raw, *r = raw + e->at, *end = raw + e->units;
	uint8_t *p = e->p;
	unsigned records = 0, streak = e->streak;
	for (; end - r >= 3 && streak < STREAK; records++) {
		unsigned has_value = hot_values[r[0] & 15];
		if (__builtin_expect(has_value > 1, 0))
			break;
		uint64_t key = (r[0] & 0xffff) | (uint64_t)(uint32_t)r[1] << 16;
		unsigned place = place_of(key);
		if (__builtin_expect(c->context[place].key != key, 0))
			break;
		c->context[place].last = (unsigned)(r - raw) + 1;
		pair now;
		memcpy(&now, r, sizeof now);
		p = put_access(c, place, p, now, &streak);
		/* Put in any case, but overwritten if there is none: that costs less than a wrong guess. */
		uint64_t value = r[2];
		unsigned n = bytes_of(value);
		*p = (uint8_t)n;
		put(p + 1, value, 0);
		p += (n + 1) & -has_value;
		r += 2 + has_value;
	}
	e->at = (unsigned)(r - e->raw);
	e->p = p;
	e->records += records;
	e->streak = streak;
}

static __attribute__((noinline)) void encode_hot_anywhere(struct encoder *e)
{
	encode_hot(e);
}

/* With one instruction for the length of a number: a quarter faster. */
static __attribute__((noinline, target("lzcnt"))) void encode_hot_lzcnt(struct encoder *e)
{
	encode_hot(e);
}

/* ---- runs ---- */

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

/* A run from here on, if there is one. */
static bool encode_run(struct encoder *e)
{
	unsigned period, events, run = find_run(e->c, e->raw, e->units, e->at, &period, &events);
	if (!run)
		return false;
	e->p = put(e->p, SPECIAL | RUN, 2);
	e->p = put_varint(e->p, period);
	e->p = put_varint(e->p, run / period);
	e->at += run;
	e->records += run / period * events;
	absorb(e->c, e->raw, e->at, period);
	return true;
}

size_t norn_codec_encode(
        struct norn_codec *c, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	struct encoder e = {.c = c, .raw = raw, .units = units, .p = to};
	__builtin_cpu_init();
	bool lzcnt = __builtin_cpu_supports("lzcnt");
	memset(c, 0, sizeof *c);
	for (;;) {
		if (lzcnt)
			encode_hot_lzcnt(&e);
		else
			encode_hot_anywhere(&e);
		bool maybe_run = e.streak >= STREAK;
		e.streak = maybe_run ? 0 : e.streak;
		if (maybe_run && encode_run(&e))
			continue;
		if (e.at >= units)
			break;
		const uint64_t *r = raw + e.at;
		enum shape shape = shape_of(r[0]);
		unsigned n = shape == SHAPE_ASIDE ? 1 : norn_record_units(r, units - e.at);
		if (!n)
			break;
		e.p = put_record(c, e.p, r, shape, e.at, &e.streak);
		e.at += n;
		e.records += is_event(shape);
	}
	if (e.at < units) {
		uint64_t lost = (uint64_t)(units - e.at) << 8 | NORN_TAG_LOST;
		e.p = put_record(c, e.p, &lost, SHAPE_ASIDE, e.at++, &e.streak);
	}
	*ret_records = e.records;
	*ret_units = e.at;
	return (size_t)(e.p - to);
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
	uint32_t number = expected_number(x);
	if (control >> 10) {
		uint64_t coded = take(d, control >> 10 & 7);
		addr = ((coded & 1 ? d->c->addr : addr) + unzigzag(coded >> 1)) & ADDR_MASK;
		number += (uint32_t)unzigzag(take(d, bytes[control >> 13 & 3]));
	}
	learn(x, pair_of(x, addr, number));
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
