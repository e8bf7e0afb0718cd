/* The loop log: all events of a run, relevant or not, by thread, with the causal past of some. The events of the program that a
 * search for loops needs beyond the relevant ones (repeatable.h). Kept only for properties that ask for it.
 *
 * Threads are columns, in the order of their first events. A full cut is a number of events per column. The past of an event is the
 * smallest full cut that holds it: what algorithm A gives if every event is relevant. Pasts are kept of positions, by payload, and
 * of the *milestones* of each thread: the events before a join or the end of a wait, and the last one. Beyond NORN_LOOP_LOG_BYTES
 * it is given up (full).
 * Memory: 72 bytes an event, the bytes of long accesses, and 4 bytes per thread and position or milestone. */
#ifndef NORN_LIVENESS_LOOP_LOG_H
#define NORN_LIVENESS_LOOP_LOG_H

#include <stdbool.h>

#include "trace/event.h"

#define NORN_LOOP_LOG_BYTES (UINT64_C(256) << 20)

struct norn_loop_log;

struct norn_loop_log *norn_loop_log_new(uint64_t max_bytes); /* 0: NORN_LOOP_LOG_BYTES */
void norn_loop_log_free(struct norn_loop_log *loop_log);

/* Each event of the run in order. payload: of the position that it is, UINT32_MAX: none. Payloads ascend. */
void norn_loop_log_event(struct norn_loop_log *loop_log, const struct norn_event *event, uint32_t payload);
bool norn_loop_log_full(const struct norn_loop_log *loop_log);

uint32_t norn_loop_log_columns(const struct norn_loop_log *loop_log);
uint32_t norn_loop_log_thread(const struct norn_loop_log *loop_log, uint32_t column);
uint32_t norn_loop_log_events(const struct norn_loop_log *loop_log, uint32_t column);

struct norn_loop_log_entry {
	struct norn_event event;
	uint64_t number; /* in the observed order */
	uint64_t before; /* of an rmw: what it found */
	bool before_known;
	uint32_t payload;
};

/* Event i of a column, from 0. */
void norn_loop_log_get(const struct norn_loop_log *loop_log, uint32_t column, uint32_t i, struct norn_loop_log_entry *ret_entry);
/* The site of an event; 0 if i is UINT32_MAX. */
uint32_t norn_loop_log_site(const struct norn_loop_log *loop_log, uint32_t column, uint32_t i);

/* Raises a full cut so that it holds the position and its past. */
void norn_loop_log_include(const struct norn_loop_log *loop_log, uint32_t payload, uint32_t *cut);
/* The last milestone of a column's thread that it reaches from a cut if all others stand still: its past is within the cut, but for
 * its own events. */
uint32_t norn_loop_log_advance(const struct norn_loop_log *loop_log, uint32_t column, const uint32_t *cut);
/* The fork of a column's thread, as a column and event; false: unknown. */
bool norn_loop_log_fork(const struct norn_loop_log *loop_log, uint32_t column, uint32_t *ret_column, uint32_t *ret_event);

#endif
