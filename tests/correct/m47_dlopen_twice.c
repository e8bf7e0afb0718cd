/* norn-test
 * silent: -ldl
 * unjudged:
 */
/* Correct: the library is loaded after the data are written; RTLD_NOLOAD finds it then */
#include "hand.h"
#include <dlfcn.h>
static void init(void)
{
	if (dlopen("libutil.so.1", RTLD_NOW | RTLD_NOLOAD))
		exit(0);
}
static void set(void)
{
	if (!dlopen("libutil.so.1", RTLD_NOW))
		abort();
}
static int seen(void)
{
	return dlopen("libutil.so.1", RTLD_NOW | RTLD_NOLOAD) != 0;
}
