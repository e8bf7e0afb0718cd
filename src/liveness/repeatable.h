/* An iteration: what happens between two points of a run, and whether it could happen again and again, by L1 to L4 of
 * docs/prediction.md and the effects of operations in causality/rules.h.
 *
 * JMPaX asks for the same shared state before and after v. That is not the same state of the program: a thread may be elsewhere,
 * another may wait for the CPU. So an iteration repeats if, as far as anything was recorded,
 *   - every byte that its reads found as it was before the iteration has the same value after it: all that was read will be read
 *     again;
 *   - every thread that lives takes part, and its last event before the iteration and that in the iteration are at the same site,
 *     about the same object; or it is blocked: its next event joined a thread that lives on, or ended a wait that the iteration
 *     does not end. A thread that could go on but does not would mean a scheduler that starves it;
 *   - every lock taken is given back, and each as often as in the iteration before: calls return, semaphores are as they were, what
 *     is allocated is freed, a thread that is woken is notified in the iteration;
 *   - nothing comes from outside: no input, no calls of unknown code, no writes by code that is not instrumented, no signals; no
 *     threads begin or end, no barriers, no once, no new objects of synchronization.
 * Locals in registers or on the stack, and the time, are not seen: a loop that counts to ten looks like one that does not. Hence a
 * finding that rests on this is *potential* (L5). */
#ifndef NORN_LIVENESS_REPEATABLE_H
#define NORN_LIVENESS_REPEATABLE_H

#include "base/map.h"
#include "base/vector.h"
#include "trace/event.h"

enum norn_repeatable_place { NORN_REPEATABLE_BEFORE, NORN_REPEATABLE_INSIDE, NORN_REPEATABLE_AFTER };

struct norn_repeatable {
	struct norn_map words; /* that were accessed */
	struct norn_map balances;
	struct norn_map conditions;
	NORN_VECTOR(struct norn_repeatable_thread) threads; /* by number in the run */
	const char *refused; /* why; NULL: not so far */
};

void norn_repeatable_init(struct norn_repeatable *iteration);
void norn_repeatable_done(struct norn_repeatable *iteration);

/* The events of all threads in an order that the run can take. Those within: all of them. Those before: the last of each thread,
 * and all forks, at least. Those after: the next one of each thread at least. before: of an rmw, what it found; NULL: unknown. */
void norn_repeatable_event(struct norn_repeatable *iteration, const struct norn_event *event, enum norn_repeatable_place place,
        const uint64_t *before);

/* This thread waits, and nothing that came before the iteration, or comes in it, ends that. */
void norn_repeatable_blocked(struct norn_repeatable *iteration, uint32_t thread);

/* After the last: NULL if it could go on for ever, else why not. */
const char *norn_repeatable_refusal(struct norn_repeatable *iteration);

#endif
