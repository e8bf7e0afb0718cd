/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: sem_open with O_EXCL succeeds for one thread at a time, until sem_unlink */
#include "lock.h"
#include <fcntl.h>
static char n[40];
static sem_t *s;
static void init(void)
{
	snprintf(n, sizeof n, "/norn-l71-%d", (int)getpid());
}
static void lk(int i)
{
	sem_t *q;
	while ((q = sem_open(n, O_CREAT | O_EXCL, 0600, 1)) == SEM_FAILED)
		usleep(30 + i);
	s = q;
}
static void ul(int i)
{
	(void)i;
	sem_close(s);
	sem_unlink(n);
}
