/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
static atomic_int n;
static sem_t s;
static int d;
static void lk(void)
{
	if (atomic_fetch_add(&n, 1) > 0)
		sem_wait(&s);
}
static void ul(void)
{
	if (atomic_fetch_sub(&n, 1) > 1)
		sem_post(&s);
}
T(w)
{
	for (int i = 0; i < 3; i++) {
		lk();
		d++;
		J();
		ul();
	}
	return 0;
}
int main()
{
	pthread_t t[3];
	sem_init(&s, 0, 0);
	for (int i = 0; i < 3; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return d != 9;
}
