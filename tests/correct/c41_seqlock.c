/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_uint sq, x, y;
T(w)
{
	for (int k = 1; k < 3; k++) {
		atomic_fetch_add(&sq, 1);
		x = k;
		y = k;
		atomic_fetch_add(&sq, 1);
		J();
	}
	return 0;
}
T(r)
{
	for (int k = 0; k < 2; k++) {
		unsigned s, a1, b1;
		do {
			while ((s = sq) & 1)
				sched_yield();
			a1 = x;
			b1 = y;
		} while (sq != s);
		if (a1 != b1)
			abort();
	}
	return 0;
}
int main()
{
	pthread_t t[2];
	GO(t[0], w, 0);
	GO(t[1], r, 0);
	WAIT(t[0]);
	WAIT(t[1]);
	return 0;
}
