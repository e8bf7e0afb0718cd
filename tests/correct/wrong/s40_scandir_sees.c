/* norn-test
 * errors: yes
 * cc: -O1
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <dirent.h>
#include <fcntl.h>
static int wanted(const struct dirent *e)
{
	return !strcmp(e->d_name, "sign");
}
static void init(void)
{
}
static void set(void)
{
	close(open("sign", O_CREAT | O_WRONLY, 0600));
}
static int seen(void)
{
	struct dirent **list;
	int n = scandir(".", &list, wanted, alphasort);
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return n == 1;
}
