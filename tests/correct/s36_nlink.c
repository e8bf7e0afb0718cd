/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the number of a file's names tells that the data are there */
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	close(creat("one", 0600));
}
static void set(void)
{
	if (link("one", "two"))
		abort();
}
static int seen(void)
{
	struct stat s;
	return stat("one", &s) == 0 && s.st_nlink == 2;
}
