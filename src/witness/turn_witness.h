/* The check of a turn: could what happens between two cuts of a recorded run happen again and again? Written from L1 to L4 of
 * docs/prediction.md; the search has its own code for this (liveness/repeatable.h), and its table.
 *
 * All events of the run are shown in the observed order, each with the part of the claim that it is in. */
#ifndef NORN_WITNESS_TURN_WITNESS_H
#define NORN_WITNESS_TURN_WITNESS_H

#include "base/map.h"
#include "base/table.h"
#include "base/vector.h"
#include "trace/event.h"

enum norn_turn_part { NORN_TURN_BEFORE, NORN_TURN_INSIDE, NORN_TURN_AFTER };

struct norn_turn_witness {
	NORN_VECTOR(struct norn_turn_thread) threads; /* by number in the run */
	struct norn_map bytes; /* address → struct turn_byte: what the turn does to it */
	struct norn_table objects; /* struct turn_key → its number in changes */
	NORN_VECTOR(int64_t) changes; /* by which the turn changes it */
	struct norn_map wakes; /* condition → bits: a thread is woken in the turn, there is a notify in it */
	const char *refused; /* why; NULL: not so far */
};

void norn_turn_witness_init(struct norn_turn_witness *turn);
void norn_turn_witness_done(struct norn_turn_witness *turn);

/* found: of a read-modify-write, the value that it read; NULL: unknown. */
void norn_turn_witness_event(
        struct norn_turn_witness *turn, const struct norn_event *event, enum norn_turn_part part, const uint64_t *found);

/* After the last event: NULL if the turn repeats, else why not. */
const char *norn_turn_witness_refusal(struct norn_turn_witness *turn);

#endif
