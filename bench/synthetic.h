/* A synthetic run for measurements, event by event.
 *
 * Threads take turns of a few dozen events. Half of all events go to memory of the thread's own, a quarter are reads of shared
 * memory that is not written any more, the rest are regions under one of 64 locks that read and write what the lock protects; one region
 * in 1000 forgets the lock. */
#ifndef NORN_BENCH_SYNTHETIC_H
#define NORN_BENCH_SYNTHETIC_H

#include <stdbool.h>

#include "trace/event.h"

struct generator {
	uint64_t seed;
	uint32_t threads, thread, turn;
	uint32_t lock, held; /* events to come in the region */
	bool forgot;
	uint32_t next; /* thread that has not begun */
	bool begins;
	uint64_t value;
};

#define GENERATOR(count) {.seed = 88172645463325252u, .threads = (count), .next = 1}

struct norn_event next_event(struct generator *g);

#endif
