/* norn-test
 * errors: yes
 * cc: -O1
 * chance: ^race d
 * repeat: 24
 * unjudged:
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
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
