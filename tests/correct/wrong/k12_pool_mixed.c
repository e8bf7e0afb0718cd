/* norn-test
 * errors: yes
 * build: clang-19 -O2 -pthread -c $SRC/../k-pool-part.c -o part.o
 * cc: -O1 part.o
 * finding: ^race n
 */
/* Wrong: main does not take the lock */
#include "../correct.h"
#include "../k-part.h"
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
	n += 10;
	WAIT(x);
	printf("%d %d\n", n, ready);
	return 0;
}
