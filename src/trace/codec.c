/* The format, in bytes. Every record but TIME and LOST has a context: all records of one site, kind and subcode (ENTER: and call
 * site) share one. A context predicts address, version or number, and value; each context also remembers which two came after it.
 *
 *   0b00nnnnnn            n + 1 records of which everything is as predicted
 *   0bmmaaavvw            one record: m says which context, a how the address, v how the number, w whether the value is coded
 *     m 1, 2              the context that came last, or the one before, after this one
 *     m 3, then a byte    0x00 … 0xef: context of that number; 0xf0 + h, l: context h<<8 | l; 0xff: a new context, described next;
 *                         0xfd: LOST, 0xfe: TIME (no context, no other fields)
 *     a 0                 as predicted; 1 … 6: 1, 2, 3, 4, 5, 7 bytes: zigzag(difference)<<2 | which base
 *     v 0                 as predicted; 1, 2, 3: 1, 2, 4 bytes: zigzag(difference); of a RANGE 1: a list of runs
 *     w 0                 as predicted; 1: a value code (put_value)
 *
 * The address is predicted as a base plus a step; the base is the context's own last address or one of the last three addresses of
 * the thread (an element that was read is written next; fields of one node). The step is given up only after two misses, so the
 * start of a new row costs one miss. The version is predicted from a table of words touched lately, else from the last word that
 * this context met first (an array written once has the same version everywhere). */
#include "trace/codec.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "trace/record.h"

#define CONTEXTS 512u /* when they run out all are forgotten */
#define INDEX 1024u
#define WORDS 2048u
#define RECENT 4u
#define DICTIONARY 256u
#define ADDR_MASK (UINT64_MAX >> 16)
#define SITE_MASK ((1u << NORN_SITE_BITS) - 1)

/* Header bytes, and those that follow EXPLICIT or a coded value. */
enum { EXPECTED = 0x40, SECOND = 0x80, EXPLICIT = 0xc0, CODED_RUNS = 2, CODED_VALUE = 1 };
enum { ASIDE_LOST = 0xfd, ASIDE_TIME = 0xfe, NEW_CONTEXT = 0xff };
enum { DICTIONARY_VALUE = 0xa0 };

struct context {
	uint64_t key; /* what it is the context of; the tag is in the low 4 bits */
	uint64_t addr; /* last */
	uint64_t step; /* predicted: base + step */
	uint64_t value; /* last */
	uint64_t value_step; /* predicted: value + value_step */
	uint32_t number; /* last version of a word that was not in the table; else the last number */
	uint32_t bytes; /* RANGE: last length */
	uint16_t next[2]; /* contexts that came after this one, the latest first; 0: none */
	uint8_t base; /* 0: addr, else how many addresses back */
	uint8_t addr_missed, value_missed; /* the last prediction failed: the next failure changes the step */
};

struct word {
	uint32_t tag; /* hash of the address, never 0 */
	uint32_t version; /* last seen or made */
};

struct norn_codec {
	struct context context[CONTEXTS]; /* 0 is no context, but what comes before the first record */
	struct word words[WORDS];
	uint64_t dictionary[DICTIONARY]; /* values coded lately, by hash */
	uint16_t index[INDEX]; /* contexts by hash of their keys, 0: free. Encoder only. */
	uint64_t recent[RECENT]; /* the last addresses */
	unsigned position; /* of the next one in recent */
	unsigned count; /* contexts in use */
	unsigned previous; /* context of the last record */
	uint32_t site; /* of the last new context */
	uint32_t frame; /* site of the last ENTER or LEAVE: VALUE records belong to it */
	uint64_t time; /* last TIME */
};

/* What the records of each kind consist of. */
enum { ADDR = 1, NUMBER = 2, STAMP = 4, MADE = 8, VALUE = 16 };
static const uint8_t traits[16] = {
        [NORN_TAG_READ] = ADDR | NUMBER | STAMP,
        [NORN_TAG_WRITE] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_RMW] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_EXT] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_SYNC] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_ALLOC] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_THREAD] = NUMBER | VALUE,
        [NORN_TAG_MARK] = NUMBER | VALUE,
        [NORN_TAG_VALUE] = VALUE,
};

