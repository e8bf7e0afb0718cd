/* norn-test
 * silent:
 */
/* Correct: an object that is made once */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int object, made;

static void make(void)
{
	object = 5;
	made = made + 1;
}

static void *one(void *unused)
{
	pthread_once(&once, make);
	assert(object == 5 && made == 1);
	return unused;
}

static void *two(void *unused)
{
	pthread_once(&once, make);
	assert(object == 5 && made == 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
