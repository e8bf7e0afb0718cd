/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion m < 10 predicted
 * silent: -DRIGHT
 */
/* The greater one of two bounds, of which one is too great for a moment. */
#include "twin.h"

static int low = 1, high = 4;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	low = 12;
	gap();
	high = 6;
	low = 2;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int l = low, h = high;
	pthread_mutex_unlock(&lock);
	int m = l > h ? l : h;
	assert(m < 10);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
