/* Encoding. Runs inside the watched program: nothing is allocated, no libc beyond memcpy. */
#include <immintrin.h>
#include <string.h>

#include "trace/codec/codec_context.h"

#define STREAK 0xffu /* eight records as expected: a run is looked for */

/* Differences of 48-bit addresses and 32-bit numbers wrap around. */
static inline uint64_t zigzag48(uint64_t x)
{
	return zigzag((uint64_t)((int64_t)(x << 16) >> 16));
}

static inline uint32_t zigzag32(uint32_t x)
{
	return (x << 1) ^ (uint32_t)((int32_t)x >> 31);
}

static inline unsigned bytes_of(uint64_t x) /* 0 for 0 */
{
	return (71 - (unsigned)(x ? __builtin_clzll(x) : 64)) >> 3;
}

static inline uint8_t *put(uint8_t *p, uint64_t x, unsigned bytes)
{
	memcpy(p, &x, 8);
	return p + bytes;
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		*p++ = (uint8_t)x | 0x80;
	*p++ = (uint8_t)x;
	return p;
}

struct encoder {
	struct norn_codec *c;
	struct codec_context *before; /* of the last record */
	const uint64_t *raw;
	unsigned at, units;
	uint8_t *p;
	uint32_t records;
	uint32_t streak; /* a bit for each of the last records, the last one lowest: whether it came as expected */
	uint32_t wanted; /* bits of streak that must be set before a run is looked for; more after each that was not found */
};

/* ---- one record, anywhere ---- */

static inline unsigned number_code(uint32_t number)
{
	unsigned v = bytes_of(number);
	return v - (v >> 2); /* 4 bytes are 3 */
}

/* own: zigzag(address - expected) */
static inline uint8_t *put_far(uint8_t *p, uint64_t own, uint64_t addr, uint64_t last, uint32_t number, uint64_t value)
{
	uint64_t other = zigzag48(addr - last), nearer = other < own ? other : own;
	unsigned a = bytes_of(nearer), v = number_code(number), n = bytes_of(value), base = other < own;
	p = put(p, FAR | (v | base << 2) << 4 | (a | n << 4) << 8, 2);
	p = put(p, nearer, a);
	p = put(p, number, norn_codec_number_bytes[v]);
	return put(p, value, n);
}

static uint8_t *put_access(struct encoder *e, struct codec_context *x, uint8_t *p, pair now, uint64_t value)
{
	pair off = now - x->next;
	uint64_t own = zigzag48(off[0] >> 16), last = addr_of(e->before);
	uint32_t number = zigzag32((uint32_t)(off[1] >> 32));
	learn(x, now);
	if (own >> 24)
		return put_far(p, own, now[0] >> 16, last, number, value);
	unsigned a = bytes_of(own), v = number_code(number), n = bytes_of(value);
	*p = (uint8_t)(n | a << 4 | v << 6);
	p = put(p + 1, own, a);
	p = put(p, number, norn_codec_number_bytes[v]);
	return put(p, value, n);
}

static uint8_t *put_range(struct encoder *e, struct codec_context *x, uint8_t *p, const uint64_t *r)
{
	unsigned runs = (unsigned)(r[2] >> 32), data = (uint32_t)r[2];
	uint32_t number = (uint32_t)r[3];
	p = put_access(e, x, p, pair_of(x, norn_record_addr(r[0]), number), 0);
	p = put_varint(p, r[1] >> 32);
	p = put_varint(p, runs);
	for (unsigned i = 0; i < runs; i++) {
		uint64_t count = r[3 + i] >> 32, off = zigzag32((uint32_t)r[3 + i] - number); /* 0 for the first */
		if (__builtin_expect((count | off) < 0x80, 1)) {
			p = put(p, count | off << 8, 2);
			continue;
		}
		p = put_varint(put_varint(p, count), off);
	}
	p = put_varint(p, data);
	memcpy(p, &r[3 + runs], 8ul * data);
	return p + 8ul * data;
}

static uint8_t *put_aside(struct norn_codec *c, uint8_t *p, uint64_t unit)
{
	unsigned tag = norn_record_tag(unit);
	*p = (uint8_t)(ASIDE | tag << 4);
	if (tag != NORN_TAG_TIME)
		return put_varint(p + 1, unit >> 8);
	uint64_t off = zigzag((unit >> 8) - c->time);
	c->time = unit >> 8;
	return put_varint(p + 1, off);
}

