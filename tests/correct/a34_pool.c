/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static int q[8], hd, tl, stop, busy, res;
T(w)
{
	L(m);
	for (;;) {
		while (hd == tl && !stop)
			pthread_cond_wait(&c, &m);
		if (hd == tl)
			break;
		int v = q[hd++];
		busy++;
		U(m);
		J();
		L(m);
		res += v;
		busy--;
		if (!busy && hd == tl)
			pthread_cond_signal(&idle);
	}
	U(m);
	return 0;
}
int main()
{
	pthread_t x, y;
	GO(x, w, 0);
	GO(y, w, 0);
	for (int i = 0; i < 6; i++) {
		L(m);
		q[tl++] = i;
		U(m);
		pthread_cond_signal(&c);
	}
	L(m);
	while (busy || hd != tl)
		pthread_cond_wait(&idle, &m);
	printf("%d\n", res);
	stop = 1;
	U(m);
	pthread_cond_broadcast(&c);
	WAIT(x);
	WAIT(y);
	return 0;
}
