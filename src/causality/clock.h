/* Vector clocks: immutable, each kept once, named by a number.
 *
 * A clock is a vector of counts, one for each column; it has no end: entries that were never set are 0. Two clocks are equal iff
 * their numbers are, so thousands of variables that know the same share one clock, and joining two clocks that were joined before
 * is a look into a small table. NORN_CLOCK_ZERO is the clock of zeros.
 *
 * The owner of a struct norn_clocks keeps the numbers. When norn_clocks_full says so it should collect: begin, mark each number
 * that it still has, end; all other clocks are dropped then, and their numbers are given to new ones. Between collections nothing
 * is dropped. Memory: a clock takes 24 bytes and 4 for each entry up to its last that is not 0. A collection is due when that has
 * doubled since the last one, but not below NORN_CLOCKS_SPARE bytes or what the owner grants; besides there are fixed tables of 1
 * MiB. Only plain arrays go in and out. Not thread-safe. */
#ifndef NORN_CAUSALITY_CLOCK_H
#define NORN_CAUSALITY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define NORN_CLOCK_ZERO 0u
#define NORN_CLOCKS_SPARE (UINT64_C(4) << 20)
#define NORN_CLOCK_COUNT_MAX ((uint32_t)INT32_MAX)

struct norn_clocks;

int norn_clocks_new(struct norn_clocks **ret_clocks);
void norn_clocks_free(struct norn_clocks *clocks);

/* The first failure (-ENOMEM, or -EOVERFLOW: an entry came to NORN_CLOCK_COUNT_MAX), else 0. The functions that make clocks give
 * one of their arguments back when they fail, so that callers may look here once per event. */
int norn_clocks_error(const struct norn_clocks *clocks);

uint32_t norn_clocks_join_different(struct norn_clocks *clocks, uint32_t a, uint32_t b);

/* The maximum of both, entry by entry. */
static inline uint32_t norn_clocks_join(struct norn_clocks *clocks, uint32_t a, uint32_t b)
{
	if (a == b || b == NORN_CLOCK_ZERO)
		return a;
	return a == NORN_CLOCK_ZERO ? b : norn_clocks_join_different(clocks, a, b);
}

/* Joins with a thread's clock, which only grows: a clock once found to be at most the thread's is so for ever, and its entries need
 * not be compared again. mine is the present clock of thread (a number, not a column). learn: the result becomes that thread's
 * clock; teach: it becomes another clock. NORN_CLOCK_NOBODY: no thread, nothing is remembered. */
#define NORN_CLOCK_NOBODY UINT32_MAX
uint32_t norn_clocks_learn(struct norn_clocks *clocks, uint32_t thread, uint32_t mine, uint32_t other);
uint32_t norn_clocks_teach(struct norn_clocks *clocks, uint32_t thread, uint32_t mine, uint32_t other);

/* The clock whose entry column is one more. */
uint32_t norn_clocks_increment(struct norn_clocks *clocks, uint32_t clock, uint32_t column);
/* Its entries up to the last one that is not 0; they hold until a clock is made. */
const uint32_t *norn_clocks_entries(const struct norn_clocks *clocks, uint32_t clock, uint32_t *ret_width);

/* Is a collection due? granted: bytes that the clocks may take in any case. */
bool norn_clocks_full(const struct norn_clocks *clocks, uint64_t granted);
/* begin may fail (-ENOMEM, nothing has happened); mark and end cannot. */
int norn_clocks_collect_begin(struct norn_clocks *clocks);
void norn_clocks_mark(struct norn_clocks *clocks, uint32_t clock);
void norn_clocks_collect_end(struct norn_clocks *clocks);

uint32_t norn_clocks_count(const struct norn_clocks *clocks);
uint64_t norn_clocks_bytes(const struct norn_clocks *clocks); /* allocated */

#endif
