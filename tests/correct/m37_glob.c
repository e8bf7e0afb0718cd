/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: glob finds the name after the data are written */
#include "hand.h"
#include <fcntl.h>
#include <glob.h>
static void init(void)
{
}
static void set(void)
{
	close(open("g1.z", O_CREAT | O_WRONLY, 0600));
}
static int seen(void)
{
	glob_t g;
	int r = glob("*.z", 0, 0, &g);
	if (!r)
		globfree(&g);
	return r == 0;
}
