/* norn-test
 * silent:
 */
/* Correct: made on first use, checked twice, atomically */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
	struct box *next;
};
static _Atomic(struct box *) box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct box *make(int value)
{
	struct box *new = calloc(1, sizeof *new);
	if (!new)
		exit(1);
	new->value = value;
	return new;
}

static struct box *get(void)
{
	struct box *mine = atomic_load(&box);
	if (!mine) {
		pthread_mutex_lock(&lock);
		mine = atomic_load(&box);
		if (!mine) {
			mine = make(1);
			atomic_store(&box, mine);
		}
		pthread_mutex_unlock(&lock);
	}
	return mine;
}

static void before(void)
{
}

static void *one(void *unused)
{
	(void)*(volatile int *)&get()->value;
	return unused;
}

static void *two(void *unused)
{
	(void)*(volatile int *)&get()->value;
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
