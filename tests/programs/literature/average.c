/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion t / p == 3 && t % p == 0 predicted
 * silent: -DRIGHT
 */
/* Parts and their sum, divided. */
#include "twin.h"

static int total = 6, parts = 2;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	total = 9;
	gap();
	parts = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int t = total, p = parts;
	pthread_mutex_unlock(&lock);
	assert(t / p == 3 && t % p == 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
