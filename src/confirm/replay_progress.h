/* Progress of a replayed program: tells if it still makes progress, or if nothing more will come.
 *
 * Only bounded progress counts: steps, ways past listed places up to the last listed time; and events, up to a few times as many as
 * the recorded run has. A program that makes progress is never given up, however long it takes. Without any, threads may compute,
 * by the processor's time, and sleep, as long as the recorded run gives reason to: twice as long as all of it. When all threads
 * sleep and only another thread could wake them, it is over at once. */
#ifndef NORN_CONFIRM_REPLAY_PROGRESS_H
#define NORN_CONFIRM_REPLAY_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "confirm/schedule_file.h"

struct norn_session;

enum norn_replay_progress_state {
	NORN_REPLAY_PROGRESS_GOES_ON,
	NORN_REPLAY_PROGRESS_STILL, /* all threads sleep, and only another of them can wake them */
	NORN_REPLAY_PROGRESS_WAITS, /* they sleep, for time or input, and nothing comes of it */
	NORN_REPLAY_PROGRESS_SPINS, /* a thread runs, without progress */
};

struct norn_replay_progress {
	struct norn_schedule_file_pace pace;
	uint64_t most_units, busy, sleepy; /* bounds: units that were recorded; milliseconds of processors, of sleep */
	uint64_t now; /* milliseconds: when it was checked last; 0: never */
	uint64_t moved; /* when there was progress last */
	uint64_t still; /* since when no thread has left its sleep, by their context switches */
	uint64_t switches; /* context switches of all threads, at the last look */
	uint64_t ticked; /* when a processor was last seen to be used */
	uint64_t ticks, moved_ticks; /* of processors, in milliseconds: now, and at the last progress */
	uint64_t slept; /* milliseconds since the last progress in which no thread ran */
	uint64_t met, units; /* progress by places, by events */
	struct norn_replay_progress_slot {
		uint32_t thread;
		uint64_t units;
	} *slots; /* of the session, as they were; NULL: there is no memory, and events do not count */
};

/* NORN_PATIENCE in the environment: milliseconds instead of five seconds, for programs without a recorded run that took longer. */
void norn_replay_progress_init(struct norn_replay_progress *replay_progress, const struct norn_schedule_file_pace *pace);
/* It has been decided what comes of the run: what is left is for the program's own sake, and may take less. */
void norn_replay_progress_hurry(struct norn_replay_progress *replay_progress);
void norn_replay_progress_done(struct norn_replay_progress *replay_progress);

/* Looks. pid 0: it has not begun. now: milliseconds. session: where it is recorded. */
enum norn_replay_progress_state norn_replay_progress_check(struct norn_replay_progress *replay_progress, pid_t pid, uint64_t now,
        const struct norn_replay_area_parts *area, const struct norn_session *session);

/* Do all threads sleep, so that only another one of them could wake any? 0: no. Threads are looked at one after the other, so a
 * thread may have woken another meanwhile: only if a later look gives the same number did all of them sleep at once, in between.
 * reads: of pipes that only they write. */
uint64_t norn_replay_progress_asleep(pid_t pid, bool reads);
char norn_replay_progress_thread(pid_t pid, uint32_t tid); /* its state, as the kernel's stat has it; 0: unknown */

#endif
