/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int used[2], res[2];
T(w)
{
	for (int k = 0; k < 3; k++) {
		sem_wait(&s);
		L(m);
		int i = used[0] ? 1 : 0;
		if (used[i])
			abort();
		used[i] = 1;
		U(m);
		res[i]++;
		J();
		L(m);
		used[i] = 0;
		U(m);
		sem_post(&s);
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&s, 0, 2);
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return res[0] + res[1] != 9;
}
