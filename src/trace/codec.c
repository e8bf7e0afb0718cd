#include "trace/codec.h"

#include "trace/codec_model.h"

#define HOT static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline))

/* Writes all eight bytes; how many of them count is the caller's affair. */
HOT void put(uint8_t *p, uint64_t x)
{
	memcpy(p, &x, 8);
}

static uint8_t *put_varint(uint8_t *p, uint64_t x)
{
	while (x >= 0x80) {
		*p++ = (uint8_t)x | 0x80;
		x >>= 7;
	}
	*p++ = (uint8_t)x;
	return p;
}

static unsigned index_hash(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
}
static_assert(INDEX == 1u << (64 - 54), "index_hash uses the top bits");

/* The context of key, 0 if there is none; *ret_place is where it is or belongs in the index. */
static unsigned look_up(const struct norn_codec *c, uint64_t key, unsigned *ret_place)
{
	unsigned place = index_hash(key);
	while (c->index[place] && c->context[c->index[place]].key != key)
		place = (place + 1) % INDEX;
	*ret_place = place;
	return c->index[place];
}

static uint8_t *put_key(struct norn_codec *c, uint8_t *p, uint64_t key)
{
	unsigned tag = key & 15, sub = key >> 4 & 0xfff;
	if (tag == NORN_TAG_ENTER || tag == NORN_TAG_LEAVE) {
		uint32_t site = key >> 8 & SITE_MASK, other = key >> 36;
		*p++ = tag;
		p = put_varint(p, zigzag((int32_t)(site - c->site)));
		p = put_varint(p, tag == NORN_TAG_ENTER ? zigzag((int32_t)(other - site)) : other);
		c->site = site;
		return p;
	}
	*p++ = tag | (sub < 15 ? sub : 15) << 4;
	if (sub >= 15)
		p = put_varint(p, sub);
	if (tag == NORN_TAG_VALUE)
		return p;
	uint32_t site = key >> 16;
	p = put_varint(p, zigzag((int32_t)(site - c->site)));
	c->site = site;
	return p;
}

struct chosen {
	uint8_t *p;
	unsigned at;
};

/* Finds or makes the context of key, which is neither of the two expected, and writes which it is to p. */
COLD struct chosen put_context(struct norn_codec *c, uint8_t *p, uint64_t key, unsigned previous, unsigned position)
{
	unsigned place, at = look_up(c, key, &place);
	if (at == 0) {
		*p++ = NEW_CONTEXT;
		p = put_key(c, p, key);
		at = new_context(c, key, position);
		if (at == 1) { /* all were forgotten, the previous one, too */
			place = index_hash(key);
			previous = 0;
		}
		c->index[place] = at;
	} else if (at < 0xf0) {
		*p++ = at;
	} else {
		*p++ = 0xf0 + (at >> 8);
		*p++ = (uint8_t)at;
	}
	follow(c, previous, at);
	return (struct chosen){p, at};
}
static_assert(CONTEXTS >> 8 <= 0xfd - 0xf0, "the high part of a context's number fits");

/* An address that is not as predicted: by the nearest base and the difference to it. Returns the code for the header. */
COLD unsigned put_addr(struct norn_codec *c, struct context *x, uint8_t *p, uint64_t addr, unsigned position)
{
	uint64_t best = UINT64_MAX;
	unsigned best_base = 0;
	for (unsigned base = 0; base < RECENT; base++) {
		uint64_t z = zigzag((int64_t)((addr - base_addr(c, x, base, position)) << 16) >> 16);
		best_base = z < best ? base : best_base;
		best = z < best ? z : best;
	}
	uint64_t coded = best << 2 | best_base;
	learn_addr_miss(x, best_base, unzigzag(best));
	put(p, coded);
	return addr_code[bytes_of(coded)];
}

/* Returns the code for the header. */
static inline unsigned put_number(uint8_t *p, uint32_t number, uint32_t predicted)
{
	int32_t d = (int32_t)(number - predicted);
	uint32_t z = (uint32_t)d << 1 ^ (uint32_t)(d >> 31);
	unsigned bytes = bytes_of(z);
	put(p, z);
	return bytes < 3 ? bytes : 3;
}

/* A value code:
 *   0 … 0x7f              zigzag(difference to the last value)
 *   0x80 + (m<<3) + n - 1, n bytes: m 0 zigzag(difference), 1 the value, 2 its high bytes, 3 zigzag(difference to the address)
 *   0xa0, a byte          the value of that number in the dictionary */
