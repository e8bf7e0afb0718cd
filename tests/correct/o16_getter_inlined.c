/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the getter looks at the cache only if it is valid, which is known under the lock */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int valid, cache, sum;
static inline int get(int ok, int other)
{
	return ok ? cache : other;
}
T(w)
{
	for (int i = 0; i < 10; i++) {
		L(m);
		int ok = valid;
		U(m);
		int r = get(ok, i);
		L(m);
		sum += ok ? r - 77 : 0;
		U(m);
		if (i == 5)
			J();
	}
	return a;
}
T(u)
{
	cache = 77;
	L(m);
	valid = 1;
	U(m);
	return a;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", sum);
	return sum != 0;
}
