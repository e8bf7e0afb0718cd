/* norn-test
 * errors: yes
 * schedule: abcd
 * cc: -DSIGNAL
 * cc: -DBROADCAST
 * cc: -DANOTHER
 * cc: -DNEXT_JOB
 * cc: -DTWO_CONDITIONS
 * cc: -DSLEEPER
 * finding: ^race y\b.* predicted
 * silent: -DSIGNAL -DTOLD
 * silent: -DBROADCAST -DTOLD
 * silent: -DANOTHER -DTOLD
 * silent: -DNEXT_JOB -DTOLD
 * silent: -DTWO_CONDITIONS -DTOLD
 * silent: -DSLEEPER -DTOLD
 * silent: -DDECIDED
 */
/* S4 to S7. A thread that writes y, then waits, and one that notifies it, then writes y: the notify needs no waiter, so both may write at once (SIGNAL, BROADCAST; with a job that is
 * handed over without the lock, NEXT_JOB). A thread that is woken needs a notify, not the one that woke it (ANOTHER; SLEEPER: of two sleepers the other may be woken first). TWO_CONDITIONS: the
 * one that is waited for has nothing to do with the other. TOLD: what is said under the lock makes them wait for each other. DECIDED: a timed wait that was woken tells of its notify. */
#include <stdbool.h>
#include <time.h>

#include "cast.h"

static pthread_mutex_t L = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
static bool go, ready;
int y;

/* Under the lock, and gives up the turn when it sleeps. */
static void await(const bool *what, pthread_cond_t *changed)
{
	gate_leave();
	while (!*what)
		pthread_cond_wait(changed, &L);
}

static void say(bool *what, pthread_cond_t *changed, bool all)
{
	pthread_mutex_lock(&L);
	*what = true;
	if (all)
		pthread_cond_broadcast(changed);
	else
		pthread_cond_signal(changed);
	pthread_mutex_unlock(&L);
}

/* ---- who waits ---- */

static void *one(void *unused)
{
	gate('a');
#if defined(SIGNAL) || defined(BROADCAST) || defined(TWO_CONDITIONS)
	y = 1;
	pthread_mutex_lock(&L);
#ifdef TOLD
	ready = true;
	pthread_cond_signal(&d);
#endif
	await(&go, &c);
	pthread_mutex_unlock(&L);
#elif defined(NEXT_JOB)
	for (int round = 0; round < 2; round++) {
		y = round;
		pthread_mutex_lock(&L);
#ifdef TOLD
		ready = true;
		pthread_cond_signal(&d);
#endif
		await(&go, &c);
		go = false;
		pthread_mutex_unlock(&L);
	}
#elif defined(ANOTHER) || defined(SLEEPER)
	pthread_mutex_lock(&L);
	gate_leave();
#ifdef TOLD
	while (!go)
#endif
		pthread_cond_wait(&c, &L);
	pthread_mutex_unlock(&L);
#ifdef ANOTHER
	y = 1;
#endif
#elif defined(DECIDED)
	struct timespec until = {.tv_sec = time(NULL) + 1000};
	pthread_mutex_lock(&L);
	gate_leave();
	int result = pthread_cond_timedwait(&c, &L, &until);
	pthread_mutex_unlock(&L);
	if (result == 0)
		y = 1;
#endif
	gate_leave();
	return unused;
}

/* ---- who notifies ---- */

static void *two(void *unused)
{
	gate('b');
	gate_until_free(&L);
#if defined(SIGNAL) || defined(BROADCAST) || defined(TWO_CONDITIONS) || defined(NEXT_JOB)
#ifdef TOLD
	pthread_mutex_lock(&L);
	await(&ready, &d);
	pthread_mutex_unlock(&L);
#endif
#ifdef TWO_CONDITIONS
	pthread_cond_signal(&d);
#endif
#ifdef BROADCAST
	say(&go, &c, true);
#else
	say(&go, &c, false);
#endif
#ifdef NEXT_JOB
	gate_leave();
	for (bool taken = false; !taken; pthread_mutex_unlock(&L)) {
		pthread_mutex_lock(&L);
		taken = !go;
	}
#ifndef TOLD
	y = 3;
#endif
	say(&go, &c, false);
#else
	y = 2;
#endif
#elif defined(ANOTHER)
	y = 2;
#ifdef TOLD
	say(&go, &c, false);
#else
	pthread_cond_signal(&c);
#endif
#elif defined(SLEEPER)
	pthread_mutex_lock(&L);
	gate_leave();
#ifdef TOLD
	while (!go)
#endif
		pthread_cond_wait(&c, &L);
	pthread_mutex_unlock(&L);
	y = 1;
#elif defined(DECIDED)
	y = 2;
	pthread_cond_signal(&c);
#endif
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	gate_until_free(&L);
#ifdef ANOTHER
#ifdef TOLD
	pthread_cond_signal(&c);
#else
	say(&go, &c, false);
#endif
#elif defined(SLEEPER)
#ifdef TOLD
	y = 3;
	say(&go, &c, true);
#else
	pthread_cond_signal(&c);
	y = 3;
	pthread_cond_signal(&c);
#endif
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
