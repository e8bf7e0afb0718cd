/* norn-test
 * silent:
 * unjudged:
 */
#include "correct.h"
/* trywait success count limited to 2 winners; third fails: two slots by atomic idx */
static sem_t s;
static atomic_int ix;
static int d[2];
T(w)
{
	if (sem_trywait(&s) == 0) {
		int i = ix++;
		d[i] = 1;
	}
	return 0;
}
int main()
{
	pthread_t t[4];
	sem_init(&s, 0, 2);
	for (int i = 0; i < 4; i++)
		GO(t[i], w, 0);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	return 0;
}
