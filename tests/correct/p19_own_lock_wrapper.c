/* norn-test
 * silent: -ldl
 * unjudged:
 */
/* Correct: the program's own pthread_mutex_lock calls the next one */
#include "lock.h"
#include <dlfcn.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int calls;
int pthread_mutex_lock(pthread_mutex_t *q)
{
	static int (*_Atomic next)(pthread_mutex_t *);
	int (*f)(pthread_mutex_t *) = next;
	if (!f)
		next = f = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	calls++;
	return f(q);
}
static void init(void)
{
}
static void lk(int i)
{
	(void)i;
	L(m);
}
static void ul(int i)
{
	(void)i;
	U(m);
}
