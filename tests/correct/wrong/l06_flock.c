/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race d
 * unjudged:
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
#include <fcntl.h>
#include <sys/file.h>
static int f[2];
static void init(void)
{
	f[0] = open("lk", O_CREAT | O_RDWR, 0600);
	f[1] = open("lk", O_CREAT | O_RDWR, 0600);
}
static void lk(int i)
{
	if (flock(f[i], LOCK_EX))
		abort();
}
static void ul(int i)
{
	flock(f[i], LOCK_UN);
}
