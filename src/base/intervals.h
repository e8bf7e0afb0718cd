/* A number for each address of a large space, set for whole intervals at a time: the last one that was set counts; 0: none was.
 * Offline (must.h).
 *
 * A treap of intervals that do not overlap: setting and asking cost the logarithm of their number, and what a new one covers is
 * dropped. An all-zero one is empty; it owns its memory. Memory: 32 bytes per interval. */
#ifndef NORN_BASE_INTERVALS_H
#define NORN_BASE_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

struct norn_interval {
	uint64_t from, to; /* [from, to) */
	uint32_t value;
};

struct norn_intervals {
	struct norn_interval_node *nodes; /* [0] is none */
	uint32_t count, room, spare, root;
	uint32_t seed;
};

void norn_intervals_done(struct norn_intervals *intervals); /* leaves an empty one */

/* [from, to) is value from now on. */
void norn_intervals_set(struct norn_intervals *intervals, uint64_t from, uint64_t to, uint32_t value);
uint32_t norn_intervals_get(const struct norn_intervals *intervals, uint64_t addr);
/* The first interval that ends after addr; false: there is none. */
bool norn_intervals_after(const struct norn_intervals *intervals, uint64_t addr, struct norn_interval *ret_interval);
uint64_t norn_intervals_bytes(const struct norn_intervals *intervals); /* allocated */

#endif
