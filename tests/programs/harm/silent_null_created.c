/* norn-test
 * silent:
 */
/* Correct: set before the threads are there, cleared after they have ended */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
	struct box *next;
};
static struct box *box;
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
	box = make(1);
}

static void *one(void *unused)
{
	(void)*(volatile int *)&box->value;
	return unused;
}

static void *two(void *unused)
{
	struct box *mine = box;
	(void)*(volatile int *)&mine->value;
	return unused;
}

static void after(void)
{
	free(box);
	box = NULL;
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
