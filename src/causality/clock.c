#include "causality/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Entries lie in one pool, one clock after the other, each behind a unit that holds its number: so the pool can be walked, and
 * dropping clocks moves the others together. The index finds a clock by its
 * entries: open addressing, 0 is a free slot (the zero clock is never looked up). */
struct clock {
	uint32_t at; /* its first entry in the pool */
	uint32_t width; /* entries; the last one is not 0. FREE: the number is not used */
	uint32_t hash; /* of an unused number: the next unused one, 0 at the end */
};
#define FREE UINT32_MAX

struct clock_memo {
	uint32_t a, b, joined; /* a < b; all 0: empty */
};
#define MEMO_BITS 15
#define KNOWN_BITS 16

struct norn_clocks {
	struct clock_memo *memo;
	uint64_t *known; /* thread << 32 | clock: norn_clocks_learn found that this thread's clock is at least this one; 0: empty */
	uint32_t *pool;
	uint64_t pool_used, pool_room;
	struct clock *clocks;
	uint32_t used, room; /* numbers that were ever given; of clocks */
	uint32_t free; /* the first free number, 0 if none */
	uint32_t count; /* clocks that there are, zero included */
	uint32_t *index;
	uint32_t index_mask;
	uint64_t limit; /* bytes in use at which a collection is due */
	unsigned char *marks; /* during a collection: one per number */
	int error;
};

static int fail(struct norn_clocks *c, int error)
{
	if (!c->error)
		c->error = error;
	return error;
}

int norn_clocks_new(struct norn_clocks **ret_clocks)
{
	struct norn_clocks *c = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->pool_room = 4096;
	c->room = 256;
	c->index_mask = 1023;
	c->limit = NORN_CLOCKS_SPARE;
	c->memo = calloc(1u << MEMO_BITS, sizeof *c->memo);
	c->known = calloc(1u << KNOWN_BITS, sizeof *c->known);
	c->pool = malloc(c->pool_room * sizeof *c->pool);
	c->clocks = calloc(c->room, sizeof *c->clocks);
	c->index = calloc((size_t)c->index_mask + 1, sizeof *c->index);
	c->used = c->count = 1;
	if (!c->memo || !c->known || !c->pool || !c->clocks || !c->index) {
		norn_clocks_free(c);
		return -ENOMEM;
	}
	*ret_clocks = c;
	return 0;
}

void norn_clocks_free(struct norn_clocks *clocks)
{
	if (!clocks)
		return;
	free(clocks->memo);
	free(clocks->known);
	free(clocks->pool);
	free(clocks->clocks);
	free(clocks->index);
	free(clocks->marks);
	free(clocks);
}

int norn_clocks_error(const struct norn_clocks *clocks)
{
	return clocks->error;
}

/* ---- making room ---- */

static int reserve_pool(struct norn_clocks *c, uint32_t width)
{
	if (c->pool_used + 1 + width <= c->pool_room)
		return 0;
	uint64_t room = c->pool_room + c->pool_room / 2 + width;
	uint32_t *bigger = room <= UINT32_MAX ? realloc(c->pool, room * sizeof *bigger) : NULL;
	if (!bigger)
		return fail(c, -ENOMEM);
	c->pool = bigger;
	c->pool_room = room;
	return 0;
}

static void put_index(struct norn_clocks *c, uint32_t clock)
{
	uint32_t at = c->clocks[clock].hash & c->index_mask;
	while (c->index[at])
		at = (at + 1) & c->index_mask;
	c->index[at] = clock;
}

static void fill_index(struct norn_clocks *c)
{
	for (uint32_t i = 1; i < c->used; i++)
		if (c->clocks[i].width != FREE)
			put_index(c, i);
}

/* At most half full. */
static int reserve_index(struct norn_clocks *c)
{
	if (c->count <= c->index_mask / 2)
		return 0;
	uint32_t mask = c->index_mask * 2 + 1;
	uint32_t *bigger = calloc((size_t)mask + 1, sizeof *bigger);
	if (!bigger)
		return fail(c, -ENOMEM);
	free(c->index);
	c->index = bigger;
	c->index_mask = mask;
	fill_index(c);
	return 0;
}

static int reserve_number(struct norn_clocks *c)
{
	if (c->free || c->used < c->room)
		return 0;
	uint32_t room = c->room + c->room / 2;
	struct clock *bigger = room > c->room ? realloc(c->clocks, room * sizeof *bigger) : NULL;
	if (!bigger)
		return fail(c, -ENOMEM);
	c->clocks = bigger;
	c->room = room;
	return 0;
}

static uint32_t take_number(struct norn_clocks *c)
{
	uint32_t number = c->free;
	if (!number)
		return c->used++;
	c->free = c->clocks[number].hash;
	return number;
}

