/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the mode changes after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	close(open("f", O_CREAT | O_RDWR, 0600));
}
static void set(void)
{
	if (chmod("f", 0640))
		abort();
}
static int seen(void)
{
	struct stat s;
	return stat("f", &s) == 0 && (s.st_mode & 0777) == 0640;
}
