/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int cnt = 2, sense;
static int g[2][2];
static void bar(int *ls)
{
	*ls = !*ls;
	if (atomic_fetch_sub(&cnt, 1) == 1) {
		atomic_store(&cnt, 2);
		atomic_store(&sense, *ls);
	} else
		while (atomic_load(&sense) != *ls)
			sched_yield();
}
T(w)
{
	long i = (long)a;
	int ls = 0;
	for (int r = 0; r < 5; r++) {
		g[(r + 1) & 1][i] = g[r & 1][1 - i] + 1;
		bar(&ls);
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	return g[1][0] != 5;
}