COLD uint8_t *put_value(struct norn_codec *c, const struct context *x, uint8_t *p, uint64_t value, uint64_t addr)
{
	uint64_t mask = x->mask, z = zigzag(narrow(value - x->value, mask)), near = zigzag((int64_t)(value - addr));
	bool narrowed = value <= mask; /* else only the whole value will do */
	if (z < 0x80 && narrowed) {
		*p = z;
		return p + 1;
	}
	/* Values that get here have no pattern, so neither has what is best for them: conditional moves, not branches. */
	unsigned n = bytes_of(value), z_bytes = narrowed ? bytes_of(z) : 8, near_bytes = bytes_of(near);
	unsigned high_bytes = 8 - (unsigned)__builtin_ctzll(value | UINT64_C(1) << 63) / 8;
	unsigned code = 0x88;
	uint64_t coded = value;
	code = z_bytes < n ? 0x80 : code;
	coded = z_bytes < n ? z : coded;
	n = z_bytes < n ? z_bytes : n;
	code = high_bytes < n ? 0x90 : code;
	coded = high_bytes < n ? value >> 8 * (8 - high_bytes) : coded;
	n = high_bytes < n ? high_bytes : n;
	code = near_bytes < n ? 0x98 : code;
	coded = near_bytes < n ? near : coded;
	n = near_bytes < n ? near_bytes : n;
	unsigned hash = value_hash(value);
	bool known = n > 1 && c->dictionary[hash] == value;
	c->dictionary[hash] = n > 1 ? value : c->dictionary[hash];
	*p = known ? DICTIONARY_VALUE : code + n - 1;
	put(p + 1, known ? hash : coded);
	return p + 1 + (known ? 1 : n);
}

/* Its parts live in registers: what is hot is inlined, the rest gets them by value. */
struct encoder {
	struct norn_codec *c;
	uint8_t *p;
	unsigned run; /* records as predicted that are not written yet: fewer than RUN_MOST */
	unsigned previous, position; /* as in struct norn_codec */
};

/* A record is written to where it goes if the run ends: one byte further if there is a run. */
HOT uint8_t *place(const struct encoder *e)
{
	return e->p + (e->run != 0);
}

HOT void finish(struct encoder *e, unsigned header, uint8_t *end)
{
	if (__builtin_expect(header == EXPECTED, 1)) {
		if (__builtin_expect(++e->run == RUN_MOST, 0)) {
			*e->p++ = RUN_MOST - 1;
			e->run = 0;
		}
		return;
	}
	*e->p = e->run - 1; /* overwritten at once if there is no run */
	*place(e) = header;
	e->run = 0;
	e->p = end;
}

/* Finds the context of key; writes which it is to *p if it is none of the two expected. */
HOT struct context *choose_context(struct encoder *e, uint64_t key, unsigned *header, uint8_t **p)
{
	struct norn_codec *c = e->c;
	struct context *previous = &c->context[e->previous];
	unsigned at = previous->next[0];
	*header = EXPECTED;
	if (__builtin_expect(c->context[at].key != key, 0)) {
		unsigned latest = at;
		at = previous->next[1];
		*header = SECOND;
		if (c->context[at].key == key) {
			previous->next[0] = at;
			previous->next[1] = latest;
		} else {
			struct chosen chosen = put_context(c, *p, key, e->previous, e->position);
			*header = EXPLICIT;
			*p = chosen.p;
			at = chosen.at;
		}
	}
	e->previous = at;
	return &c->context[at];
}

HOT uint8_t *encode_addr(struct encoder *e, struct context *x, uint8_t *p, uint64_t addr, unsigned *header)
{
	if (__builtin_expect(predict_addr(e->c, x, e->position) == addr, 1)) {
		x->addr_missed = 0;
	} else {
		unsigned code = put_addr(e->c, x, p, addr, e->position);
		*header |= code << 3;
		p += addr_bytes[code];
	}
	push_addr(e->c, x, addr, &e->position);
	return p;
}

HOT uint8_t *encode_number(uint8_t *p, uint32_t number, uint32_t predicted, unsigned *header)
{
	if (__builtin_expect(number == predicted, 1))
		return p;
	unsigned code = put_number(p, number, predicted);
	*header |= code << 1;
	return p + number_bytes[code];
}