static const uint8_t addr_bytes[8] = {0, 1, 2, 3, 4, 5, 7, 8};
static const uint8_t addr_code[9] = {1, 1, 2, 3, 4, 5, 6, 6, 7};

/* ---- both directions ---- */

static uint64_t zigzag(int64_t x)
{
	return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static uint64_t unzigzag(uint64_t x)
{
	return x >> 1 ^ -(x & 1);
}

static unsigned bytes_of(uint64_t x)
{
	return (71 - (unsigned)__builtin_clzll(x | 1)) / 8;
}

static uint64_t value_mask(uint64_t key)
{
	unsigned tag = key & 15, sub = key >> 4 & 0xfff;
	return (tag == NORN_TAG_WRITE || tag == NORN_TAG_RMW) && sub < 3 ? (UINT64_C(1) << (8u << sub)) - 1 : ~UINT64_C(0);
}

/* Sign-extends a difference to the width of mask. */
static int64_t narrow(uint64_t difference, uint64_t mask)
{
	unsigned spare = (unsigned)__builtin_clzll(mask);
	return (int64_t)(difference << spare) >> spare;
}

static unsigned value_hash(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

static void forget_contexts(struct norn_codec *c)
{
	memset(c->index, 0, sizeof c->index);
	memset(&c->context[0], 0, sizeof c->context[0]);
	c->count = 1;
	c->previous = 0;
}

static void start(struct norn_codec *c)
{
	memset(&c->words, 0, sizeof *c - offsetof(struct norn_codec, words));
	forget_contexts(c);
}

static unsigned new_context(struct norn_codec *c, uint64_t key)
{
	if (c->count == CONTEXTS)
		forget_contexts(c);
	c->context[c->count] = (struct context){
	        .key = key, .addr = c->recent[(c->position - 1) % RECENT], .number = 1, .addr_missed = 1, .value_missed = 1};
	return c->count++;
}

/* Context number at follows the previous one. */
static void follow(struct norn_codec *c, unsigned at)
{
	struct context *previous = &c->context[c->previous];
	if (previous->next[0] != at) {
		previous->next[1] = previous->next[0];
		previous->next[0] = at;
	}
	c->previous = at;
}

static inline uint64_t base_addr(const struct norn_codec *c, const struct context *x, unsigned base)
{
	return base ? c->recent[(c->position - base) % RECENT] : x->addr;
}

static inline uint64_t predict_addr(const struct norn_codec *c, const struct context *x)
{
	return (base_addr(c, x, x->base) + x->step) & ADDR_MASK;
}

static inline void learn_addr_miss(struct context *x, unsigned base, uint64_t step)
{
	if (x->addr_missed) {
		x->base = base;
		x->step = step;
	}
	x->addr_missed = 1;
}

static inline void push_addr(struct norn_codec *c, struct context *x, uint64_t addr)
{
	x->addr = addr;
	c->recent[c->position++ % RECENT] = addr;
}

static inline struct word *find_word(struct norn_codec *c, uint64_t addr, uint32_t *ret_tag)
{
	uint64_t hash = (addr >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	*ret_tag = (uint32_t)hash | 1;
	return &c->words[hash >> 53];
}
static_assert(WORDS == 1u << (64 - 53), "find_word uses the top bits");

/* The version of the word at addr: predicts from the table, made is 1 if the record makes a new one. */
struct stamp {
	struct word *word;
	uint32_t tag, predicted;
	bool fresh; /* not in the table */
};

static inline struct stamp predict_version(struct norn_codec *c, const struct context *x, uint64_t addr, uint32_t made)
{
	struct stamp s;
	s.word = find_word(c, addr, &s.tag);
	s.fresh = s.word->tag != s.tag;
	s.predicted = s.fresh ? x->number : s.word->version + made;
	return s;
}

static inline void learn_version(struct context *x, struct stamp *s, uint32_t version)
{
	*s->word = (struct word){s->tag, version};
	if (s->fresh)
		x->number = version;
}

/* A range's run of words: the first few of them enter the table, enough for vectors and small structs. */
static void learn_run(struct norn_codec *c, struct context *x, struct stamp *s, uint64_t addr, uint64_t words, uint32_t version)
{
	learn_version(x, s, version);
	for (uint64_t i = 1; i < words && i < 8; i++) {
		uint32_t tag;
		struct word *word = find_word(c, addr + 8 * i, &tag);
		*word = (struct word){tag, version};
	}
}

static uint32_t range_made(unsigned sub)
{
	return sub != NORN_RANGE_READ && sub != NORN_RANGE_COPY_FROM;
}

static inline void learn_value(struct context *x, uint64_t value, bool hit)
{
	if (!hit) {
		if (x->value_missed)
			x->value_step = value - x->value;
		x->value_missed = 1;
	} else {
		x->value_missed = 0;
	}
	x->value = value;
}

/* ---- encoding ---- */

static uint8_t *put(uint8_t *p, uint64_t x, unsigned bytes)
{
	memcpy(p, &x, 8);
	return p + bytes;
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

/* Finds or makes the context of key, which is neither of the two expected; writes which it is. */
static __attribute__((noinline)) unsigned put_context(struct norn_codec *c, uint8_t **p, uint64_t key)
{
	unsigned place, at = look_up(c, key, &place);
	uint8_t *to = *p;
	if (!at) {
		*to++ = NEW_CONTEXT;
		*p = put_key(c, to, key);
		at = new_context(c, key);
		if (at == 1) /* all were forgotten */
			place = index_hash(key);
		c->index[place] = at;
		return at;
	}
	if (at < 0xf0) {
		*to++ = at;
	} else {
		*to++ = 0xf0 + (at >> 8);
		*to++ = (uint8_t)at;
	}
	*p = to;
	return at;
}
static_assert(CONTEXTS >> 8 <= 0xfd - 0xf0, "the high part of a context's number fits");

/* The nearest base, and the difference to it. */
static inline uint64_t nearest(const struct norn_codec *c, const struct context *x, uint64_t addr, unsigned *ret_base)
{
	uint64_t best = UINT64_MAX;
	for (unsigned base = 0; base < RECENT; base++) {
		uint64_t z = zigzag((int64_t)((addr - base_addr(c, x, base)) << 16) >> 16);
		if (z < best) {
			best = z;
			*ret_base = base;
		}
	}
	return best;
}

static uint8_t *put_addr(struct norn_codec *c, struct context *x, uint8_t *p, uint64_t addr, uint8_t *header)
{
	unsigned base = 0;
	uint64_t z = nearest(c, x, addr, &base), coded = z << 2 | base;
	unsigned code = addr_code[bytes_of(coded)];
	learn_addr_miss(x, base, unzigzag(z));
	*header |= code << 3;
	return put(p, coded, addr_bytes[code]);
}

static uint8_t *put_number(uint8_t *p, uint32_t number, uint32_t predicted, uint8_t *header)
{
	int32_t d = (int32_t)(number - predicted);
	uint32_t z = (uint32_t)d << 1 ^ (uint32_t)(d >> 31);
	unsigned code = z < 0x100 ? 1 : z < 0x10000 ? 2 : 3;
	*header |= code << 1;
	return put(p, z, code == 3 ? 4 : code);
}

/* A value code:
 *   0 … 0x7f              zigzag(difference to the last value)
 *   0x80 + (m<<3) + n - 1, n bytes: m 0 zigzag(difference), 1 the value, 2 its high bytes, 3 zigzag(difference to the address)
 *   0xa0, a byte          the value of that number in the dictionary */
static uint8_t *put_value(struct norn_codec *c, const struct context *x, uint8_t *p, uint64_t value, uint64_t addr)
{
	uint64_t mask = value_mask(x->key), z = zigzag(narrow(value - x->value, mask)), near = zigzag((int64_t)(value - addr));
	bool narrowed = value <= mask; /* else only the whole value will do */
	if (z < 0x80 && narrowed) {
		*p++ = z;
		return p;
	}
	unsigned high = value ? 8 - (unsigned)__builtin_ctzll(value) / 8 : 1, mode = 1, n = bytes_of(value);
	if (bytes_of(z) < n && narrowed)
		n = bytes_of(z), mode = 0;
	if (high < n)
		n = high, mode = 2;
	if (bytes_of(near) < n)
		n = bytes_of(near), mode = 3;
	if (n > 1) {
		unsigned hash = value_hash(value);
		if (c->dictionary[hash] == value) {
			*p++ = DICTIONARY_VALUE;
			*p++ = hash;
			return p;
		}
		c->dictionary[hash] = value;
	}
	*p++ = 0x80 + (mode << 3) + n - 1;
	return put(p, mode == 0 ? z : mode == 1 ? value : mode == 2 ? value >> 8 * (8 - n) : near, n);
}

struct encoder {
	struct norn_codec *c;
	uint8_t *p;
	unsigned run; /* records as predicted that are not written yet: up to 63 */
};

/* A record is written to where it goes if the run ends: one byte further if there is a run. */
static inline uint8_t *place(const struct encoder *e)
{
	return e->p + (e->run != 0);
}

static inline void finish(struct encoder *e, uint8_t header, uint8_t *end)
{
	if (__builtin_expect(header == EXPECTED, 1)) {
		if (++e->run == 64) {
			*e->p++ = 63;
			e->run = 0;
		}
		return;
	}
	if (e->run)
		*e->p++ = e->run - 1;
	e->run = 0;
	*e->p = header;
	e->p = end;
}

/* Finds the context of key and writes which it is to *p if it is none of the two expected. */
static inline struct context *choose_context(struct norn_codec *c, uint64_t key, uint8_t *header, uint8_t **p)
{
	struct context *previous = &c->context[c->previous];
	unsigned at = previous->next[0];
	*header = EXPECTED;
	if (__builtin_expect(c->context[at].key == key, 1)) {
		c->previous = at;
		return &c->context[at];
	}
	at = previous->next[1];
	if (c->context[at].key == key) {
		*header = SECOND;
	} else {
		*header = EXPLICIT;
		at = put_context(c, p, key);
	}
	follow(c, at);
	return &c->context[at];
}

static inline uint8_t *encode_addr(struct norn_codec *c, struct context *x, uint8_t *p, uint64_t addr, uint8_t *header)
{
	if (__builtin_expect(predict_addr(c, x) == addr, 1))
		x->addr_missed = 0;
	else
		p = put_addr(c, x, p, addr, header);
	push_addr(c, x, addr);
	return p;
}

static inline uint8_t *encode_value(
        struct norn_codec *c, struct context *x, uint8_t *p, uint64_t value, uint64_t addr, uint8_t *header)
{
	bool hit = value == ((x->value + x->value_step) & value_mask(x->key));
	if (!hit) {
		*header |= CODED_VALUE;
		p = put_value(c, x, p, value, addr);
	}
	learn_value(x, value, hit);
	return p;
}

/* READ, WRITE and all others whose fields the table traits describes. */
static inline void encode_plain(struct encoder *e, const uint64_t *r, uint64_t key, unsigned trait)
{
	struct norn_codec *c = e->c;
	uint8_t header, *p = place(e) + 1;
	struct context *x = choose_context(c, key, &header, &p);
	uint64_t addr = norn_record_addr(r[0]);
	if (trait & ADDR)
		p = encode_addr(c, x, p, addr, &header);
	if (trait & STAMP) {
		uint32_t version = r[1] >> 32;
		struct stamp s = predict_version(c, x, addr, trait & MADE ? 1 : 0);
		if (version != s.predicted)
			p = put_number(p, version, s.predicted, &header);
		learn_version(x, &s, version);
	} else if (trait & NUMBER) {
		uint32_t number = r[1] >> 32;
		if (number != x->number)
			p = put_number(p, number, x->number, &header);
		x->number = number;
	}
	if (trait & VALUE)
		p = encode_value(c, x, p, r[trait & NUMBER ? 2 : 1], addr, &header);
	finish(e, header, p);
}

/* An rmw of 16 bytes: as a plain one, then the upper half. */
static void encode_wide(struct encoder *e, const uint64_t *r, uint64_t key)
{
	struct norn_codec *c = e->c;
	uint8_t header, *p = place(e) + 1;
	struct context *x = choose_context(c, key, &header, &p);
	uint64_t addr = norn_record_addr(r[0]);
	uint32_t version = r[1] >> 32;
	p = encode_addr(c, x, p, addr, &header);
	struct stamp s = predict_version(c, x, addr, 1);
	if (version != s.predicted)
		p = put_number(p, version, s.predicted, &header);
	learn_version(x, &s, version);
	header |= CODED_VALUE;
	p = put(p, r[2], 8);
	p = put(p, r[3], 8);
	p = put(p, r[4], 8);
	finish(e, header, p);
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
	uint8_t header, *p = place(e) + 1;
	struct context *x = choose_context(c, key, &header, &p);
	uint64_t addr = norn_record_addr(r[0]);
	uint32_t runs = r[2] >> 32, bytes = r[1] >> 32, made = range_made(norn_record_sub(r[0]));
	p = encode_addr(c, x, p, addr, &header);
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
		p = encode_value(c, x, p, r[3 + runs], addr, &header);
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

static inline void encode(struct encoder *e, const uint64_t *r, uint32_t *records)
{
	unsigned tag = norn_record_tag(r[0]);
	uint64_t key;
	switch (tag) {
	case NORN_TAG_TIME:
	case NORN_TAG_LOST:
		encode_aside(e, r[0]);
		return;
	case NORN_TAG_ENTER:
	case NORN_TAG_LEAVE:
		encode_plain(e, r, r[0], 0);
		e->c->frame = r[0] >> 8 & SITE_MASK;
		break;
	case NORN_TAG_VALUE:
		encode_plain(e, r, (uint64_t)e->c->frame << 16 | (uint16_t)r[0], VALUE);
		return;
	case NORN_TAG_RANGE:
		encode_range(e, r, (uint64_t)(uint32_t)r[1] << 16 | (uint16_t)r[0]);
		break;
	default:
		key = (uint64_t)(uint32_t)r[1] << 16 | (uint16_t)r[0];
		if (tag == NORN_TAG_RMW && norn_record_sub(r[0]) == 4)
			encode_wide(e, r, key);
		else
			encode_plain(e, r, key, traits[tag]);
	}
	++*records;
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

size_t norn_codec_encode(
        struct norn_codec *codec, const uint64_t *raw, unsigned units, uint8_t *to, uint32_t *ret_records, unsigned *ret_units)
{
	struct encoder e = {codec, to, 0};
	uint32_t records = 0;
	unsigned i = 0;
	start(codec);
	while (i < units) {
		unsigned n = norn_record_units(raw + i, units - i);
		if (n == 0) {
			encode_aside(&e, (uint64_t)(units - i) << 8 | NORN_TAG_LOST);
			i++;
			break;
		}
		encode(&e, raw + i, &records);
		i += n;
	}
	if (e.run)
		*e.p++ = e.run - 1;
	*ret_records = records;
	*ret_units = i;
	return (size_t)(e.p - to);
}

/* ---- decoding ---- */

struct decoder {
	struct norn_codec *c;
	const uint8_t *p, *end;
	uint64_t *to; /* next unit */
	uint64_t *to_end;
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
		return new_context(d->c, key);
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
		addr = predict_addr(c, x);
		x->addr_missed = 0;
	} else {
		uint64_t coded = take(d, addr_bytes[code]), step = unzigzag(coded >> 2);
		addr = (base_addr(c, x, coded & 3) + step) & ADDR_MASK;
		learn_addr_miss(x, coded & 3, step);
	}
	push_addr(c, x, addr);
	return addr;
}

static inline uint32_t decode_number(struct decoder *d, unsigned header, uint32_t predicted)
{
	unsigned code = header >> 1 & 3;
	if (code == 0)
		return predicted;
	return predicted + (uint32_t)unzigzag(take(d, code == 3 ? 4 : code));
}

static uint64_t take_value(struct decoder *d, const struct context *x, uint64_t addr)
{
	struct norn_codec *c = d->c;
	uint64_t mask = value_mask(x->key), value;
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
	uint64_t value = hit ? (x->value + x->value_step) & value_mask(x->key) : take_value(d, x, addr);
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
	follow(d->c, at);
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
			decode_in(d, c->context[c->previous].next[0], EXPECTED, records);
		break;
	case EXPECTED:
		decode_in(d, c->context[c->previous].next[0], header, records);
		break;
	case SECOND:
		decode_in(d, c->context[c->previous].next[1], header, records);
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
	struct decoder d = {codec, from, from + bytes, raw, raw + units, false};
	uint32_t records = 0;
	start(codec);
	while (d.p < d.end && !d.bad)
		decode(&d, &records);
	if (d.bad || d.to != d.to_end)
		return -EBADMSG;
	*ret_records = records;
	return 0;
}
