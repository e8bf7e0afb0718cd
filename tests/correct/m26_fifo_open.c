/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: open of a fifo for reading waits until another thread opens it for writing, after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <sys/stat.h>
static void init(void)
{
	if (mkfifo("fifo", 0600))
		abort();
}
static void set(void)
{
	open("fifo", O_WRONLY);
}
static int seen(void)
{
	return open("fifo", O_RDONLY) >= 0;
}