/* ---- keeping each once ---- */

/* A sum of products: the compiler makes vector code of it. The factors differ per entry and have no small multiples in common. */
static uint32_t hash_entries(const uint32_t *entries, uint32_t width)
{
	uint64_t sum = width;
	for (uint32_t j = 0; j < width; j++)
		sum += (uint64_t)entries[j] * ((j + 1) * 2654435769u | 1);
	sum *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(sum >> 32);
}

/* Scratch memory for the entries of a new clock; reserve_pool made room for it. */
static uint32_t *draft(const struct norn_clocks *c)
{
	return c->pool + c->pool_used + 1;
}

/* The number of the clock with the draft's entries, which is added if there is none. Out of memory: returns `otherwise`. */
static uint32_t intern(struct norn_clocks *c, uint32_t width, uint32_t otherwise)
{
	const uint32_t *entries = draft(c);
	uint32_t hash = hash_entries(entries, width);
	for (uint32_t at = hash & c->index_mask; c->index[at]; at = (at + 1) & c->index_mask) {
		const struct clock *clock = &c->clocks[c->index[at]];
		if (clock->hash == hash && clock->width == width &&
		        memcmp(c->pool + clock->at, entries, width * sizeof *entries) == 0)
			return c->index[at];
	}
	if (reserve_number(c) < 0 || reserve_index(c) < 0)
		return otherwise;
	uint32_t number = take_number(c);
	c->clocks[number] = (struct clock){.at = (uint32_t)c->pool_used + 1, .width = width, .hash = hash};
	c->pool[c->pool_used] = number;
	c->pool_used += 1 + width;
	c->count++;
	put_index(c, number);
	return number;
}

/* ---- arithmetic ---- */

/* Counts are at most INT32_MAX, and signed comparisons are what SSE2 has. */
enum { LEFT_IS_MORE = 1, RIGHT_IS_MORE = 2 };

static unsigned max_entries(
        const uint32_t *restrict left, const uint32_t *restrict right, uint32_t width, uint32_t *restrict ret_max)
{
	int32_t left_more = 0, right_more = 0;
	for (uint32_t j = 0; j < width; j++) {
		int32_t l = (int32_t)left[j], r = (int32_t)right[j];
		left_more |= -(l > r);
		right_more |= -(r > l);
		ret_max[j] = (uint32_t)(l > r ? l : r);
	}
	return (left_more ? LEFT_IS_MORE : 0) | (right_more ? RIGHT_IS_MORE : 0);
}

static uint32_t compute_join(struct norn_clocks *c, uint32_t a, uint32_t b)
{
	if (c->clocks[a].width < c->clocks[b].width) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	uint32_t wide = c->clocks[a].width, narrow = c->clocks[b].width;
	if (reserve_pool(c, wide) < 0)
		return a;
	const uint32_t *left = c->pool + c->clocks[a].at, *right = c->pool + c->clocks[b].at;
	uint32_t *joined = draft(c);
	unsigned more = max_entries(left, right, narrow, joined);
	if (!(more & RIGHT_IS_MORE))
		return a;
	if (wide == narrow && !(more & LEFT_IS_MORE))
		return b;
	memcpy(joined + narrow, left + narrow, (wide - narrow) * sizeof *joined);
	return intern(c, wide, a);
}

static struct clock_memo *memo_of(const struct norn_clocks *c, uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
	return &c->memo[hash >> (64 - MEMO_BITS)];
}

uint32_t norn_clocks_join_different(struct norn_clocks *clocks, uint32_t a, uint32_t b)
{
	if (a > b) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	struct clock_memo *memo = memo_of(clocks, a, b);
	if (memo->a != a || memo->b != b)
		*memo = (struct clock_memo){a, b, compute_join(clocks, a, b)};
	return memo->joined;
}

static uint64_t *known_of(const struct norn_clocks *c, uint32_t thread, uint32_t clock)
{
	uint64_t hash = (uint64_t)(clock * 0x9e3779b1u ^ thread * 0x85ebca6bu) * 0xc2b2ae35u;
	return &c->known[hash >> 8 & ((1u << KNOWN_BITS) - 1)];
}

static bool knows(const struct norn_clocks *c, uint32_t thread, uint32_t clock)
{
	return *known_of(c, thread, clock) == ((uint64_t)thread << 32 | clock);
}

static void note(struct norn_clocks *clocks, uint32_t thread, uint32_t clock)
{
	if (thread != NORN_CLOCK_NOBODY)
		*known_of(clocks, thread, clock) = (uint64_t)thread << 32 | clock;
}

