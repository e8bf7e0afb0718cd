/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: mkdir of one name succeeds for one thread at a time, until rmdir */
#include "lock.h"
#include <sys/stat.h>
static void init(void)
{
}
static void lk(int i)
{
	while (mkdir("lk", 0700))
		usleep(50 + i);
}
static void ul(int i)
{
	(void)i;
	rmdir("lk");
}
