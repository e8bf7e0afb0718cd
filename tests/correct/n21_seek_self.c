/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag reaches the branch as the offset of a descriptor */
#include "flow.h"
#include <fcntl.h>
static int flow(int v)
{
	int f = open("f", O_CREAT | O_RDWR, 0600);
	lseek(f, v, SEEK_SET);
	int r = (int)lseek(f, 0, SEEK_CUR);
	close(f);
	return r;
}
