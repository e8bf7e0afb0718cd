/* norn-test
 * build: clang-19 -O2 -pthread -c $SRC/k-pool-part.c -o part.o
 * silent: part.o
 * unjudged:
 */
/* Correct: pool jobs and a thread of the program share a count under a mutex; flags by pool_wait */
#include "correct.h"
#include "k-part.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, ready;
static void job(void *a)
{
	L(m);
	n++;
	U(m);
	if (a)
		ready++;
}
T(w)
{
	for (int i = 0; i < 5; i++)
		job(0);
	return a;
}
int main(void)
{
	pthread_t x;
	ready = 0;
	pool_start();
	pool_submit(job, &m);
	pool_wait();
	ready++;
	pool_stop();
	GO(x, w, 0);
	L(m);
	n += 10;
	U(m);
	WAIT(x);
	printf("%d %d\n", n, ready);
	return n != 16;
}
