/* norn-test
 * repeat: 8
 * silent:
 * silent: -DROUNDING -lm
 */
/* Like workers that wait for the same jobs, and tell each other apart by the slack of their timers, or by how they round: each writes its own slot without a lock. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fenv.h>
#include <immintrin.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a thread is told apart by. */
#ifdef ROUNDING
static void become(int k)
{
	fesetround(k == 1 ? FE_UPWARD : k == 2 ? FE_DOWNWARD : FE_TONEAREST);
}
static int who(void)
{
	return fegetround() == FE_UPWARD ? 1 : fegetround() == FE_DOWNWARD ? 2 : 0;
}
#else
static void become(int k)
{
	prctl(PR_SET_TIMERSLACK, 50001UL + (unsigned long)k, 0, 0, 0);
}
static int who(void)
{
	return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) - 50001;
}
#endif
enum { W = 3, JOBS = 6 };
struct job {
	struct job *next;
	int number, by;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t bar;
static struct job *head, jobs[JOBS], *last[W];
static int closed;
static struct {
	int n, sum;
} slot[W];
static atomic_int ids;

static struct job *take(void)
{
	pthread_mutex_lock(&lock);
	while (!head && !closed)
		pthread_cond_wait(&more, &lock);
	struct job *j = head;
	if (j)
		head = j->next;
	pthread_mutex_unlock(&lock);
	return j;
}
static void *worker(void *arg)
{
	{
		int k_ = atomic_fetch_add(&ids, 1);
		become(k_);
	}
	int me = 0;
	struct job *j;
	while ((j = take())) {
		int m_ = who();
		j->by = m_;
		slot[m_].n++;
		slot[m_].sum += j->number;
		assert(slot[m_].n > 0 && j->by == who());
		last[m_] = j;
		assert(last[m_]->by == m_);
	}

	return arg;
}
int main(void)
{
	pthread_t t[W];
	pthread_barrier_init(&bar, NULL, W);

	for (int i = 0; i < W; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < JOBS; i++) {
		jobs[i].number = i;
		pthread_mutex_lock(&lock);
		jobs[i].next = head;
		head = &jobs[i];
		pthread_mutex_unlock(&lock);
		pthread_cond_signal(&more);
	}
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_broadcast(&more);
	int n = 0, sum = 0;
	for (int i = 0; i < W; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < W; i++) {
		n += slot[i].n;
		sum += slot[i].sum;
	}
	assert(n == JOBS);
	printf("%d\n", sum);
	return 0;
}
