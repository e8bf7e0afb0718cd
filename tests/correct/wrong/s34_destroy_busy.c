/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^race d
 */
/* Wrong: the data are written after the sign is given */
#define LATE
#include "../hand.h"
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