HOT uint8_t *encode_value(struct encoder *e, struct context *x, uint8_t *p, uint64_t value, uint64_t addr, unsigned *header)
{
	bool hit = value == predict_value(x);
	if (!hit) {
		*header |= CODED_VALUE;
		p = put_value(e->c, x, p, value, addr);
	}
	learn_value(x, value, hit);
	return p;
}

/* READ, WRITE and all others whose fields the table traits describes. */
HOT void encode_plain(struct encoder *e, const uint64_t *r, uint64_t key, unsigned trait)
{
	unsigned header;
	uint8_t *p = place(e) + 1;
	struct context *x = choose_context(e, key, &header, &p);
	uint64_t addr = norn_record_addr(r[0]);
	uint32_t number = trait & NUMBER ? r[1] >> 32 : 0;
	if (trait & ADDR)
		p = encode_addr(e, x, p, addr, &header);
	if (trait & STAMP) {
		struct stamp s = predict_version(e->c, x, addr, trait & MADE ? 1 : 0);
		p = encode_number(p, number, s.predicted, &header);
		learn_version(x, &s, number);
	} else if (trait & NUMBER) {
		p = encode_number(p, number, x->number, &header);
		x->number = number;
	}
	if (trait & VALUE)
		p = encode_value(e, x, p, r[trait & NUMBER ? 2 : 1], addr, &header);
	finish(e, header, p);
}

/* An rmw of 16 bytes: as a plain one, then the upper half. */
static void encode_wide(struct encoder *e, const uint64_t *r, uint64_t key)
{
	struct norn_codec *c = e->c;
	unsigned header;
	uint8_t *p = place(e) + 1;
	struct context *x = choose_context(e, key, &header, &p);
	uint64_t addr = norn_record_addr(r[0]);
	uint32_t version = r[1] >> 32;
	p = encode_addr(e, x, p, addr, &header);
	struct stamp s = predict_version(c, x, addr, 1);
	p = encode_number(p, version, s.predicted, &header);
	learn_version(x, &s, version);
	header |= CODED_VALUE;
	memcpy(p, &r[2], 24);
	finish(e, header, p + 24);
}

/* The versions of a range's words, run by run. */
static uint8_t *put_runs(struct norn_codec *c, struct context *x, uint8_t *p, const uint64_t *r, uint32_t made)
{
	uint64_t addr = norn_record_addr(r[0]);
	uint32_t runs = r[2] >> 32;
	p = put_varint(p, r[1] >> 32);
	p = put_varint(p, runs);
	for (uint32_t i = 0; i < runs; i++) {
		uint32_t count = r[3 + i] >> 32, version = (uint32_t)r[3 + i];
		struct stamp s = predict_version(c, x, addr, made);
		if (i + 1 < runs)
			p = put_varint(p, count);
		p = put_varint(p, zigzag((int32_t)(version - s.predicted)));
		learn_run(c, x, &s, addr, count, version);
		addr += 8 * (uint64_t)count;
	}
	return p;
}

static void encode_range(struct encoder *e, const uint64_t *r, uint64_t key)
{
	struct norn_codec *c = e->c;
	unsigned header;
	uint8_t *p = place(e) + 1;
	struct context *x = choose_context(e, key, &header, &p);
	uint64_t addr = norn_record_addr(r[0]);
	uint32_t runs = r[2] >> 32, bytes = r[1] >> 32, made = range_made(norn_record_sub(r[0]));
	p = encode_addr(e, x, p, addr, &header);
	struct stamp s = predict_version(c, x, addr, made);
	if (runs == 1 && bytes == x->bytes && (uint32_t)r[3] == s.predicted) {
		learn_run(c, x, &s, addr, r[3] >> 32, (uint32_t)r[3]);
	} else {
		header |= CODED_RUNS;
		p = put_runs(c, x, p, r, made);
	}
	x->bytes = bytes;
	if (norn_record_sub(r[0]) == NORN_RANGE_WRITE) {
		header |= CODED_VALUE;
		memcpy(p, &r[3 + runs], bytes);
		p += bytes;
	} else if (r[2] & UINT32_MAX) {
		p = encode_value(e, x, p, r[3 + runs], addr, &header);
	}
	finish(e, header, p);
}

