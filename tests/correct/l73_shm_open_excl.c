/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: shm_open with O_EXCL succeeds for one thread at a time, until shm_unlink */
#include "lock.h"
#include <fcntl.h>
#include <sys/mman.h>
static char n[40];
static void init(void)
{
	snprintf(n, sizeof n, "/norn-l73-%d", (int)getpid());
}
static void lk(int i)
{
	int f;
	while ((f = shm_open(n, O_CREAT | O_EXCL | O_RDWR, 0600)) < 0)
		usleep(30 + i);
	close(f);
}
static void ul(int i)
{
	(void)i;
	shm_unlink(n);
}
