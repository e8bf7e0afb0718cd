/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
static int n;
static atomic_int fails;
T(w)
{
	for (int i = 0; i < 4; i++) {
		if (sem_trywait(&s) == 0) {
			n++;
			J();
			sem_post(&s);
		} else {
			fails++;
			J();
		}
	}
	return 0;
}
int main()
{
	pthread_t x, y;
	sem_init(&s, 0, 1);
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", n, fails >= 0);
	return 0;
}
