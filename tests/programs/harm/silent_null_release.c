/* norn-test
 * silent:
 */
/* Correct: published by release, taken by acquire, looked at */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
	struct box *next;
};
static _Atomic(struct box *) box;
static struct box *make(int value)
{
	struct box *new = calloc(1, sizeof *new);
	if (!new)
		exit(1);
	new->value = value;
	return new;
}

static void before(void)
{
}

static void *one(void *unused)
{
	atomic_store_explicit(&box, make(2), memory_order_release);
	return unused;
}

static void *two(void *unused)
{
	struct box *mine = atomic_load_explicit(&box, memory_order_acquire);
	if (mine)
		mine->value = 3;
	return unused;
}

static void after(void)
{
	free(box);
}

int main(void)
{
	pthread_t threads[2];
	before();
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	after();
	return 0;
}
