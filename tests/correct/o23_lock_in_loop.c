/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the lock is taken only if it is asked for, and then the count is touched */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, plain;
__attribute__((noinline)) static void count(int lock, int k)
{
	for (int i = 0; i < k; i++) {
		if (lock)
			L(m);
		if (lock)
			n++;
		else
			plain++;
		if (lock)
			U(m);
	}
}
T(w)
{
	count(1, 10);
	return a;
}
T(u)
{
	count(1, 5);
	count(0, 5);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", n, plain);
	return 0;
}
