/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race y predicted at figure1.c:\d+ first write by main/1, figure1.c:\d+ second write by main/2
 * finding-count: 1
 * silent: -DRIGHT
 */
/* Figure 1 of the paper on sliced causality: the race on y is masked by the lock around x, which happened to be taken in this order. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void count(int also)
{
	pthread_mutex_lock(&lock);
	x++;
#ifdef RIGHT
	y = also;
#endif
	pthread_mutex_unlock(&lock);
	(void)also;
}

static void *first(void *unused)
{
	gate('a');
#ifndef RIGHT
	y = 1;
#endif
	count(1);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	count(2);
#ifndef RIGHT
	y = 2;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL);
}
