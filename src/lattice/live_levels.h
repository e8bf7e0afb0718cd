/* A stream: the lattice of a run that is still going on. Events come in any order that causality allows (each after its causes);
 * levels are built as soon as they are closed; what no cut of the present level or a later one can be without is forgotten.
 *
 * When is a level closed? The event that is number L or less in some run has at most L - 1 others before it causally; and an event that has as
 * many is in some cut of level L. So with |e| the sum of e's clock, which is how many events precede it or are it, cuts of level L
 * consist of events with |e| <= L. Along a thread |e| grows. Thus level L is closed once every thread that exists has ended, or
 * has got an event with |e| >= L, or is known to do nothing any more that has not at least L events before it (norn_live_levels_bound). A thread
 * that is not known yet does no harm if its fork is announced (norn_live_levels_thread) no later than the next event of the thread
 * that forks: while the parent's next event is missing, no level is closed that the child could have events in, since all of the child's come
 * after what the parent did before the fork, and all that the parent has delivered is before the fork or announced it.
 *
 * Forgotten are clocks of events that all cuts of the present level have (norn_live_levels_base); the paths to the present cuts stay, 6
 * bytes for each of their steps, shared: counterexamples are whole. The result is that of norn_lattice_search on the whole computation.
 *
 * Threads are numbers below 65535, the caller's; small ones please, since there are arrays of all below. */
#ifndef NORN_LATTICE_LIVE_LEVELS_H
#define NORN_LATTICE_LIVE_LEVELS_H

#include "lattice/lattice.h"

struct norn_live_levels;

/* options->visit is not for streams. model->observed is not used; places come with the events. steppers are copied, model must live
 * longer. */
int norn_live_levels_new(const struct norn_lattice_model *model, const struct norn_stepper *steppers, uint32_t monitors,
        const struct norn_lattice_options *options, struct norn_live_levels **ret_stream);
void norn_live_levels_free(struct norn_live_levels *stream);

/* There is this thread: its events are waited for. */
int norn_live_levels_thread(struct norn_live_levels *stream, uint32_t thread);
/* The next event of a thread. clock has width entries, by thread; clock[thread] is its number within its thread, from 1. place: where it was in the
 * observed run, any ascending numbers. -EBADMSG: it is not the next one, its causes are not there, or the clock contradicts theirs.
 * -ESTALE: it belongs into a level that was built already: nobody had announced the thread. */
int norn_live_levels_add(struct norn_live_levels *stream, uint32_t thread, const uint32_t *clock, uint32_t width, uint64_t place);
/* All that the thread does from now on comes after at least so many events. */
void norn_live_levels_bound(struct norn_live_levels *stream, uint32_t thread, uint64_t events);
/* Threads that the stream does not know, and shall not, since none of their events has come, may still have events that come after only so many: no level
 * above is closed until it is told otherwise. UINT64_MAX, as it is at first: there are none. */
void norn_live_levels_hold(struct norn_live_levels *stream, uint64_t events);
/* The thread has no more events. */
void norn_live_levels_end(struct norn_live_levels *stream, uint32_t thread);

/* Builds the levels that are closed. Violations are added to the result as they are found. */
int norn_live_levels_climb(struct norn_live_levels *stream);
/* Looks ahead through all that has come, though levels are not closed: the runs of these events are beginnings of runs, and violations among them are
 * real. They are added to the result, though shorter ones may exist; all else is as before. At most so many cuts. */
int norn_live_levels_probe(struct norn_live_levels *stream, uint64_t cuts);
const struct norn_lattice_result *norn_live_levels_result(
        const struct norn_live_levels *stream); /* so far; counts of runs come with the end */
uint64_t norn_live_levels_level(const struct norn_live_levels *stream); /* that was built last */
uint64_t norn_live_levels_events(const struct norn_live_levels *stream); /* added so far */
bool norn_live_levels_is_over(
        const struct norn_live_levels *stream); /* a limit was reached, or nothing can change any more: add nothing */
size_t norn_live_levels_bytes(const struct norn_live_levels *stream);
uint32_t norn_live_levels_base(const struct norn_live_levels *stream, uint32_t thread); /* its events whose clocks are forgotten */

/* Nothing more will come. ended: the run has ended, so that its end may violate; else it was cut off somewhere. The result is as
 * norn_live_levels_result gives it. */
int norn_live_levels_finish(struct norn_live_levels *stream, bool ended);

#endif
