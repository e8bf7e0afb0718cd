/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the file grows after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static int f;
static void init(void)
{
	f = open("f", O_CREAT | O_RDWR, 0600);
}
static void set(void)
{
	if (ftruncate(f, 100))
		abort();
}
static int seen(void)
{
	struct stat s;
	fstat(f, &s);
	return s.st_size == 100;
}
