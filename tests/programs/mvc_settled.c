/* norn-test
 * cc: -g -O1 -pthread
 * prop: mvc_settled.prop
 * no-finding: yes
 * check-exit: 0
 */
/* What comes first decides the property; the nine million cuts after that need not be looked at, and no limit bites. */
#include <norn.h>
#include <pthread.h>

static void *produce(void *unused)
{
	for (int i = 0; i < 3000; i++)
		norn_event("produce", i);
	return unused;
}

static void *consume(void *unused)
{
	for (int i = 0; i < 3000; i++)
		norn_event("consume", i);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	norn_event("produce", 0);
	pthread_create(&threads[0], NULL, produce, NULL);
	pthread_create(&threads[1], NULL, consume, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
