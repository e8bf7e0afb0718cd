/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion dataValue == x \+ 1 predicted
 * silent: -DRIGHT
 */
/* One of the threads takes another lock (SCTBench, wronglock). */
#include "twin.h"

static volatile int dataValue;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	int x = dataValue;
	dataValue++;
	assert(dataValue == x + 1);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(IS_RIGHT ? &lock : &other);
	dataValue++;
	pthread_mutex_unlock(IS_RIGHT ? &lock : &other);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
