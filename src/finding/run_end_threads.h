/* The threads at the end of a run: where each thread was when the process ended, what it held, and what it did last.
 *
 * One pass over the run in the merged order. */
#ifndef NORN_FINDING_RUN_END_THREADS_H
#define NORN_FINDING_RUN_END_THREADS_H

#include "base/vector.h"
#include "trace/event.h"
#include "trace/reader.h"

#define NORN_LAST_EVENTS 4u

struct norn_open_call {
	uint32_t enter, call_site; /* sites */
};

struct norn_held_object {
	uint64_t addr; /* of a lock, or of a pthread_once_t whose routine it runs */
	uint64_t kind; /* enum norn_lock_kind */
	uint64_t number; /* of the acquire, in the observed order, from 1 */
	uint32_t site;
	bool shared;
};

struct norn_last_event {
	struct norn_event event; /* without data, versions and args */
	uint64_t number;
};

struct norn_thread_end {
	bool began, ended;
	bool exits; /* it ends the process */
	NORN_VECTOR(struct norn_open_call) calls; /* the outermost first */
	NORN_VECTOR(struct norn_held_object) held; /* in the order in which they were taken */
	struct norn_last_event last[NORN_LAST_EVENTS]; /* the latest first; number 0: there are no more */
};

struct norn_run_end_threads {
	struct norn_thread_end *threads;
	uint32_t count;
	uint64_t events;
};

/* 0; negative errno and a sentence if the trace is damaged. */
int norn_run_end_threads_init(struct norn_run_end_threads *threads, struct norn_trace *trace, struct norn_error *err);
void norn_run_end_threads_done(struct norn_run_end_threads *threads);

/* Threads that wait for ever: each waits for what a thread of them holds, or will do, and none of the others can help.
 *
 * A thread that waits for a lock, a join or a routine waits for the threads that hold or run it, whatever others do. For a notify,
 * a post or an arrival any thread may come along that is not stuck itself; so these are stuck only if all threads are. */
struct norn_end_wait;
struct norn_stuck_thread {
	const struct norn_end_wait *wait; /* NULL: it is not stuck */
	uint32_t next; /* the thread that it waits for, NORN_NO_THREAD: none in particular */
};
/* others: there may be threads that were not recorded. ret_stuck has room for all threads. Returns how many are stuck. */
uint32_t norn_find_stuck(const struct norn_run_end_threads *threads, const struct norn_end_wait *waits, uint32_t count, bool others,
        struct norn_stuck_thread *ret_stuck);

#endif
