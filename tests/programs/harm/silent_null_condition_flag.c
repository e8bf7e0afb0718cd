/* norn-test
 * silent:
 */
/* Correct: a flag under the lock says that it is there */
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
static int ready;
static pthread_cond_t made = PTHREAD_COND_INITIALIZER;
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
	pthread_mutex_lock(&lock);
	box = make(1);
	ready = 1;
	pthread_cond_signal(&made);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&made, &lock);
	box->value = 2;
	pthread_mutex_unlock(&lock);
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
