/* Where the threads of a run stand in the same state (docs/prediction.md, R23).
 *
 * A *place* is an event by which a thread that holds no lock asks for one, or takes from a semaphore, if none of the frames around
 * it needs anything any more that it has computed (trace/facts.h: FORGETS). Before it the thread stands there, in a state that its
 * frames, what it was created with, and memory tell. */
#ifndef NORN_ERRORS_INTERCHANGE_STANDING_H
#define NORN_ERRORS_INTERCHANGE_STANDING_H

#include "causality/dependence_graph.h"

struct norn_standing;

struct norn_standing *norn_standing_new(const struct norn_graph *graph);
void norn_standing_free(struct norn_standing *standing);

bool norn_standing_is_place(const struct norn_standing *standing, uint32_t event);
/* Does who stands before the one place stand before the other, too, and in the same state? */
bool norn_standing_same(const struct norn_standing *standing, uint32_t place, uint32_t other);
/* The thread's first place, if all that it did before concerns no other thread, so that it may as well have done it as soon as it
 * was created; 0: there is none. */
uint32_t norn_standing_at_start(const struct norn_standing *standing, uint32_t thread);

#endif
