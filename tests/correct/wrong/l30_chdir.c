/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <sys/stat.h>
static void init(void)
{
	mkdir("sub", 0700);
}
static void set(void)
{
	if (chdir("sub"))
		abort();
}
static int seen(void)
{
	char b[4096];
	if (!getcwd(b, sizeof b))
		abort();
	return strcmp(b + strlen(b) - 4, "/sub") == 0;
}