/* TIME and LOST, which stand between the records of a thread without a site. */
static void encode_aside(struct encoder *e, uint64_t unit)
{
	uint8_t *p = place(e) + 1;
	uint64_t x = unit >> 8;
	if (norn_record_tag(unit) == NORN_TAG_TIME) {
		*p++ = ASIDE_TIME;
		x = zigzag((int64_t)(x - e->c->time));
		e->c->time = unit >> 8;
	} else {
		*p++ = ASIDE_LOST;
	}
	finish(e, EXPLICIT, put_varint(p, x));
}

HOT uint64_t scalar_key(const uint64_t *r)
{
	return (uint64_t)(uint32_t)r[1] << 16 | (uint16_t)r[0];
}

/* Whether the unit begins a read, or a write, of one word: what norn_record_units says, inlined. */
HOT bool is_scalar(uint64_t unit, unsigned tag)
{
	return (unit & ~UINT64_C(0x30) & 0xffff) == tag && ((unit >> 16 & 7) + (1u << (unit >> 4 & 3))) <= 8;
}

/* Whether the record is coded as a write, but is none. */
HOT bool is_like_write(const uint64_t *r, unsigned available)
{
	unsigned tag = norn_record_tag(r[0]);
	return tag != NORN_TAG_WRITE && traits[tag] == WRITE_TRAITS && norn_record_units(r, available) == 3;
}

HOT bool is_call(uint64_t unit)
{
	return (unit & 0xff) == NORN_TAG_ENTER || (unit & 0xff) == NORN_TAG_LEAVE;
}

HOT void encode_call(struct encoder *e, const uint64_t *r)
{
	encode_plain(e, r, r[0], 0);
	e->c->frame = r[0] >> 8 & SITE_MASK;
}

HOT bool is_event(uint64_t unit)
{
	unsigned tag = norn_record_tag(unit);
	return tag != NORN_TAG_TIME && tag != NORN_TAG_VALUE && tag != NORN_TAG_LOST;
}

/* All other kinds, one record. */
COLD struct encoder encode(struct encoder e, const uint64_t *r)
{
	unsigned tag = norn_record_tag(r[0]);
	switch (tag) {
	case NORN_TAG_TIME:
	case NORN_TAG_LOST:
		encode_aside(&e, r[0]);
		break;
	case NORN_TAG_VALUE:
		encode_plain(&e, r, (uint64_t)e.c->frame << 16 | (uint16_t)r[0], VALUE);
		break;
	case NORN_TAG_RANGE:
		encode_range(&e, r, scalar_key(r));
		break;
	case NORN_TAG_RMW:
		if (norn_record_sub(r[0]) == 4) {
			encode_wide(&e, r, scalar_key(r));
			break;
		}
		/* fall through */
	default:
		encode_plain(&e, r, scalar_key(r), traits[tag]);
	}
	return e;
}

size_t norn_codec_bytes(void)
{
	return sizeof(struct norn_codec);
}

/* A record of one unit can become 13 bytes: header, 0xff, tag, and two sites of 5 each; longer ones need less per unit. The rest is
 * for the eight bytes that put writes at once, and for the LOST record that an invalid one makes. */
size_t norn_codec_bound(unsigned units)
{
	return (size_t)units * 13 + 64;
}

/* The inner loop of it all. Reads and writes, which most records are, and calls have their own copies of encode_plain. */
size_t norn_codec_encode(
        struct norn_codec *codec, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	start(codec);
	struct encoder e = {.c = codec, .p = to};
	uint32_t records = 0;
	unsigned i = 0;
	while (i < units) {
		const uint64_t *r = raw + i;
		unsigned n = 0;
		if (__builtin_expect(is_scalar(r[0], NORN_TAG_READ) && units - i >= 2, 1)) {
			n = 2;
			encode_plain(&e, r, scalar_key(r), READ_TRAITS);
			records++;
		} else if (__builtin_expect(
		                   (is_scalar(r[0], NORN_TAG_WRITE) && units - i >= 3) || is_like_write(r, units - i), 1)) {
			n = 3;
			encode_plain(&e, r, scalar_key(r), WRITE_TRAITS);
			records++;
		} else if (is_call(r[0])) {
			n = 1;
			encode_call(&e, r);
			records++;
		} else if ((n = norn_record_units(r, units - i))) {
			e = encode(e, r);
			records += is_event(r[0]);
		} else {
			encode_aside(&e, (uint64_t)(units - i) << 8 | NORN_TAG_LOST);
			i++;
			break;
		}
		i += n;
	}
	*e.p = e.run - 1;
	*ret_records = records;
	*ret_units = i;
	return (size_t)(place(&e) - to);
}
