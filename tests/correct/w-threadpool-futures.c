/* norn-test
 * silent:
 */
/* A thread pool with futures in C: submit gives a handle, get waits on it; jobs submit jobs and help while they wait. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct future {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int done, refs;
	void *result;
};
struct job {
	struct job *next;
	void *(*f)(void *);
	void *arg;
	struct future *fu;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct job *head, **tail = &head;
static int closing;
static void put(struct future *f)
{
	pthread_mutex_lock(&f->lock);
	assert(f->refs > 0);
	int last = --f->refs == 0;
	pthread_mutex_unlock(&f->lock);
	if (last) {
		pthread_mutex_destroy(&f->lock);
		pthread_cond_destroy(&f->cond);
		free(f);
	}
}
static struct future *submit(void *(*f)(void *), void *arg)
{
	struct future *fu = calloc(1, sizeof *fu);
	struct job *j = malloc(sizeof *j);
	pthread_mutex_init(&fu->lock, NULL);
	pthread_cond_init(&fu->cond, NULL);
	fu->refs = 2;
	*j = (struct job){NULL, f, arg, fu};
	pthread_mutex_lock(&lock);
	*tail = j;
	tail = &j->next;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	return fu;
}
static struct job *try_take(void)
{
	struct job *j = head;
	if (j) {
		head = j->next;
		if (!head)
			tail = &head;
	}
	return j;
}
static void run(struct job *j)
{
	void *r = j->f(j->arg);
	pthread_mutex_lock(&j->fu->lock);
	j->fu->result = r;
	j->fu->done = 1;
	pthread_cond_broadcast(&j->fu->cond);
	pthread_mutex_unlock(&j->fu->lock);
	put(j->fu);
	free(j);
}
static int is_done(struct future *f)
{
	pthread_mutex_lock(&f->lock);
	int d = f->done;
	pthread_mutex_unlock(&f->lock);
	return d;
}
static void *get(struct future *f)
{
	while (!is_done(f)) {
		pthread_mutex_lock(&lock);
		struct job *j = try_take();
		pthread_mutex_unlock(&lock);
		if (j) {
			run(j);
			continue;
		}
		pthread_mutex_lock(&f->lock);
		while (!f->done)
			pthread_cond_wait(&f->cond, &f->lock);
		pthread_mutex_unlock(&f->lock);
	}
	void *r = f->result;
	put(f);
	return r;
}
static void *worker(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		struct job *j = try_take();
		if (!j && closing)
			break;
		if (!j) {
			pthread_cond_wait(&more, &lock);
			continue;
		}
		pthread_mutex_unlock(&lock);
		run(j);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}
struct range {
	int *v, n;
};
static void *sum(void *arg)
{
	struct range *r = arg;
	long s = 0;
	if (r->n <= 4) {
		for (int i = 0; i < r->n; i++)
			s += r->v[i];
		return (void *)s;
	}
	struct range a = {r->v, r->n / 2}, b = {r->v + r->n / 2, r->n - r->n / 2};
	struct future *f = submit(sum, &a);
	s = (long)sum(&b);
	return (void *)(s + (long)get(f));
}
int main(void)
{
	pthread_t t[2];
	int v[16];
	for (int i = 0; i < 16; i++)
		v[i] = i * i;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	struct range all = {v, 16};
	long s = (long)get(submit(sum, &all));
	pthread_mutex_lock(&lock);
	closing = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(s == 1240);
	printf("%ld\n", s);
	return 0;
}
