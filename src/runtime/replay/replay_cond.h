/* Condition variables and barriers of a program that replays.
 *
 * libc's wait takes the mutex back by itself, when it likes, and a signal wakes any thread. A predicted run says both. So a process
 * that began with a replay area (confirm/replay_area.h) waits by Norn's own means: by a count of notifies, and a mutex and a
 * condition of libc's under it that no other code knows. A wait is over when the count is another than before the program's mutex
 * was given up, so no notify is lost; every notify ends all waits that there are, as POSIX allows (a wait may end without reason),
 * and their threads come to take the mutex back as they would take any lock. Only a thread that is to be seen asleep for ever goes
 * by libc's own order: it has a place in a queue.
 *
 * Likewise libc's barrier tells one thread of a round that it is the last, by the order in which they come to count: here they come
 * in their turn.
 *
 * This stays so when all is over: a thread that waits in one way must be notified in the same. Process-shared conditions are left
 * to libc. */
#ifndef NORN_RUNTIME_REPLAY_REPLAY_COND_H
#define NORN_RUNTIME_REPLAY_REPLAY_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Is cond waited for and notified by what is below? */
bool norn_cond_is_replayed(const pthread_cond_t *cond);
/* The number of notifies so far. Before the caller gives up its mutex. */
uint32_t norn_cond_count(const pthread_cond_t *cond);
/* The caller falls asleep, before it gives up its mutex: its place among all that ever did, from 1. */
uint32_t norn_cond_sleep(const pthread_cond_t *cond);
/* Waits until it is another count; with a place: until a notify wakes it, of which a signal wakes the thread that has slept
 * longest. A cancellation point, which unwinds holding nothing. until: NULL, or on which clock. 0 or ETIMEDOUT. */
int norn_cond_await(
        const pthread_cond_t *cond, uint32_t count, uint32_t place, bool stays, clockid_t clock, const struct timespec *until);
/* all: a broadcast. A signal wakes all, too, as long as there is a choice to be made among them. */
void norn_cond_notify(const pthread_cond_t *cond, bool all);
/* A barrier of so many threads begins, and one ends. */
void norn_barrier_make(const void *barrier, unsigned count);
void norn_barrier_unmake(const void *barrier);
/* The caller arrives at a barrier that began here: the number of its round, for norn_barrier_await; -ENOENT: it is libc's. */
int64_t norn_barrier_arrive(const void *barrier, bool *ret_last);
void norn_barrier_await(const void *barrier, int64_t round);

/* The clock that timeouts of cond are of. */
clockid_t norn_cond_clock(const pthread_cond_t *cond);

#endif
