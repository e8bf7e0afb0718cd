/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a process-shared semaphore may be posted through one mapping and waited for through another */
#include "hand.h"
#include <sys/mman.h>
static sem_t *s1, *s2;
static void init(void)
{
	int f = memfd_create("m", 0);
	if (ftruncate(f, 4096))
		abort();
	s1 = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	s2 = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	sem_init(s1, 1, 0);
}
static void set(void)
{
	sem_post(s1);
}
static int seen(void)
{
	return sem_wait(s2) == 0;
}
