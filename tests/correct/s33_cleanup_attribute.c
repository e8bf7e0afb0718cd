/* norn-test
 * silent:
 * silent: -O3
 */
/* Correct: the compiler's cleanup unlocks at every return */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;
static void unlock(pthread_mutex_t **p)
{
	pthread_mutex_unlock(*p);
}
#define HOLD(x) __attribute__((cleanup(unlock))) pthread_mutex_t *hold = (pthread_mutex_lock(&x), &x)
static int add(int n)
{
	HOLD(m);
	if (n == 1)
		return d++;
	for (int i = 0; i < n; i++)
		if (i == 2)
			return d += 2;
	return ++d;
}
T(w)
{
	for (int i = 0; i < 5; i++)
		add(i);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
	return d != 14;
}
