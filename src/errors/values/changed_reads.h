/* Other values that a read may see, and schedules in which it may see them (V1, V6 to V8, V11).
 *
 * A read may see another write of its bytes, or what memory began with. Or it sees its own write, and a read that the value of that
 * write is made of sees another one, up to two hops away. Or its own write does not happen, as a read that controls it sees a value
 * that skips it. For reads that are to see other writes, attempts are made: the others are not to have come, or are to come before.
 * Whether the values are as wanted is seen when a schedule is gone through (schedule_values.h). */
#ifndef NORN_ERRORS_VALUES_CHANGED_READS_H
#define NORN_ERRORS_VALUES_CHANGED_READS_H

#include "errors/fork_order.h"
#include "errors/values/schedule_values.h"
#include "sliced/attempts.h"

#define NORN_READ_OPTIONS 64u /* other values of one read */
#define NORN_CHANGED_ATTEMPTS 6u /* for one choice of them */
#define NORN_CHANGED_HOPS 2u

/* A read sees this write instead of its own; 0: what memory began with. */
struct norn_read_change {
	uint32_t read, write;
	bool moved; /* the write was recorded earlier, and comes after what the read saw */
	bool made; /* the write, a read-modify-write, reads what the read saw, and leaves something else than it did */
	/* Reads that see their own writes, whose values come from the next one, and in the end from the read. */
	struct norn_read_hop {
		uint32_t read, write;
	} hops[NORN_CHANGED_HOPS];
	uint32_t hop_count;
	uint32_t skipped; /* a read that the write which it saw is skipped for by what the other one sees (V11); 0: none */
};

/* Another value of a read, and what must be otherwise for it. */
struct norn_read_option {
	uint64_t value;
	struct norn_read_change change;
};

struct norn_read_options {
	struct norn_read_option items[NORN_READ_OPTIONS];
	uint32_t count;
};

struct norn_changed_reads {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_fork_order *order; /* NULL: that rule is switched off */
	struct norn_schedule_values *values; /* indexed */
	uint32_t at; /* the event of the assertion that is asked for; 0: none */
	bool only_null; /* no other value is of interest */
};

/* All that are known, the nearest first. */
void norn_changed_reads_options(const struct norn_changed_reads *c, uint32_t read, struct norn_read_options *ret_options);
/* Attempts at schedules that end at this stop, in which the reads may see these writes: how many. kept: the stop, if it is a read
 * that is to see what it saw where it is not among the changed ones; 0. Only stops, includes, freed and before are filled in. */
uint32_t norn_changed_reads_ask(const struct norn_changed_reads *c, uint32_t stop, uint32_t kept,
        const struct norn_read_change *changes, uint32_t count, struct norn_attempt ret_attempts[NORN_CHANGED_ATTEMPTS]);

#endif
