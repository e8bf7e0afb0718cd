/* norn-test
 * silent:
 */
/* Like workers of one queue that differ in what only the kernel knows of them: signal mask, name, affinity-free cancel state. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
enum { W = 3, JOBS = 9 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next, by_blocked, by_open;
static struct {
	int number;
	char done_by[16];
	int blocked;
} job[JOBS];
static pthread_barrier_t start;
static void *worker(void *arg)
{
	pthread_barrier_wait(&start);
	for (;;) {
		pthread_mutex_lock(&lock);
		int n = next < JOBS ? next++ : -1;
		pthread_mutex_unlock(&lock);
		if (n < 0)
			return arg;
		sigset_t s;
		pthread_sigmask(SIG_BLOCK, NULL, &s);
		job[n].blocked = sigismember(&s, SIGUSR2);
		pthread_getname_np(pthread_self(), job[n].done_by, sizeof job[n].done_by);
		assert(job[n].blocked == (job[n].done_by[0] == 'b'));
		int *count = job[n].blocked ? &by_blocked : &by_open;
		pthread_mutex_lock(&lock);
		++*count;
		pthread_mutex_unlock(&lock);
	}
}
static void *blocked(void *arg)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &s, NULL);
	pthread_setname_np(pthread_self(), "blocked");
	return worker(arg);
}
static void *open_(void *arg)
{
	pthread_setname_np(pthread_self(), "open");
	return worker(arg);
}
int main(void)
{
	pthread_t t[W];
	pthread_barrier_init(&start, NULL, W);
	for (int i = 0; i < W; i++)
		pthread_create(&t[i], NULL, i % 2 ? blocked : open_, NULL);
	for (int i = 0; i < W; i++)
		pthread_join(t[i], NULL);
	assert(by_blocked + by_open == JOBS);
	printf("%d\n", by_blocked + by_open);
	return 0;
}
