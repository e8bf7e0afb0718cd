/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: descriptor 200 comes to be after the data are written */
#include "hand.h"
#include <fcntl.h>
static void init(void)
{
}
static void set(void)
{
	dup2(2, 200);
}
static int seen(void)
{
	return fcntl(200, F_GETFD) >= 0;
}
