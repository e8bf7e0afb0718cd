/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the file's time is set after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	close(open("f", O_CREAT | O_RDWR, 0600));
}
static void set(void)
{
	struct timespec t[2] = {{1000, 0}, {1000, 0}};
	if (utimensat(AT_FDCWD, "f", t, 0))
		abort();
}
static int seen(void)
{
	struct stat s;
	return stat("f", &s) == 0 && s.st_mtime == 1000;
}
