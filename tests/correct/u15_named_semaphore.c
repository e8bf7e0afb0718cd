/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: two threads open one semaphore by its name */
#include "hand.h"
#include <fcntl.h>
static char name[32];
static void init(void)
{
	snprintf(name, sizeof name, "/norn-u15-%d", (int)getpid());
	sem_unlink(name);
	sem_close(sem_open(name, O_CREAT | O_EXCL, 0600, 0));
}
static void set(void)
{
	sem_t *s = sem_open(name, 0);
	sem_post(s);
	sem_close(s);
}
static int seen(void)
{
	sem_t *s = sem_open(name, 0);
	if (s == SEM_FAILED)
		abort();
	int r = !sem_trywait(s);
	sem_close(s);
	if (r)
		sem_unlink(name);
	return r;
}