uint32_t norn_clocks_learn(struct norn_clocks *clocks, uint32_t thread, uint32_t mine, uint32_t other)
{
	if (mine == other || other == NORN_CLOCK_ZERO || knows(clocks, thread, other))
		return mine;
	note(clocks, thread, other);
	return norn_clocks_join(clocks, mine, other);
}

uint32_t norn_clocks_teach(struct norn_clocks *clocks, uint32_t thread, uint32_t mine, uint32_t other)
{
	if (mine == other || other == NORN_CLOCK_ZERO || knows(clocks, thread, other))
		return mine;
	uint32_t joined = norn_clocks_join(clocks, mine, other);
	if (joined == mine)
		note(clocks, thread, other);
	return joined;
}

uint32_t norn_clocks_increment(struct norn_clocks *clocks, uint32_t clock, uint32_t column)
{
	uint32_t old = clocks->clocks[clock].width, width = column < old ? old : column + 1;
	if (reserve_pool(clocks, width) < 0)
		return clock;
	uint32_t *entries = draft(clocks);
	memcpy(entries, clocks->pool + clocks->clocks[clock].at, old * sizeof *entries);
	memset(entries + old, 0, (width - old) * sizeof *entries);
	if (entries[column] == NORN_CLOCK_COUNT_MAX) {
		fail(clocks, -EOVERFLOW);
		return clock;
	}
	entries[column]++;
	return intern(clocks, width, clock);
}

const uint32_t *norn_clocks_entries(const struct norn_clocks *clocks, uint32_t clock, uint32_t *ret_width)
{
	*ret_width = clocks->clocks[clock].width;
	return clocks->pool + clocks->clocks[clock].at;
}

/* ---- dropping ---- */

static uint64_t bytes_in_use(const struct norn_clocks *c)
{
	return c->pool_used * sizeof *c->pool + c->count * (sizeof *c->clocks + 2 * sizeof *c->index);
}

bool norn_clocks_full(const struct norn_clocks *clocks, uint64_t granted)
{
	uint64_t bytes = bytes_in_use(clocks);
	return bytes > clocks->limit && bytes > granted;
}

int norn_clocks_collect_begin(struct norn_clocks *clocks)
{
	clocks->marks = calloc(clocks->used, 1);
	return clocks->marks ? 0 : -ENOMEM;
}

void norn_clocks_mark(struct norn_clocks *clocks, uint32_t clock)
{
	clocks->marks[clock] = 1;
}

/* Moves the marked clocks together, in place, and gives the numbers of the others free. */
static void compact(struct norn_clocks *c)
{
	uint64_t to = 0;
	for (uint64_t from = 0; from < c->pool_used;) {
		uint32_t number = c->pool[from];
		struct clock *clock = &c->clocks[number];
		uint64_t units = 1 + (uint64_t)clock->width;
		if (c->marks[number]) {
			memmove(c->pool + to, c->pool + from, units * sizeof *c->pool);
			clock->at = (uint32_t)to + 1;
			to += units;
		} else {
			*clock = (struct clock){.width = FREE, .hash = c->free};
			c->free = number;
			c->count--;
		}
		from += units;
	}
	c->pool_used = to;
}

/* Returns memory beyond twice what is in use. A failure is harmless: the larger array stays. */
static void shrink(struct norn_clocks *c)
{
	uint64_t room = c->pool_used * 2 + 4096;
	uint32_t *smaller = room < c->pool_room / 2 ? realloc(c->pool, room * sizeof *smaller) : NULL;
	if (!smaller)
		return;
	c->pool = smaller;
	c->pool_room = room;
}

void norn_clocks_collect_end(struct norn_clocks *clocks)
{
	compact(clocks);
	free(clocks->marks);
	clocks->marks = NULL;
	shrink(clocks);
	memset(clocks->index, 0, ((size_t)clocks->index_mask + 1) * sizeof *clocks->index);
	fill_index(clocks);
	memset(clocks->memo, 0, sizeof *clocks->memo << MEMO_BITS);
	memset(clocks->known, 0, sizeof *clocks->known << KNOWN_BITS);
	uint64_t twice = 2 * bytes_in_use(clocks);
	clocks->limit = twice > NORN_CLOCKS_SPARE ? twice : NORN_CLOCKS_SPARE;
}

uint32_t norn_clocks_count(const struct norn_clocks *clocks)
{
	return clocks->count;
}

uint64_t norn_clocks_bytes(const struct norn_clocks *clocks)
{
	return sizeof *clocks + (sizeof *clocks->memo << MEMO_BITS) + (sizeof *clocks->known << KNOWN_BITS) +
	       clocks->pool_room * sizeof *clocks->pool + clocks->room * sizeof *clocks->clocks +
	       ((uint64_t)clocks->index_mask + 1) * sizeof *clocks->index;
}
