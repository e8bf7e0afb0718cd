/* norn-test
 * silent: -DTHREAD_LOCAL
 * silent: -DKEYS
 * silent: -DSTACK
 * silent: -DSLICES
 * silent: -DBYTES
 * silent: -DHEAP
 */
/* Nothing is shared, though it looks alike: thread-local variables, keys, stacks, neighbouring parts of one array, memory that the
 * allocator gives to one thread after another had it. */
#include <string.h>

#include "crew.h"

static int results[4];

#ifdef KEYS
static pthread_key_t key;
#endif
#ifdef THREAD_LOCAL
static _Thread_local int own, *pointer;
#endif
#ifdef SLICES
static int cells[32];
#endif
#ifdef BYTES
static char bytes[4];
#endif

static void *work(void *argument)
{
	int me = number_of(argument);
#if defined(THREAD_LOCAL)
	pointer = &own;
	for (int i = 0; i < 8; i++)
		*pointer += me;
	results[me] = own;
#elif defined(KEYS)
	int *own = malloc(sizeof *own);
	*own = 0;
	pthread_setspecific(key, own);
	for (int i = 0; i < 8; i++)
		*(int *)pthread_getspecific(key) += me;
	results[me] = *own;
#elif defined(STACK)
	int own[8];
	memset(own, 0, sizeof own);
	for (int i = 0; i < 8; i++)
		own[i] = me;
	for (int i = 0; i < 8; i++)
		results[me] += own[i];
#elif defined(SLICES)
	for (int i = 0; i < 8; i++)
		cells[me * 8 + i] = me;
	for (int i = 0; i < 8; i++)
		results[me] += cells[me * 8 + i];
#elif defined(BYTES)
	for (int i = 0; i < 8; i++)
		bytes[me] = (char)(bytes[me] + me);
	results[me] = bytes[me];
#else
	for (int i = 0; i < 8; i++) {
		int *block = malloc(48);
		memset(block, 0, 48);
		block[i % 12] = me;
		results[me] += block[i % 12];
		free(block);
	}
#endif
	return NULL;
}

int main(void)
{
#ifdef KEYS
	pthread_key_create(&key, free);
#endif
	crew(4, work);
	for (int i = 0; i < 4; i++)
		if (results[i] != 8 * i)
			return 1;
	return 0;
}
