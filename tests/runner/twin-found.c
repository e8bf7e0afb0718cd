/* norn-test
 * errors: yes
 * cc: -O0
 * finding: ^race y\b
 * twin: -O0 -DRACE
 * must-fail: (norn check: exit status 0, not exit status 1|a finding matches /\^race y\\b/, which must never come)
 */
/* The finding comes in the twin, and not where it should. */
#include <pthread.h>

int y;

static void *work(void *argument)
{
#ifdef RACE
	y++;
#endif
	return argument;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
