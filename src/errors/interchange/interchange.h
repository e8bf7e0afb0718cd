/* Threads that change places (docs/prediction.md, R23): two that stand in the same state may go on as each other. So a recorded run
 * stands for others, in which another thread does what this one did: of several workers that wait for jobs, say, one may have done
 * all of them, and what two of them would do side by side is not in the run.
 *
 * One such run is made: each time that a thread is about to leave a place, who goes on from there is drawn among all that stand
 * there. It ends where it is not known to be a run of the program any more. */
#ifndef NORN_ERRORS_INTERCHANGE_INTERCHANGE_H
#define NORN_ERRORS_INTERCHANGE_INTERCHANGE_H

#include "causality/dependence_graph.h"
#include "errors/site_facts.h"

struct norn_interchange {
	struct norn_graph *graph; /* of the other run */
	uint32_t *recorded, *by; /* by its events: the event of the recorded run, and its thread there */
};

/* graph: of the recorded run, the whole of it. False: there is no such run, or it cannot be read. */
bool norn_interchange_find(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph,
        struct norn_interchange *ret_other);
void norn_interchange_done(struct norn_interchange *other);

#endif
