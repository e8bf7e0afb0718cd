/* The observer: judges programs while they run. Behind `norn observe` and `norn run --observe`. */
#ifndef NORN_JOBS_OBSERVER_H
#define NORN_JOBS_OBSERVER_H

#include "jobs/checker.h"

struct norn_observing {
	struct norn_checking checking; /* trace is not used */
	const char *listen; /* NULL: a socket of its own, for the program that it starts */
	const char *token_file; /* has the token, or gets it; NULL: none */
	bool anywhere, once;
};

/* program: argv of what to start and to observe, or NULL: any that connect. Returns the exit status. */
int norn_observer_watch(struct norn_observing *observing, char *const *program);

#endif
