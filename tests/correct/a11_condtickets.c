/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* waiters with own turn predicate; broadcast */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, log_[6], n;
T(w)
{
	long i = (long)a;
	for (int k = 0; k < 2; k++) {
		L(m);
		while (turn % 3 != i)
			pthread_cond_wait(&c, &m);
		U(m);
		log_[n++] = i;
		J();
		L(m);
		turn++;
		pthread_cond_broadcast(&c);
		U(m);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d %d\n", n, log_[5]);
	return 0;
}
