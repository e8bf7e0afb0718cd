/* norn-test
 * silent:
 */
/* Blocks go from hand to hand through the allocator: one thread frees, the next one gets the same address, and nothing else orders them. */
#include <semaphore.h>

#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *work(void *argument)
{
	long sum = 0;
	for (int i = 0; i < 20; i++) {
		long *block = malloc(16 + 16 * (size_t)(i % 3));
		block[0] = number_of(argument);
		block[1] = i;
		sum += block[0] + block[1];
		block = realloc(block, 200);
		block[20] = sum;
		free(block);
	}
	pthread_mutex_lock(&lock);
	total += sum;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	for (int round = 0; round < 3; round++) /* later threads get the stacks and arenas of earlier ones */
		crew(3, work);
	return total == 3 * (3 * 190 + 60) ? 0 : 1;
}
