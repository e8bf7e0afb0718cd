/* Recorded runs: what the trace room's merge would give for one schedule of a program, and the same run again, event by event. */
#ifndef NORN_ORACLE_RECORD_H
#define NORN_ORACLE_RECORD_H

#include <stdio.h>

#include "flow.h"
#include "machine.h"
#include "trace/record.h"

#define EVENTS 320

struct recording {
	struct norn_event events[EVENTS + 2]; /* as the merge numbers them, but from 0 */
	unsigned count;
	uint8_t choice[EVENTS + 2]; /* of malloc */
	uint32_t versions[64];
	uint8_t lives,
	        life[BLOCKS]; /* so many mallocs, and the last one of each block; events of blocks have it as their call_site */
	uint8_t data[EVENTS + 2][16]; /* of accesses of two words */
	bool passed[EVENTS + 2][STATEMENTS]; /* assertions that the thread passed right after this event */
};

/* Runs the program's schedule, then all threads in turn until nothing moves. externals: initial values are noticed, as in a real
 * run. */
void record(const struct code *code, bool externals, struct recording *ret_recording);

/* What the machine calls it: an unmapping is a free. */
static inline unsigned kind_of(const struct norn_event *event)
{
	bool unmaps = event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_UNMAP;
	return unmaps ? NORN_EVENT_FREE : event->kind;
}

/* The address that an event has in this state: its block may lie elsewhere than it did. */
uint64_t address_now(const struct state *state, const struct norn_event *event);
/* The block that malloc gives: the same, if it is free. */
unsigned choice_now(const struct norn_event *event, const struct next *n);
void note_block(struct state *state, const struct norn_event *event, unsigned choice); /* has been given */
/* Lets the event happen; false if it is not what its thread does next. */
bool replay(const struct code *code, const struct recording *recording, unsigned event, struct state *state);
/* Is it a malloc for which the machine has no block left? A program's memory does not end there: the block lies elsewhere (S15). */
bool lacks_memory(const struct code *code, const struct state *state, const struct norn_event *event);
/* Is the event what its thread does next, if it can do it? */
bool stands_before(const struct code *code, const struct state *state, const struct norn_event *event, struct next *ret_next);

void event_print(FILE *out, const struct program *program, const struct norn_event *event);

#endif
