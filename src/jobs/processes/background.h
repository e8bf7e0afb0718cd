/* Judging in the background: the traces of processes that have ended are judged while others of the same recording go on.
 *
 * A process of its own does it, with the lowest priority, one trace after the other: what it needs, and what becomes of it, is none
 * of the recorder's and the program's. It keeps what it finds. In the end it judges what is left, and shows everything, so the
 * caller need not. If it ends before that, for whatever reason, the caller judges all itself, as if there were no background. */
#ifndef NORN_JOBS_BACKGROUND_H
#define NORN_JOBS_BACKGROUND_H

#include <stdbool.h>
#include <sys/types.h>

struct norn_checking;

struct norn_background {
	pid_t pid; /* of the process; 0: there is none */
	int to, from; /* pipes */
	bool given; /* a trace */
};

/* checking: as norn_checker_run gets it in the end, but for the members that norn_background_end tells. */
void norn_background_begin(struct norn_background *background, const struct norn_checking *checking);
/* A norn_background's: a trace that is whole. Does not wait. */
void norn_background_give(void *background, const char *trace);
/* Nothing is to be judged. */
void norn_background_drop(struct norn_background *background);
/* True if all was judged and shown, with the exit status; false if the caller is to do it. In both cases the process is gone. */
bool norn_background_end(struct norn_background *background, const struct norn_checking *checking, int *ret_status);

#endif
