/* norn-test
 * errors: yes
 * cc: -O1 -ldl
 * misses: ^race d
 * unjudged:
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
#include <dlfcn.h>
static void init(void)
{
}
static void set(void)
{
	if (!dlopen("libanl.so.1", RTLD_NOW) && !dlopen("libutil.so.1", RTLD_NOW))
		abort();
}
static int seen(void)
{
	return dlopen("libanl.so.1", RTLD_NOW | RTLD_NOLOAD) || dlopen("libutil.so.1", RTLD_NOW | RTLD_NOLOAD);
}
