/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int d;
T(w)
{
	J();
	J();
	d = 1;
	sem_post(&s);
	return 0;
}
int main()
{
	pthread_t x;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	int n = 0;
	for (;;) {
		struct timespec t = soon(100);
		if (sem_timedwait(&s, &t) == 0)
			break;
		n++;
	}
	d++;
	WAIT(x);
	return d != 2;
}
