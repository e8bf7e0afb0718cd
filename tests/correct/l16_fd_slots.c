/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: an open descriptor's number is nobody else's until it is closed */
#include "slot.h"
#include <fcntl.h>
static void init(void)
{
}
static int take(void)
{
	return open("/dev/null", O_RDONLY);
}
static void give(int n)
{
	close(n);
}
