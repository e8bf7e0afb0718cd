/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the name free can be renamed by one thread only, until it is renamed back */
#include "lock.h"
#include <fcntl.h>
static void init(void)
{
	close(open("free", O_CREAT | O_WRONLY, 0600));
}
static void lk(int i)
{
	while (rename("free", "taken"))
		usleep(50 + i);
}
static void ul(int i)
{
	(void)i;
	if (rename("taken", "free"))
		abort();
}
