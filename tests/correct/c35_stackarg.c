/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static sem_t s;
struct A {
	int i;
};
static int out[3];
T(w)
{
	struct A x = *(struct A *)a;
	sem_post(&s);
	out[x.i] = 1;
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&s, 0, 0);
	for (int i = 0; i < 3; i++) {
		struct A x = {i};
		pthread_create(&t[i], 0, w, &x);
		sem_wait(&s);
		x.i = 99;
	}
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
