/* norn-test
 * silent: -DJOINED
 * silent: -DCHECKED
 * silent: -DEXCHANGED
 * silent: -DGROWN
 * unjudged: -DGROWN
 */
/* Blocks that are freed when nobody uses them any more: after a join; under the lock, with a look whether it is still there; by whoever
 * takes the pointer; moved under the lock. */
#include <stdatomic.h>

#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *block, *_Atomic taken, used[3], freed;

static void *work(void *argument)
{
	int me = number_of(argument);
#if defined(JOINED)
	pthread_mutex_lock(&lock);
	block[0]++;
	used[me] = block[0];
	pthread_mutex_unlock(&lock);
#elif defined(CHECKED)
	pthread_mutex_lock(&lock);
	if (me == 1) {
		free(block);
		block = NULL;
		freed++;
	} else if (block) {
		used[me] = ++*block;
	}
	pthread_mutex_unlock(&lock);
#elif defined(EXCHANGED)
	int *mine = atomic_exchange(&taken, NULL);
	if (mine) {
		used[me] = *mine;
		free(mine);
	}
#else
	pthread_mutex_lock(&lock);
	block = realloc(block, (size_t)(me + 2) * 64);
	block[0]++;
	used[me] = 1;
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	block = calloc(4, sizeof *block);
	taken = calloc(4, sizeof *block);
	crew(3, work);
#ifndef CHECKED
	free(block);
#endif
#ifndef EXCHANGED
	free(taken);
#endif
	return used[0] + used[1] + used[2] + freed >= 0 ? 0 : 1;
}
