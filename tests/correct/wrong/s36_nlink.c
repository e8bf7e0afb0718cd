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
static void init(void)
{
	close(creat("one", 0600));
}
static void set(void)
{
	if (link("one", "two"))
		abort();
}
static int seen(void)
{
	struct stat s;
	return stat("one", &s) == 0 && s.st_nlink == 2;
}
