/* norn-test
 * errors: yes
 * cc: -DLOCKED
 * cc: -DTWO
 * cc: -DRWLOCK
 * cc: -DSEMAPHORE
 * cc: -DTHREE
 * schedule: abc
 * finding: ^deadlock .* predicted
 * finding-count: 1
 * silent: -DLOCKED -DRIGHT
 * silent: -DLOCKED -DUNLOCKED
 * silent: -DLOCKED -DFULL
 * silent: -DLOCKED -DCLOSED
 * silent: -DLOCKED -DPOLLED
 * silent: -DLOCKED -DNONBLOCK
 * silent: -DLOCKED -DCHILD
 * silent: -DLOCKED -DHANDLER
 * silent: -DTWO -DRIGHT
 * silent: -DRWLOCK -DRIGHT
 * silent: -DSEMAPHORE -DRIGHT
 * silent: -DTHREE -DRIGHT
 */
/* A thread reads from a pipe, and holds what others need to write into it (S23, S23.d). In the recorded run the writer came first. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], back[2];
static int jobs;

static inline void put(int end)
{
	char token = 'x';
#ifdef CLOSED
	(void)!write(end, &token, 1);
#else
	if (write(end, &token, 1) != 1)
		_exit(3);
#endif
}

static inline bool take(int end)
{
	char token;
	return read(end, &token, 1) == 1;
}

static part *third;

#if defined LOCKED
/* The writer needs the lock. RIGHT: both take it one after the other. UNLOCKED: the writer does not need it. FULL (S23.c): there is something in the pipe, whoever
 * comes first. CLOSED (S23.a): main closes it, so that the reader finds the end of the data. POLLED: it looks before it reads. NONBLOCK, CHILD (S23.b), HANDLER: it does not
 * wait, another process may write, a signal may come at any time. */
static void *first(void *unused)
{
	gate('a');
#ifndef UNLOCKED
	pthread_mutex_lock(&lock);
#endif
	jobs = 1;
	put(ends[1]);
#ifndef UNLOCKED
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef RIGHT
	take(ends[0]);
#endif
	pthread_mutex_lock(&lock);
#ifdef POLLED
	struct pollfd ready = {.fd = ends[0], .events = POLLIN};
	if (poll(&ready, 1, 0) == 1)
#endif
#ifndef RIGHT
		take(ends[0]);
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}
#elif defined TWO
/* The reader takes from two pipes; main has put something into the one, who puts it into the other needs the lock. RIGHT: main has done that, too. */
static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	put(ends[1]);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	take(back[0]);
	take(ends[0]);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}
#elif defined RWLOCK
/* Who reads from the pipe holds the lock to read, who writes into it needs it to write. RIGHT: to read, too. */
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
	gate('a');
#ifdef RIGHT
	pthread_rwlock_rdlock(&table);
#else
	pthread_rwlock_wrlock(&table);
	jobs++;
#endif
	put(ends[1]);
	pthread_rwlock_unlock(&table);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_rwlock_rdlock(&table);
	take(ends[0]);
	pthread_rwlock_unlock(&table);
	gate_leave();
	return unused;
}
#elif defined SEMAPHORE
/* As LOCKED, with a semaphore for the lock. */
static sem_t one;

static void *first(void *unused)
{
	gate('a');
	sem_wait(&one);
	put(ends[1]);
	sem_post(&one);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef RIGHT
	take(ends[0]);
	sem_wait(&one);
#else
	sem_wait(&one);
	take(ends[0]);
#endif
	sem_post(&one);
	gate_leave();
	return unused;
}
#elif defined THREE
/* A chain: the third writes for the second only if it gets the lock, which the first holds until the second has answered. */
static void *first(void *unused)
{
	gate('c');
	pthread_mutex_lock(&lock);
	jobs++;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	take(back[0]);
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	take(ends[0]);
	put(back[1]);
	gate_leave();
	return unused;
}

static void *writer(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	jobs++;
	pthread_mutex_unlock(&lock);
	put(ends[1]);
	gate_leave();
	return unused;
}
#define THIRD writer
#endif

#ifdef HANDLER
static void on_signal(int number)
{
	put(ends[1]);
	(void)number;
}
#endif

static void make(void)
{
#ifdef HANDLER
	signal(SIGUSR1, on_signal);
#endif
#ifdef NONBLOCK
	if (pipe2(ends, O_NONBLOCK) != 0 || pipe(back) != 0)
#else
	if (pipe(ends) != 0 || pipe(back) != 0)
#endif
		_exit(3);
#ifdef SEMAPHORE
	sem_init(&one, 0, 1);
#endif
#ifdef FULL
	put(ends[1]);
#endif
#ifdef TWO
	put(back[1]);
#ifdef RIGHT
	put(ends[1]);
#endif
#endif
#ifdef CHILD
	if (fork() == 0) {
		put(ends[1]);
		_exit(0);
	}
#endif
#ifdef THIRD
	third = THIRD;
#endif
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	make();
#ifdef CLOSED
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, second, NULL);
	pthread_create(&threads[1], NULL, first, NULL);
	gate_gather(2);
	gate_open(argv[1]);
	gate('c');
	close(ends[1]);
	gate_leave();
	pthread_join(threads[1], NULL);
	return pthread_join(threads[0], NULL);
#else
	int status = play(argv, first, second, third);
#ifdef CHILD
	wait(NULL);
#endif
	return status;
#endif
}
