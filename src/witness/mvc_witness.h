/* The checker of witnesses for properties under mvc: is this sequence of relevant events one that the program could have performed,
 * and does the monitor violate at its end? It shares no code with the search, and works from the definition (JMPaX, section 2.2):
 *
 *   e ≺ e' if both are of one thread and e came first, or both access one byte, at least one of them writes it, and e came first;
 *   and
 *   what follows from these. Objects of synchronization are bytes, too; a child's events come after its fork, a join after the
 *   child's.
 *
 * A sequence S of relevant events begins a run iff, for every s of S, each relevant event that precedes s causally is in S and
 * before s. To see this the recorded run is gone through once, in the order observed, with all its events, relevant or not. Each
 * event gets a label: the last place in S of an event that precedes it or is it, or "missing" if a relevant event that is not in S
 * does. Direct predecessors suffice for that, so a thread has the label of its last event, and a byte those of its accesses and
 * writes. S is refused when one of its events meets a label that is not below its own place.
 *
 * Memory: what bytes have labels other than 0 take: 80 bytes a word, and those only that come after events of S. */
#ifndef NORN_WITNESS_MVC_WITNESS_H
#define NORN_WITNESS_MVC_WITNESS_H

#include "base/error.h"
#include "lattice/stepper.h"
#include "trace/event.h"

struct norn_witness;

/* numbers: the sequence's events, as numbers in the observed order, from 1. The witness copies them. */
struct norn_witness *norn_witness_new(const uint64_t *numbers, uint32_t count);
void norn_witness_free(struct norn_witness *witness);

/* The next event of the observed order; all of them, from the first to the last of the sequence at least. Several witnesses can be
 * shown the same run side by side. */
void norn_witness_event(struct norn_witness *witness, const struct norn_event *event, bool relevant);

/* The same for a run that is cut into parts, of a witness with an empty sequence: each event, and the number of its part. An event
 * that comes before it must not be in a later part. */
void norn_witness_part(struct norn_witness *witness, const struct norn_event *event, uint32_t part);
/* The step of the sequence that the event with that number is, from 1; 0: none. */
uint32_t norn_witness_step(const struct norn_witness *witness, uint64_t number);

/* After the last event. ended: the sequence claims to be a whole run. 0, or -EINVAL and what is wrong with the sequence. */
int norn_witness_check_order(struct norn_witness *witness, bool ended, struct norn_error *err);

enum norn_witness_position { NORN_WITNESS_NO_POSITION, NORN_WITNESS_POSITION, NORN_WITNESS_MAYBE };

/* The letter of step i of the sequence, made anew from the events in this order: 0 is the initial valuation, 1 the first event. */
typedef enum norn_witness_position norn_witness_letter(void *context, uint32_t i, uint64_t *ret_letter, uint64_t *ret_unknown);

/* Does the monitor violate exactly at the end of a sequence of count events: whatever the unknown atoms are, it has violated then,
 * and it was not certain before? ended: only by the run's ending. 0, or -EINVAL and what is wrong. */
int norn_witness_check_verdict(const struct norn_stepper *stepper, uint32_t count, bool ended, norn_witness_letter *letter,
        void *context, struct norn_error *err);

#endif
