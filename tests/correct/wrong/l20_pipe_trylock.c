/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race d
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
#include <fcntl.h>
static int f[2];
static void init(void)
{
	if (pipe2(f, O_NONBLOCK) || write(f[1], "t", 1) != 1)
		abort();
}
static void lk(int i)
{
	char c;
	while (read(f[0], &c, 1) != 1) {
		if (errno != EAGAIN)
			abort();
		usleep(30 + i);
	}
}
static void ul(int i)
{
	(void)i;
	if (write(f[1], "t", 1) != 1)
		abort();
}