static inline uint8_t *put_jump(struct norn_codec *c, struct codec_context *before, const struct codec_context *x, uint8_t *p)
{
	unsigned place = (unsigned)(x - c->context);
	set_successor(c, before, x);
	return put(p, JUMP | place >> 8 << 4 | (place & 0xff) << 8, 2);
}

/* The context of a record with this key; says so unless it is the one that is expected. */
static struct codec_context *choose(struct encoder *e, uint64_t key)
{
	struct norn_codec *c = e->c;
	struct codec_context *x = successor(c, e->before);
	if (x->key == key)
		return x;
	x = &c->context[place_of(key)];
	if (x->key == key) {
		e->p = put_jump(c, e->before, x, e->p);
	} else {
		norn_codec_renew(c, e->before, x, key);
		set_successor(c, e->before, x);
		*e->p = NEW;
		e->p = put(e->p + 1, key, 8);
	}
	e->streak = 0;
	return x;
}

/* Any record that is valid. Only those that may be part of a run count for the streak. */
static void put_record(struct encoder *e, enum shape shape)
{
	struct norn_codec *c = e->c;
	const uint64_t *r = e->raw + e->at;
	if (shape == SHAPE_ASIDE) {
		e->p = put_aside(c, e->p, r[0]);
		return;
	}
	uint64_t key = key_of(c, r, shape);
	struct codec_context *x = choose(e, key);
	uint8_t *p = e->p;
	switch (shape) {
	case SHAPE_KEY:
		c->frame = frame_of(key);
		keep_addr(e->before, x);
		*p++ = 0;
		break;
	case SHAPE_VALUE:
		keep_addr(e->before, x);
		*p = (uint8_t)bytes_of(r[1]);
		p = put(p + 1, r[1], *p);
		break;
	case SHAPE_RANGE:
		p = put_range(e, x, p, r);
		break;
	case SHAPE_WIDE:
		p = put_access(e, x, p, pair_of(x, norn_record_addr(r[0]), (uint32_t)(r[1] >> 32)), r[2]);
		p = put_varint(put_varint(p, r[3]), r[4]);
		break;
	default: {
		bool expected = r[0] == x->next[0] && r[1] == x->next[1];
		p = put_access(e, x, p, (pair){r[0], r[1]}, shape == SHAPE_WRITE ? r[2] : 0);
		e->streak = e->streak << 1 | expected;
	}
	}
	x->last = r;
	e->before = x;
	e->p = p;
}

/* ---- the hot loop ---- */

/* The bytes of a record are gathered in a vector: three of the address's difference, four of the number's, the upper three of the
 * address's, which are 0 unless it is far; later the value takes the upper half. These tables say, by which of the first seven are
 * 0 (a bit each), how many must be kept, and what that makes of the record's first byte; by that, where they go. */
#define KEPT_A(zeros) ((zeros) & 4 ? (zeros) & 2 ? (zeros) & 1 ? 0 : 1 : 2 : 3)
#define KEPT_V(zeros) (((zeros) & 0x60) != 0x60 ? 3 : (zeros) & 0x10 ? (zeros) & 8 ? 0 : 1 : 2)
#define CODE(zeros) (KEPT_A(zeros) << 4 | KEPT_V(zeros) << 6)
#define LENGTH(zeros) (1 + KEPT_A(zeros) + KEPT_V(zeros) + (KEPT_V(zeros) == 3))
#define FOUR(f, i) f(i), f((i) + 1), f((i) + 2), f((i) + 3)
#define SIXTEEN(f, i) FOUR(f, i), FOUR(f, (i) + 4), FOUR(f, (i) + 8), FOUR(f, (i) + 12)
#define SIXTY_FOUR(f, i) SIXTEEN(f, i), SIXTEEN(f, (i) + 16), SIXTEEN(f, (i) + 32), SIXTEEN(f, (i) + 48)
static const uint8_t codes[128] = {SIXTY_FOUR(CODE, 0), SIXTY_FOUR(CODE, 64)};
static const uint8_t lengths[128] = {
        SIXTY_FOUR(LENGTH, 0), SIXTY_FOUR(LENGTH, 64)}; /* without the value, the first byte included */
#define NEAR 0xff80u /* the zeros, and more, of a record that is not far */

#define VALUE_BYTES(leading_zeros) ((71 - (leading_zeros)) >> 3)
static const uint8_t value_bytes[65] = {SIXTY_FOUR(VALUE_BYTES, 0), 0};

