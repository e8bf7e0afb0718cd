/* What the codec knows while it goes through a block, the same in both directions, and the format that follows from it. Only
 * codec.c and codec_decode.c include this.
 *
 * Every record but TIME and LOST has a context: all records of one site, kind and subcode (ENTER: and call
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
#ifndef NORN_TRACE_CODEC_MODEL_H
#define NORN_TRACE_CODEC_MODEL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/record.h"

#define CONTEXTS 512u /* when they run out all are forgotten */
#define INDEX 1024u
#define WORDS 2048u
#define RECENT 4u
#define DICTIONARY 256u
#define RUN_MOST 64u /* records as predicted in one byte */
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
	uint64_t value_step; /* predicted: (value + value_step) & mask */
	uint64_t mask; /* of the bytes that a value has */
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
	/* Kept by whoever encodes or decodes: previous, the context of the last record; position, where the next address goes. */
	uint64_t recent[RECENT]; /* the last addresses */
	unsigned count; /* contexts in use */
	uint32_t site; /* of the last new context */
	uint32_t frame; /* site of the last ENTER or LEAVE: VALUE records belong to it */
	uint64_t time; /* last TIME */
};

/* What the records of each kind consist of. */
enum { ADDR = 1, NUMBER = 2, STAMP = 4, MADE = 8, VALUE = 16 };
enum { READ_TRAITS = ADDR | NUMBER | STAMP, WRITE_TRAITS = ADDR | NUMBER | STAMP | MADE | VALUE };
static const uint8_t traits[16] = {
        [NORN_TAG_READ] = READ_TRAITS,
        [NORN_TAG_WRITE] = WRITE_TRAITS,
        [NORN_TAG_RMW] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_EXT] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_SYNC] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_ALLOC] = ADDR | NUMBER | STAMP | MADE | VALUE,
        [NORN_TAG_THREAD] = NUMBER | VALUE,
        [NORN_TAG_MARK] = NUMBER | VALUE,
        [NORN_TAG_VALUE] = VALUE,
};

static const uint8_t addr_bytes[8] = {0, 1, 2, 3, 4, 5, 7, 8};
static const uint8_t number_bytes[4] = {0, 1, 2, 4};
static const uint8_t addr_code[9] = {1, 1, 2, 3, 4, 5, 6, 6, 7};

static inline uint64_t zigzag(int64_t x)
{
	return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static inline uint64_t unzigzag(uint64_t x)
{
	return x >> 1 ^ -(x & 1);
}

static inline unsigned bytes_of(uint64_t x)
{
	return (71 - (unsigned)__builtin_clzll(x | 1)) / 8;
}

static inline uint64_t value_mask(uint64_t key)
{
	unsigned tag = key & 15, sub = key >> 4 & 0xfff;
	return (tag == NORN_TAG_WRITE || tag == NORN_TAG_RMW) && sub < 3 ? (UINT64_C(1) << (8u << sub)) - 1 : ~UINT64_C(0);
}

/* Sign-extends a difference to the width of mask. */
static inline int64_t narrow(uint64_t difference, uint64_t mask)
{
	unsigned spare = (unsigned)__builtin_clzll(mask);
	return (int64_t)(difference << spare) >> spare;
}

static inline unsigned value_hash(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

static inline void forget_contexts(struct norn_codec *c)
{
	memset(c->index, 0, sizeof c->index);
	memset(&c->context[0], 0, sizeof c->context[0]);
	c->count = 1;
}

static inline void start(struct norn_codec *c)
{
	memset(&c->words, 0, sizeof *c - offsetof(struct norn_codec, words));
	forget_contexts(c);
}

/* Returns its number: 1 if all others were forgotten for it. */
static inline unsigned new_context(struct norn_codec *c, uint64_t key, unsigned position)
{
	if (c->count == CONTEXTS)
		forget_contexts(c);
	c->context[c->count] = (struct context){
	        .key = key,
	        .mask = value_mask(key),
	        .addr = c->recent[(position - 1) % RECENT],
	        .number = 1,
	        .addr_missed = 1,
	        .value_missed = 1,
	};
	return c->count++;
}

/* Context number at comes after context number previous. */
static inline void follow(struct norn_codec *c, unsigned previous, unsigned at)
{
	struct context *x = &c->context[previous];
	if (x->next[0] != at) {
		x->next[1] = x->next[0];
		x->next[0] = at;
	}
}

static inline uint64_t base_addr(const struct norn_codec *c, const struct context *x, unsigned base, unsigned position)
{
	return base ? c->recent[(position - base) % RECENT] : x->addr;
}

static inline uint64_t predict_addr(const struct norn_codec *c, const struct context *x, unsigned position)
{
	return (base_addr(c, x, x->base, position) + x->step) & ADDR_MASK;
}

static inline void learn_addr_miss(struct context *x, unsigned base, uint64_t step)
{
	x->base = x->addr_missed ? base : x->base;
	x->step = x->addr_missed ? step : x->step;
	x->addr_missed = 1;
}

static inline void push_addr(struct norn_codec *c, struct context *x, uint64_t addr, unsigned *position)
{
	x->addr = addr;
	c->recent[(*position)++ % RECENT] = addr;
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
static inline void learn_run(
        struct norn_codec *c, struct context *x, struct stamp *s, uint64_t addr, uint64_t words, uint32_t version)
{
	learn_version(x, s, version);
	for (uint64_t i = 1; i < words && i < 8; i++) {
		uint32_t tag;
		struct word *word = find_word(c, addr + 8 * i, &tag);
		*word = (struct word){tag, version};
	}
}

static inline uint32_t range_made(unsigned sub)
{
	return sub != NORN_RANGE_READ && sub != NORN_RANGE_COPY_FROM;
}

static inline uint64_t predict_value(const struct context *x)
{
	return (x->value + x->value_step) & x->mask;
}

static inline void learn_value(struct context *x, uint64_t value, bool hit)
{
	x->value_step = !hit && x->value_missed ? value - x->value : x->value_step;
	x->value_missed = !hit;
	x->value = value;
}

#endif
