/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the relative name is found only after chdir */
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	mkdir("sub", 0700);
	close(open("sub/here", O_CREAT | O_WRONLY, 0600));
}
static void set(void)
{
	if (chdir("sub"))
		abort();
}
static int seen(void)
{
	int f = open("here", O_RDONLY);
	if (f >= 0)
		close(f);
	return f >= 0;
}
