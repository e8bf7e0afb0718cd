/* norn-test
 * silent: -ldl
 * unjudged:
 */
/* Correct: the functions called through pointers are pthread_mutex_lock and unlock */
#include "lock.h"
#include <dlfcn.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int (*lock_fn)(pthread_mutex_t *), (*unlock_fn)(pthread_mutex_t *);
static void init(void)
{
	lock_fn = (int (*)(pthread_mutex_t *))dlsym(RTLD_DEFAULT, "pthread_mutex_lock");
	unlock_fn = (int (*)(pthread_mutex_t *))dlsym(RTLD_DEFAULT, "pthread_mutex_unlock");
}
static void lk(int i)
{
	(void)i;
	lock_fn(&m);
}
static void ul(int i)
{
	(void)i;
	unlock_fn(&m);
}
