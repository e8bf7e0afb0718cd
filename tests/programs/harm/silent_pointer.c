/* norn-test
 * silent:
 */
/* Correct: a pointer that is set before the threads are there */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct box {
	int value;
};
static struct box *box;
static atomic_int seen;

static void *one(void *unused)
{
	assert(box && box->value == 3);
	atomic_fetch_add(&seen, 1);
	return unused;
}

static void *two(void *unused)
{
	assert(box != NULL);
	atomic_fetch_add(&seen, box->value == 3);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	static struct box first = {3};
	box = &first;
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(seen == 2);
	return 0;
}
