/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: files are made with the mask, which changes under the lock after the data are written */
#define GUARDED
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	umask(0);
}
static void set(void)
{
	umask(077);
}
static int seen(void)
{
	struct stat s;
	int f = open("f", O_CREAT | O_RDWR | O_TRUNC, 0666);
	fstat(f, &s);
	close(f);
	unlink("f");
	return (s.st_mode & 0777) == 0600;
}