#define VALUE 8, 9, 10, 11, 12, 13, 14, 15
#define NIL 0x80
/* By code: nothing for the first byte, address, number, value. */
static const uint8_t rows[16][16] __attribute__((aligned(16))) = {
        {NIL, VALUE},
        {NIL, 0, VALUE},
        {NIL, 0, 1, VALUE},
        {NIL, 0, 1, 2, VALUE},
        {NIL, 3, VALUE},
        {NIL, 0, 3, VALUE},
        {NIL, 0, 1, 3, VALUE},
        {NIL, 0, 1, 2, 3, VALUE},
        {NIL, 3, 4, VALUE},
        {NIL, 0, 3, 4, VALUE},
        {NIL, 0, 1, 3, 4, VALUE},
        {NIL, 0, 1, 2, 3, 4, VALUE},
        {NIL, 3, 4, 5, 6, VALUE},
        {NIL, 0, 3, 4, 5, 6, VALUE},
        {NIL, 0, 1, 3, 4, 5, 6, VALUE},
        {NIL, 0, 1, 2, 3, 4, 5, 6, VALUE},
};
#undef VALUE
#undef NIL

#define FAST __attribute__((noinline, target("avx2,lzcnt")))

/* Encodes records until one needs more than the common case: it has another shape, a context must be made for it, it may begin a
 * run, or it may be cut off. There are no branches on what is common but hard to guess, and few stores: the next record's place is
 * known late. */
static FAST void encode_hot(struct encoder *e)
{
	struct norn_codec *c = e->c;
	const uint64_t *raw = e->raw, *r = raw + e->at, *end = raw + e->units;
	struct codec_context *before = e->before;
	uint8_t *p = e->p;
	uint32_t records = 0, streak = e->streak, wanted = e->wanted;
	const __m128i none = _mm_setzero_si128(), key_mask = _mm_set_epi64x(UINT32_MAX, UINT16_MAX);
	const __m128i gather = _mm_setr_epi8(2, 3, 4, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, 5, 6, 7);
	for (; end - r >= 3 && (streak & wanted) != wanted; records++) {
		struct codec_context *x = successor(c, before);
		__m128i now = _mm_loadu_si128((const __m128i *)(const void *)r), off = _mm_sub_epi64(now, (__m128i)x->next);
		if (__builtin_expect(!_mm_testz_si128(off, key_mask), 0)) {
			uint64_t key = (r[0] & 0xffff) | (uint64_t)(uint32_t)r[1] << 16;
			x = &c->context[place_of(key)];
			if (x->key != key || !x->units)
				break;
			p = put_jump(c, before, x, p);
			off = _mm_sub_epi64(now, (__m128i)x->next);
			streak = 0;
		}
		uint64_t value = r[2] & x->value_mask;
		__m128i folded = _mm_xor_si128(_mm_add_epi64(off, off), _mm_cmpgt_epi64(none, off)); /* zigzag */
		folded = _mm_shuffle_epi8(folded, gather);
		unsigned zeros = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(folded, none));
		streak = streak * 2 + (zeros == 0xffff);
		if (__builtin_expect(zeros < NEAR, 0)) {
			uint64_t own = zigzag48((uint64_t)_mm_cvtsi128_si64(off) >> 16);
			uint32_t number = (uint32_t)((uint64_t)_mm_extract_epi64(off, 1) >> 32);
			p = put_far(p, own, r[0] >> 16, addr_of(before), zigzag32(number), value);
		} else {
			unsigned code = codes[zeros - NEAR], n = value_bytes[_lzcnt_u64(value)];
			folded = _mm_insert_epi64(folded, (long long)value, 1);
			folded = _mm_shuffle_epi8(folded, *(const __m128i *)(const void *)((const char *)rows + code));
			_mm_storeu_si128((__m128i *)(void *)p, _mm_insert_epi8(folded, (int)(code | n), 0));
			p += lengths[zeros - NEAR] + n;
		}
		learn(x, (pair)now);
		x->last = r;
		r += x->units;
		before = x;
	}
	e->before = before;
	e->at = (unsigned)(r - e->raw);
	e->p = p;
	e->records += records;
	e->streak = streak;
}

/* ---- runs ---- */

