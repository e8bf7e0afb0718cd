/* norn-test
 * silent:
 * unjudged:
 */
/* Correct with glibc: a mutex that is held is not destroyed (EBUSY); who can destroy it comes after the one that gave it back */
#include "hand.h"
static sem_t held;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t holder;
static sem_t go;
T(hold)
{
	L(m);
	sem_post(&held);
	sem_wait(&go);
	U(m);
	return a;
}
static void init(void)
{
	sem_init(&held, 0, 0);
	sem_init(&go, 0, 0);
	GO(holder, hold, 0);
	sem_wait(&held);
}
static void set(void)
{
	sem_post(&go);
	WAIT(holder);
}
static int seen(void)
{
	return pthread_mutex_destroy(&m) == 0;
}
