/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the size of a file that sendfile has written to tells that the data are there */
#include "hand.h"
#include <fcntl.h>
#include <sys/sendfile.h>
static int in, out;
static void init(void)
{
	in = open("in", O_CREAT | O_RDWR, 0600);
	if (write(in, "go", 2) != 2)
		abort();
	lseek(in, 0, SEEK_SET);
	out = open("out", O_CREAT | O_RDWR, 0600);
}
static void set(void)
{
	if (sendfile(out, in, 0, 2) != 2)
		abort();
}
static int seen(void)
{
	char b[4];
	return pread(out, b, 4, 0) == 2;
}
