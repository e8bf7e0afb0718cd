/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* EBUSY => other is inside => own data untouched by it: other only writes d after seeing ack */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ack;
static int d;
T(A)
{
	L(m);
	while (!ack)
		sched_yield();
	d++;
	U(m);
	return 0;
}
T(B)
{
	while (pthread_mutex_trylock(&m) == 0) {
		U(m);
		sched_yield();
	}
	d++;
	ack = 1;
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, A, 0);
	GO(y, B, 0);
	WAIT(x);
	WAIT(y);
	return d != 2;
}
