/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
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
