/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: umask is read and written under a lock, and changed after the data are written */
#define GUARDED
#include "hand.h"
#include <sys/stat.h>
static void init(void)
{
	umask(022);
}
static void set(void)
{
	umask(027);
}
static int seen(void)
{
	mode_t o = umask(0);
	umask(o);
	return o == 027;
}
