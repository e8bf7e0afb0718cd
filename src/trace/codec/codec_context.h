/* The inside of the codec: what codec.c, codec_encode.c and codec_decode.c share. No other file includes this.
 *
 * The format. A record of most kinds has the same shape: a key (tag, subcode, site), an address, a number (the version) and, unless
 * it is a READ, a value. Records with the same key share a context, found by a hash of the key, which expects the next address and
 * number to go on as the last two did, and the context that came next the last time to come next again. One record is
 *
 *   8 bits                n | a<<4 | v<<6
 *     a                   0 to 3 bytes follow: zigzag(address - expected)
 *     v                   0, 1, 2, 4 bytes follow: zigzag(number - expected)
 *     n                   0 to 8 bytes follow: the value without its leading zeros; 0 if there is none
 *
 * ENTER and LEAVE are only a key, VALUE has only a value, RANGE and 16-byte RMW have varints after that. n above 8 stands for
 * something else; the other four bits are then x:
 *
 * FAR                   the same with an address that is far away: v | base<<2 in x; another byte a | n<<4; then a, v, n bytes, as
 *                         above. base 1: less the last address instead of what the context expects
 *   JUMP                  the record that follows has not the expected context but the one at place: x<<8 | another byte
 *   NEW                   nor has it any yet: 8 bytes, the key. Where its hash leads to it takes the place of another one
 *   RUN                   varints p and k: the next k * p units go on as the last 2 * p did, each unit by the same difference
 *   ASIDE                 TIME or LOST, its tag in x: a varint
 *
 * Speed matters more than bytes, as the watched program waits: loops become runs, and what is common needs few instructions. It is
 * coded without branches: address and number are predicted together, which of their bytes are zero decides by tables where all
 * bytes go, and one store of 16 bytes puts down the record. */
#ifndef NORN_TRACE_CODEC_CONTEXT_H
#define NORN_TRACE_CODEC_CONTEXT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/codec/codec.h"
#include "trace/record.h"

#define CONTEXTS 1024u
#define ADDR_MASK (UINT64_MAX >> 16)
#define PERIOD_MOST 128u /* units */

enum { VALUE_MOST = 8, FAR, JUMP, NEW, RUN, ASIDE }; /* n */

/* The first two units of a record: address<<16 | low 16 bits of the key, number<<32 | site. */
typedef uint64_t pair __attribute__((vector_size(16)));
typedef int64_t signed_pair __attribute__((vector_size(16)));

/* The coding of the records of each kind. */
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

/* A cache line. The low bits of next are those of the key for READ and WRITE shapes, so that one subtraction also tells whether a
 * record belongs here; for other shapes they are 0, which no record has. */
struct codec_context {
	pair next; /* the record that is expected: it goes on as the last two did */
	pair now; /* the last one; of ENTER, LEAVE and VALUE: with the last address before */
	uint64_t key; /* 0: free */
	const uint64_t *last; /* encoding: where the last record stands */
	uint64_t value_mask; /* all ones if a READ or WRITE shape has a value */
	uint32_t successor; /* offset in bytes, within the contexts, of the one that came next */
	uint32_t units; /* of a READ or WRITE shape, else 0 */
};
static_assert(sizeof(struct codec_context) == 64, "a cache line");

struct norn_codec {
	struct codec_context context[CONTEXTS];
	struct codec_context first; /* stands for what was before the first record */
	uint64_t time; /* last TIME */
	uint32_t frame; /* site of the last ENTER or LEAVE: VALUE records belong to it */
	uint32_t used; /* contexts that are not free; which ones: */
	uint16_t places[CONTEXTS];
};

extern const uint8_t norn_codec_number_bytes[4]; /* by v */

enum shape norn_codec_shape(uint64_t unit); /* of the record that starts with unit, or of the context with this key */
unsigned norn_codec_plain_units(const uint64_t *r); /* units of the record at r if runs may consist of its kind, else 0 */

/* Back to the state before a block, whatever was coded before. */
void norn_codec_reset(struct norn_codec *c);

/* Gives x to another key. */
void norn_codec_renew(struct norn_codec *c, const struct codec_context *before, struct codec_context *x, uint64_t key);

/* The contexts after a run that ended at end: what its last period's records would have taught them. Returns that of the last. */
struct codec_context *norn_codec_absorb(
        struct norn_codec *c, struct codec_context *before, const uint64_t *raw, unsigned end, unsigned period);

static inline bool is_event(enum shape shape)
{
	return shape != SHAPE_ASIDE && shape != SHAPE_VALUE;
}

static inline uint64_t zigzag(uint64_t x)
{
	return x << 1 ^ (uint64_t)((int64_t)x >> 63);
}

static inline uint64_t unzigzag(uint64_t x)
{
	return x >> 1 ^ -(x & 1);
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
	return key >> 8 & ((1u << NORN_SITE_BITS) - 1);
}

static inline struct codec_context *successor(struct norn_codec *c, const struct codec_context *x)
{
	return (struct codec_context *)(void *)((char *)c->context + x->successor);
}

static inline void set_successor(const struct norn_codec *c, struct codec_context *x, const struct codec_context *next)
{
	x->successor = (uint32_t)((const char *)next - (const char *)c->context);
}

static inline uint64_t addr_of(const struct codec_context *x)
{
	return x->now[0] >> 16;
}

static inline void learn(struct codec_context *x, pair now)
{
	x->next = now + now - x->now;
	x->now = now;
}

static inline void keep_addr(const struct codec_context *before, struct codec_context *x)
{
	x->now = (pair){before->now[0] & ~UINT64_C(0xffff), 0};
}

/* The first two units of a record; of shapes other than READ and WRITE, without the key. */
static inline pair pair_of(const struct codec_context *x, uint64_t addr, uint32_t number)
{
	uint64_t key = x->units ? x->key : 0;
	return (pair){addr << 16 | (key & 0xffff), (uint64_t)number << 32 | (uint32_t)(key >> 16)};
}

#endif
