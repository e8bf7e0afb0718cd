/* A library that is built without Norn, and runs functions of the program in threads of its own. What its threads and its callers
 * wait for is seen by nobody in some designs, by libnorn in part in others. */
#include "foreign_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 2

/* ---- one counter that can be raised, and waited for, in several ways: jobs there are, jobs done ---- */

struct gate {
	enum foreign_design design;
	atomic_int value;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	sem_t sem;
	int fds[2];
};

static void gate_init(struct gate *g, enum foreign_design design)
{
	g->design = design;
	pthread_mutex_init(&g->mutex, NULL);
	pthread_cond_init(&g->cond, NULL);
	sem_init(&g->sem, 0, 0);
	if (design == FOREIGN_PIPE && pipe(g->fds))
		abort();
	if (design == FOREIGN_EVENTFD)
		g->fds[0] = g->fds[1] = eventfd(0, EFD_SEMAPHORE);
}

static void gate_done(struct gate *g)
{
	if (g->design == FOREIGN_PIPE)
		close(g->fds[1]);
	if (g->design == FOREIGN_PIPE || g->design == FOREIGN_EVENTFD)
		close(g->fds[0]);
}

static long futex(atomic_int *word, int op, int value)
{
	long result;
	register long r10 __asm__("r10") = 0;
	__asm__ volatile("syscall"
	        : "=a"(result)
	        : "a"(SYS_futex), "D"(word), "S"(op), "d"(value), "r"(r10)
	        : "rcx", "r11", "memory");
	return result;
}

static void gate_raise(struct gate *g)
{
	uint64_t one = 1;
	switch (g->design) {
	case FOREIGN_COND:
		pthread_mutex_lock(&g->mutex);
		g->value++;
		pthread_cond_signal(&g->cond);
		pthread_mutex_unlock(&g->mutex);
		return;
	case FOREIGN_SEMAPHORE:
		sem_post(&g->sem);
		return;
	case FOREIGN_FUTEX:
		g->value++;
		syscall(SYS_futex, &g->value, FUTEX_WAKE, 1, NULL, NULL, 0);
		return;
	case FOREIGN_HIDDEN:
		g->value++;
		futex(&g->value, FUTEX_WAKE, 1);
		return;
	case FOREIGN_PIPE:
		if (write(g->fds[1], "", 1) != 1)
			abort();
		return;
	case FOREIGN_EVENTFD:
		if (write(g->fds[1], &one, sizeof one) != sizeof one)
			abort();
		return;
	default:
		g->value++;
	}
}

/* Takes one. */
static void gate_pass(struct gate *g)
{
	uint64_t one;
	switch (g->design) {
	case FOREIGN_COND:
		pthread_mutex_lock(&g->mutex);
		while (g->value == 0)
			pthread_cond_wait(&g->cond, &g->mutex);
		g->value--;
		pthread_mutex_unlock(&g->mutex);
		return;
	case FOREIGN_SEMAPHORE:
		while (sem_wait(&g->sem))
			;
		return;
	case FOREIGN_PIPE:
		if (read(g->fds[0], &one, 1) != 1)
			abort();
		return;
	case FOREIGN_EVENTFD:
		if (read(g->fds[0], &one, sizeof one) != sizeof one)
			abort();
		return;
	default:
		for (;;) {
			int value = g->value;
			if (value > 0 && atomic_compare_exchange_strong(&g->value, &value, value - 1))
				return;
			if (value > 0)
				continue;
			if (g->design == FOREIGN_FUTEX)
				syscall(SYS_futex, &g->value, FUTEX_WAIT, 0, NULL, NULL, 0);
			else if (g->design == FOREIGN_HIDDEN)
				futex(&g->value, FUTEX_WAIT, 0);
			else
				sched_yield();
		}
	}
}

/* ---- the pool ---- */

struct foreign {
	enum foreign_design design;
	foreign_job *job;
	void *arguments[FOREIGN_JOBS];
	atomic_int next; /* that is to be run */
	int pushed;
	atomic_bool busy; /* FOREIGN_ONE_BY_ONE: a job runs */
	atomic_bool stop;
	struct gate there, done;
	pthread_t threads[WORKERS];
};

