/* norn-test
 * silent: -ldl
 * unjudged:
 */
/* Correct: whether a library is loaded tells that the data are there */
#include "hand.h"
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
