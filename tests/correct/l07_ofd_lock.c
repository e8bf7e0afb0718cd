/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: F_OFD_SETLKW of two open file descriptions is exclusive between threads */
#include "lock.h"
#include <fcntl.h>
static int f[2];
static void init(void)
{
	f[0] = open("lk", O_CREAT | O_RDWR, 0600);
	f[1] = open("lk", O_CREAT | O_RDWR, 0600);
}
static void op(int i, short type)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = 5, .l_len = 10};
	if (fcntl(f[i], F_OFD_SETLKW, &l))
		abort();
}
static void lk(int i)
{
	op(i, F_WRLCK);
}
static void ul(int i)
{
	op(i, F_UNLCK);
}
