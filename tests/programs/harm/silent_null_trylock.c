/* norn-test
 * silent:
 */
/* Correct: used where trylock has got the lock, and it is there */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
	struct box *next;
};
static struct box *box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
	pthread_mutex_lock(&lock);
	free(box);
	box = NULL;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	if (pthread_mutex_trylock(&lock) == 0) {
		if (box)
			box->value = 3;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void after(void)
{
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
