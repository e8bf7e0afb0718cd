/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock c predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: the flag is set outside of the mutex */
#include "alone.h"
MUTEX(m);
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
T(waiter)
{
	L(m);
	while (!atomic_load(&ready))
		pthread_cond_wait(&c, &m);
	U(m);
	return 0;
}
T(waker)
{
#ifdef FIXED
	L(m);
#endif
	atomic_store(&ready, 1);
	pthread_cond_signal(&c);
#ifdef FIXED
	U(m);
#endif
	return 0;
}
int main(void)
{
	pthread_t t, u;
	GO(t, waiter, 0);
	settle();
	GO(u, waker, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
