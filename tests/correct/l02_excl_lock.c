/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: open with O_EXCL succeeds for one thread at a time, until unlink */
#include "lock.h"
#include <fcntl.h>
static void init(void)
{
}
static void lk(int i)
{
	int f;
	while ((f = open("lk", O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
		usleep(50 + i);
	close(f);
}
static void ul(int i)
{
	(void)i;
	unlink("lk");
}
