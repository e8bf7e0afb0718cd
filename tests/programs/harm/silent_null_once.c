/* norn-test
 * silent:
 */
/* Correct: made once, by pthread_once */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
	struct box *next;
};
static struct box *box;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct box *make(int value)
{
	struct box *new = calloc(1, sizeof *new);
	if (!new)
		exit(1);
	new->value = value;
	return new;
}

static void init(void)
{
	box = make(1);
}

static struct box *get(void)
{
	pthread_once(&once, init);
	return box;
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
