/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: error() counts in a variable that the program reads, under a lock */
#define GUARDED
#include "hand.h"
#include <error.h>
static void init(void)
{
}
static void set(void)
{
	error(0, 0, "said");
}
static int seen(void)
{
	return error_message_count == 1;
}
