/* norn-test
 * silent: -DCALL='write(f, "", 0)'
 * silent: -DCALL='pwrite(f, "", 0, 0)'
 * silent: -DCALL='pread(f, b, 0, 0)'
 * unjudged:
 */
/* Correct: that a descriptor can no longer be written, or read, tells that the other thread has closed it */
/* X4.a. Norn said, falsely (until c6ec11d), of write and pwrite: race d, race *p predicted. */
#include "hand.h"
#include <fcntl.h>
static int f;
static char b[4];
static void init(void)
{
	char name[32];
	snprintf(name, sizeof name, "/tmp/norn-u50-%d", (int)getpid());
	f = open(name, O_CREAT | O_RDWR, 0600);
	unlink(name);
	b[0] = 1;
}
static void set(void)
{
	close(f);
}
static int seen(void)
{
	return CALL < 0;
}
