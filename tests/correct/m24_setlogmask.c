/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the mask of syslog is set after the data are written */
#define GUARDED
#include "hand.h"
#include <syslog.h>
static void init(void)
{
}
static void set(void)
{
	setlogmask(LOG_MASK(LOG_ERR));
}
static int seen(void)
{
	return setlogmask(0) == LOG_MASK(LOG_ERR);
}
