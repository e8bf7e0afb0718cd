/* norn-test
 * errors: yes
 * schedule: abc
 * cc: -DFORGETS
 * cc: -DLOOKS
 * cc: -DSIGNALS
 * cc: -DLOCKS
 * cc: -DINNER
 * cc: -DEXITS
 * finding: ^use-after-return .*(predicted|observed) at (returned.c:\d+ serve leave|:0  end) by main/1, returned.c:\d+ (help|finish) (read|write|signal|acquire) by main/2
 * silent: -DWAITS
 * silent: -DPOSTS
 * silent: -DSPINS
 * silent: -DMEETS
 * silent: -DSTATIC
 * silent: -DLOCKED
 */
/* A function gives another thread the address of a local variable, and returns. Wrong: it does not wait; it looks once whether the other one is done (S15.e); the other
 * signals a condition in it after the lock is free; locks a mutex in it; uses a variable of a caller; uses it when its thread has ended. Silent: the function waits by a condition,
 * by a semaphore, by an atomic flag or at a barrier (S15.c), all of which are local, too; the variable is static; the pointer is taken back under a lock. */
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

#include "../sliced/cast.h"

struct job {
	long value;
	long done;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	sem_t over;
	atomic_int flag;
	pthread_barrier_t meeting;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *posted;
long result;

static void post(struct job *job)
{
	pthread_mutex_lock(&lock);
	posted = job;
	pthread_mutex_unlock(&lock);
}

static struct job *take(void)
{
	pthread_mutex_lock(&lock);
	struct job *job = posted;
	pthread_mutex_unlock(&lock);
	return job;
}

__attribute__((noinline)) static void finish(struct job *job)
{
#ifdef SIGNALS
	pthread_mutex_lock(&lock);
	job->done = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&job->changed);
#elif defined(WAITS)
	pthread_mutex_lock(&job->lock);
	job->done = 1;
	pthread_cond_signal(&job->changed);
	pthread_mutex_unlock(&job->lock);
#elif defined(POSTS)
	sem_post(&job->over);
#elif defined(SPINS)
	atomic_store(&job->flag, 1);
#elif defined(MEETS)
	pthread_barrier_wait(&job->meeting);
#endif
}

__attribute__((noinline)) static void help(void)
{
#ifdef LOCKED
	pthread_mutex_lock(&lock);
	if (posted)
		posted->value = 2;
	pthread_mutex_unlock(&lock);
#else
	struct job *job = take();
	if (!job)
		return;
#ifdef LOCKS
	pthread_mutex_lock(&job->lock);
	pthread_mutex_unlock(&job->lock);
#elif !defined(SIGNALS)
	job->value = 2;
#endif
#ifdef LOOKS
	pthread_mutex_lock(&lock);
	job->done = 1;
	pthread_mutex_unlock(&lock);
#endif
	finish(job);
#endif
}

static void await(struct job *job)
{
#ifdef LOOKS
	pthread_mutex_lock(&lock);
	result += job->done;
	pthread_mutex_unlock(&lock);
#elif defined(SIGNALS)
	pthread_mutex_lock(&lock);
	while (!job->done)
		pthread_cond_wait(&job->changed, &lock);
	pthread_mutex_unlock(&lock);
#elif defined(WAITS)
	pthread_mutex_lock(&job->lock);
	while (!job->done)
		pthread_cond_wait(&job->changed, &job->lock);
	pthread_mutex_unlock(&job->lock);
#elif defined(POSTS)
	sem_wait(&job->over);
#elif defined(SPINS)
	while (!atomic_load(&job->flag))
		;
#elif defined(MEETS)
	pthread_barrier_wait(&job->meeting);
	pthread_barrier_destroy(&job->meeting);
#elif defined(LOCKED)
	post(NULL);
#endif
}

#ifdef INNER
__attribute__((noinline)) static void give(struct job *job)
{
	long copy = job->done;
	post(job);
	result += copy;
}
#else
#define give post
#endif

__attribute__((noinline)) static void serve(void)
{
#ifdef STATIC
	static
#endif
	        struct job job;
	job.value = 1;
	job.done = 0;
	pthread_mutex_init(&job.lock, NULL);
	pthread_cond_init(&job.changed, NULL);
	sem_init(&job.over, 0, 0);
	atomic_init(&job.flag, 0);
	pthread_barrier_init(&job.meeting, NULL, 2);
	give(&job);
#if defined(WAITS) || defined(POSTS) || defined(SPINS) || defined(MEETS)
	gate_leave();
#else
	gate('c');
#endif
	await(&job);
#ifdef EXITS
	gate_leave();
	pthread_exit(NULL);
#endif
}

static void *one(void *unused)
{
	gate('a');
	serve();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	help();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
