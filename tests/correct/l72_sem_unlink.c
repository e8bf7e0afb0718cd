/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the name is gone after the data are written */
#include "hand.h"
#include <fcntl.h>
static char n[40];
static void init(void)
{
	snprintf(n, sizeof n, "/norn-l72-%d", (int)getpid());
	sem_close(sem_open(n, O_CREAT, 0600, 0));
}
static void set(void)
{
	sem_unlink(n);
}
static int seen(void)
{
	sem_t *s = sem_open(n, 0);
	if (s != SEM_FAILED)
		sem_close(s);
	return s == SEM_FAILED;
}
