/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* timeout or not decided by predicate only */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int *box;
T(w)
{
	for (int k = 0; k < 3; k++) {
		int *p = malloc(4);
		*p = k;
		J();
		L(m);
		if (box) {
			U(m);
			free(p);
			continue;
		}
		box = p;
		pthread_cond_signal(&c);
		U(m);
	}
	return 0;
}
T(r)
{
	for (int k = 0; k < 4; k++) {
		L(m);
		struct timespec t = soon(200);
		while (!box)
			if (pthread_cond_timedwait(&c, &m, &t))
				break;
		int *p = box;
		box = 0;
		U(m);
		if (p) {
			++*p;
			free(p);
		}
	}
	return 0;
}
int main()
{
	pthread_t x, y, z;
	GO(x, w, 0);
	GO(y, r, 0);
	GO(z, r, 0);
	WAIT(x);
	WAIT(y);
	WAIT(z);
	free(box);
	return 0;
}
