/* norn-test
 * silent:
 */
/* Detached threads are counted, and main waits for the count; each gets its data in a block that it frees itself, and gives its result to a parent task by a count of children. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct task {
	struct task *parent;
	atomic_int children;
	atomic_long sum;
	int from, to;
	void (*then)(struct task *);
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none = PTHREAD_COND_INITIALIZER;
static int threads;
static long result;
static void finish(struct task *t)
{
	while (t && atomic_fetch_sub_explicit(&t->children, 1, memory_order_acq_rel) == 1) {
		struct task *p = t->parent;
		long s = atomic_load_explicit(&t->sum, memory_order_relaxed);
		if (p)
			atomic_fetch_add_explicit(&p->sum, s, memory_order_relaxed);
		else {
			pthread_mutex_lock(&lock);
			result = s;
			pthread_mutex_unlock(&lock);
		}
		free(t);
		t = p;
	}
}
static void *run(void *arg);
static void start(struct task *p, int from, int to)
{
	struct task *t = malloc(sizeof *t);
	pthread_t h;
	pthread_attr_t a;
	*t = (struct task){.parent = p, .from = from, .to = to};
	atomic_init(&t->children, 1);
	pthread_mutex_lock(&lock);
	threads++;
	pthread_mutex_unlock(&lock);
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&h, &a, run, t))
		abort();
	pthread_attr_destroy(&a);
}
static void *run(void *arg)
{
	struct task *t = arg;
	if (t->to - t->from <= 4) {
		for (int i = t->from; i < t->to; i++)
			atomic_fetch_add_explicit(&t->sum, i, memory_order_relaxed);
	} else {
		int middle = (t->from + t->to) / 2;
		atomic_fetch_add_explicit(&t->children, 2, memory_order_relaxed);
		start(t, t->from, middle);
		start(t, middle, t->to);
	}
	finish(t);
	pthread_mutex_lock(&lock);
	assert(threads > 0);
	if (--threads == 0)
		pthread_cond_signal(&none);
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	start(NULL, 0, 16);
	pthread_mutex_lock(&lock);
	while (threads)
		pthread_cond_wait(&none, &lock);
	assert(result == 120);
	pthread_mutex_unlock(&lock);
	printf("%ld\n", result);
	return 0;
}
