/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int rd, wr, d;
static atomic_int q;
T(r)
{
	for (int k = 0; k < 2; k++) {
		L(m);
		while (wr)
			pthread_cond_wait(&c, &m);
		rd++;
		U(m);
		q += d;
		J();
		L(m);
		if (--rd == 0)
			pthread_cond_broadcast(&c);
		U(m);
	}
	return 0;
}
T(w)
{
	for (int k = 0; k < 2; k++) {
		L(m);
		while (wr || rd)
			pthread_cond_wait(&c, &m);
		wr = 1;
		U(m);
		d++;
		J();
		L(m);
		wr = 0;
		pthread_cond_broadcast(&c);
		U(m);
	}
	return 0;
}
int main()
{
	pthread_t t[4];
	GO(t[0], r, 0);
	GO(t[1], w, 0);
	GO(t[2], r, 0);
	GO(t[3], w, 0);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	return d != 4;
}
