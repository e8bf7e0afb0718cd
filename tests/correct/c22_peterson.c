/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int fl[2], turn;
static int d;
T(w)
{
	long i = (long)a;
	for (int k = 0; k < 3; k++) {
		fl[i] = 1;
		turn = 1 - i;
		while (fl[1 - i] && turn == 1 - i)
			sched_yield();
		d++;
		fl[i] = 0;
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
	return d != 6;
}