static inline bool goes_on(const uint64_t *u, unsigned period)
{
	return u[0] - u[-(long)period] == u[-(long)period] - u[-2 * (long)period];
}

/* The number of units from u on that continue the period. */
static inline __attribute__((always_inline)) unsigned count_going_on(const uint64_t *u, const uint64_t *end, long period)
{
	const uint64_t *start = u;
	for (; end - u >= 8; u += 8) {
		uint64_t differ = 0;
		for (long i = 0; i < 8; i++)
			differ |= (u[i] + u[i - 2 * period]) ^ (u[i - period] + u[i - period]);
		if (differ)
			break;
	}
	while (u < end && goes_on(u, (unsigned)period))
		u++;
	return (unsigned)(u - start);
}

static FAST unsigned count_going_on_fast(const uint64_t *u, const uint64_t *end, long period)
{
	return count_going_on(u, end, period);
}

/* The number of units from here on that continue the period of the record here; *ret_events: events in one period. */
static unsigned find_run(const struct encoder *e, bool fast, unsigned *ret_period, unsigned *ret_events)
{
	const uint64_t *raw = e->raw, *r = raw + e->at;
	unsigned at = e->at, units = e->units, n = at < units ? norn_codec_plain_units(r) : 0, events = 0;
	if (!n || at + n > units)
		return 0;
	uint64_t key = key_of(e->c, r, norn_codec_shape(r[0]));
	const struct codec_context *x = &e->c->context[place_of(key)];
	if (x->key != key || !x->last)
		return 0;
	unsigned period = (unsigned)(r - x->last);
	if (period > PERIOD_MOST || at < 2 * period || at + 2 * period > units || !goes_on(r, period))
		return 0;
	/* One period, record by record: tags must stay as they are, so that the records keep their lengths. */
	unsigned end = at;
	for (; end < at + period; end += n, events += is_event(norn_codec_shape(raw[end - n])))
		if (!(n = norn_codec_plain_units(raw + end)) || (raw[end] - raw[end - period]) & 0xffff)
			return 0;
	if (end != at + period)
		return 0;
	unsigned run = fast ? count_going_on_fast(r, raw + units, period) : count_going_on(r, raw + units, period);
	*ret_period = period;
	*ret_events = events;
	return run < 2 * period || run < 16 ? 0 : run / period * period;
}

/* A run from here on, if there is one. */
static bool encode_run(struct encoder *e, bool fast)
{
	unsigned period, events, run = find_run(e, fast, &period, &events);
	if (!run)
		return false;
	*e->p = RUN;
	e->p = put_varint(put_varint(e->p + 1, period), run / period);
	e->at += run;
	e->records += run / period * events;
	e->before = norn_codec_absorb(e->c, e->before, e->raw, e->at, period);
	return true;
}

/* ---- a block ---- */

static bool encode_next(struct encoder *e)
{
	if (e->at >= e->units)
		return false;
	enum shape shape = norn_codec_shape(e->raw[e->at]);
	unsigned n = shape == SHAPE_ASIDE ? 1 : norn_record_units(e->raw + e->at, e->units - e->at);
	if (!n)
		return false;
	put_record(e, shape);
	e->at += n;
	e->records += is_event(shape);
	return true;
}

static inline size_t encode(struct norn_codec *c, const uint64_t *raw, unsigned units, uint8_t *to, bool fast,
        uint32_t *ret_records, unsigned *ret_units)
{
	struct encoder e = {.c = c, .before = &c->first, .raw = raw, .units = units, .p = to, .wanted = STREAK};
	norn_codec_reset(c);
	do {
		if (fast)
			encode_hot(&e);
		while ((e.streak & e.wanted) == e.wanted) {
			bool found = encode_run(&e, fast);
			e.streak = 0;
			e.wanted = found ? STREAK : e.wanted << 4 | 15;
		}
	} while (encode_next(&e));
	if (e.at < units)
		e.p = put_aside(c, e.p, (uint64_t)(units - e.at++) << 8 | NORN_TAG_LOST);
	*ret_records = e.records;
	*ret_units = e.at;
	return (size_t)(e.p - to);
}

size_t norn_codec_encode(
        struct norn_codec *c, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	__builtin_cpu_init();
	bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("lzcnt");
	return encode(c, raw, units, to, fast, ret_records, ret_units);
}

size_t norn_codec_encode_anywhere(
        struct norn_codec *c, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	return encode(c, raw, units, to, false, ret_records, ret_units);
}
