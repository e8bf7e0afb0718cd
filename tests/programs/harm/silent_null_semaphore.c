/* norn-test
 * silent:
 */
/* Correct: a semaphore says that it is there */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
	struct box *next;
};
static struct box *box;
static sem_t made;
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
	sem_init(&made, 0, 0);
}

static void *one(void *unused)
{
	box = make(1);
	sem_post(&made);
	return unused;
}

static void *two(void *unused)
{
	sem_wait(&made);
	box->value = 2;
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
