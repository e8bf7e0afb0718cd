/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* give up after timeout marks abandoned under the lock; worker frees if abandoned, else the waiter */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
struct R {
	int done, aband, v;
};
T(w)
{
	struct R *r = a;
	J();
	L(m);
	r->v = 4;
	r->done = 1;
	int ab = r->aband;
	pthread_cond_signal(&c);
	U(m);
	if (ab)
		free(r);
	return 0;
}
int main()
{
	for (int k = 0; k < 4; k++) {
		pthread_t x;
		struct R *r = calloc(1, sizeof *r);
		pthread_create(&x, 0, w, r);
		L(m);
		struct timespec t = soon(150);
		while (!r->done)
			if (pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT)
				break;
		int dn = r->done;
		if (!dn)
			r->aband = 1;
		U(m);
		if (dn)
			free(r);
		WAIT(x);
	}
	return 0;
}
