/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the descriptor is closed after the data are written, and its number is not used again */
#include "hand.h"
#include <fcntl.h>
static void init(void)
{
	dup2(2, 300);
}
static void set(void)
{
	close(300);
}
static int seen(void)
{
	return fcntl(300, F_GETFD) < 0 && errno == EBADF;
}
