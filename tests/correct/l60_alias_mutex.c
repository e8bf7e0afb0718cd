/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a process-shared mutex may be used through every mapping of its page */
#include "lock.h"
#include <sys/mman.h>
static pthread_mutex_t *q[2];
static void init(void)
{
	int f = memfd_create("m", 0);
	pthread_mutexattr_t t;
	if (ftruncate(f, 4096))
		abort();
	for (int i = 0; i < 2; i++)
		q[i] = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	pthread_mutexattr_init(&t);
	pthread_mutexattr_setpshared(&t, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(q[0], &t);
}
static void lk(int i)
{
	pthread_mutex_lock(q[i]);
}
static void ul(int i)
{
	pthread_mutex_unlock(q[i]);
}
