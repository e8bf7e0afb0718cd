/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: link to a name that is there fails with EEXIST */
#include "lock.h"
#include <fcntl.h>
static void init(void)
{
	close(open("src", O_CREAT | O_WRONLY, 0600));
}
static void lk(int i)
{
	while (link("src", "lk"))
		usleep(50 + i);
}
static void ul(int i)
{
	(void)i;
	unlink("lk");
}