static void run_one(struct foreign *f)
{
	int number = f->next++;
	while (f->design == FOREIGN_ONE_BY_ONE && atomic_exchange(&f->busy, true))
		sched_yield();
	f->job(f->arguments[number % FOREIGN_JOBS]);
	f->busy = false;
}

static void *work(void *argument)
{
	struct foreign *f = argument;
	for (;;) {
		gate_pass(&f->there);
		if (f->stop)
			return NULL;
		run_one(f);
		gate_raise(&f->done);
	}
}

struct foreign *foreign_new(enum foreign_design design, foreign_job *job)
{
	struct foreign *f = calloc(1, sizeof *f);
	f->design = design;
	f->job = job;
	gate_init(&f->there, design);
	gate_init(&f->done, design);
	for (int i = 0; i < WORKERS && design != FOREIGN_CALLER; i++)
		if (pthread_create(&f->threads[i], NULL, work, f))
			abort();
	return f;
}

void foreign_push(struct foreign *f, void *argument)
{
	f->arguments[f->pushed++ % FOREIGN_JOBS] = argument;
	if (f->design == FOREIGN_CALLER) {
		run_one(f);
		f->done.value++;
	} else {
		gate_raise(&f->there);
	}
}

void foreign_wait(struct foreign *f, int jobs)
{
	while (jobs--)
		gate_pass(&f->done);
}

void foreign_free(struct foreign *f)
{
	f->stop = true;
	for (int i = 0; i < WORKERS && f->design != FOREIGN_CALLER; i++)
		gate_raise(&f->there);
	for (int i = 0; i < WORKERS && f->design != FOREIGN_CALLER; i++)
		pthread_join(f->threads[i], NULL);
	gate_done(&f->there);
	gate_done(&f->done);
	free(f);
}

/* ---- a barrier ---- */

static pthread_barrier_t meeting;
static foreign_job *phase_job;

static void *meet(void *argument)
{
	phase_job(argument);
	pthread_barrier_wait(&meeting);
	phase_job((char *)argument + 1);
	pthread_barrier_wait(&meeting);
	return NULL;
}

void foreign_meet(foreign_job *job, char *first, char *second)
{
	pthread_t threads[2];
	phase_job = job;
	pthread_barrier_init(&meeting, NULL, 3);
	for (int i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, meet, i ? second : first))
			abort();
		pthread_detach(threads[i]);
	}
	pthread_barrier_wait(&meeting);
	pthread_barrier_wait(&meeting);
}

/* ---- a timer ---- */

static atomic_int ticking; /* 1: yes, 2: to be stopped, 0: no */
static foreign_job *tick_job;

static void *tick(void *argument)
{
	struct timespec pause = {0, 100000};
	while (ticking == 1) {
		nanosleep(&pause, NULL);
		tick_job(argument);
	}
	ticking = 0;
	return NULL;
}

void foreign_timer(foreign_job *job, void *argument)
{
	pthread_t thread;
	tick_job = job;
	ticking = 1;
	if (pthread_create(&thread, NULL, tick, argument))
		abort();
	pthread_detach(thread);
}

void foreign_timer_stop(void)
{
	ticking = 2;
	while (ticking)
		sched_yield();
}

/* ---- references ---- */

struct foreign_reference {
	atomic_int count;
	foreign_job *destroy;
	void *argument;
};

struct foreign_reference *foreign_reference_new(foreign_job *destroy, void *argument)
{
	struct foreign_reference *r = calloc(1, sizeof *r);
	*r = (struct foreign_reference){1, destroy, argument};
	return r;
}

void foreign_ref(struct foreign_reference *r)
{
	r->count++;
}

void foreign_unref(struct foreign_reference *r)
{
	if (--r->count)
		return;
	r->destroy(r->argument);
	free(r);
}

/* ---- a lock ---- */

static atomic_flag held = ATOMIC_FLAG_INIT;

void foreign_lock(void)
{
	while (atomic_flag_test_and_set(&held))
		sched_yield();
}

void foreign_unlock(void)
{
	atomic_flag_clear(&held);
}

/* Takes a lock that libnorn sees before it waits for what it does not see. */
void foreign_wait_seen(atomic_int *flag)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	while (!*flag)
		sched_yield();
}
