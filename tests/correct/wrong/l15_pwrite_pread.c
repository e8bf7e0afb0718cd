/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <fcntl.h>
static int f;
static void init(void)
{
	f = open("f", O_CREAT | O_RDWR, 0600);
	if (write(f, "----", 4) != 4)
		abort();
}
static void set(void)
{
	if (pwrite(f, "x", 1, 2) != 1)
		abort();
}
static int seen(void)
{
	char c = 0;
	return pread(f, &c, 1, 2) == 1 && c == 'x';
}
