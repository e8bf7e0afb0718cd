/* norn-test
 * silent:
 */
/* Green threads by swapcontext that migrate between two system threads: a fibre is taken from a locked queue, run until it yields, and put back. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
enum { FIBRES = 4, STEPS = 3, STACK = 65536 };
struct fibre {
	ucontext_t here, *back;
	struct fibre *next;
	int id, done, sum, started;
	char *stack;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fibre *ready;
static int live = FIBRES;
static void yield(struct fibre *f)
{
	swapcontext(&f->here, f->back);
}
static int inner(struct fibre *f, int depth)
{
	int local[4] = {f->id, depth, f->id * depth, 0};
	yield(f);
	local[3] = depth ? inner(f, depth - 1) : 0;
	assert(local[0] == f->id && local[2] == f->id * depth);
	return local[2] + local[3];
}
static void body(unsigned low, unsigned high)
{
	struct fibre *f = (struct fibre *)((size_t)high << 32 | low);
	for (int i = 0; i < STEPS; i++)
		f->sum += inner(f, 2);
	f->done = 1;
	for (;;)
		yield(f);
}
static void *carrier(void *arg)
{
	ucontext_t me;
	for (;;) {
		pthread_mutex_lock(&lock);
		struct fibre *f = ready;
		if (f)
			ready = f->next;
		int over = live == 0;
		pthread_mutex_unlock(&lock);
		if (over)
			return arg;
		if (!f)
			continue;
		f->back = &me;
		if (!f->started) {
			f->started = 1;
			getcontext(&f->here);
			f->here.uc_stack.ss_sp = f->stack;
			f->here.uc_stack.ss_size = STACK;
			f->here.uc_link = NULL;
			makecontext(&f->here, (void (*)(void))body, 2, (unsigned)(size_t)f, (unsigned)((size_t)f >> 32));
		}
		swapcontext(&me, &f->here);
		pthread_mutex_lock(&lock);
		if (f->done)
			live--;
		else {
			struct fibre **p = &ready;
			while (*p)
				p = &(*p)->next;
			f->next = NULL;
			*p = f;
		}
		pthread_mutex_unlock(&lock);
	}
}
int main(void)
{
	struct fibre *f = calloc(FIBRES, sizeof *f);
	for (int i = 0; i < FIBRES; i++) {
		f[i].id = i;
		f[i].stack = malloc(STACK);
		f[i].next = ready;
		ready = &f[i];
	}
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, carrier, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	int sum = 0;
	for (int i = 0; i < FIBRES; i++) {
		assert(f[i].done);
		sum += f[i].sum;
		free(f[i].stack);
	}
	free(f);
	printf("%d\n", sum);
	return 0;
}
