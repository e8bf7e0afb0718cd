/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^assertion x1 == x2 && x2 == x3 predicted
 * silent: -DRIGHT
 */
/* Each thread hands on what the one before it has set, and none waits for its turn (SCTBench, token_ring). */
#include "twin.h"

static int x1 = 1, x2 = 2, x3 = 1;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	x1 = (x3 + 1) % 4;
	pthread_mutex_unlock(&lock);
	if (IS_RIGHT) {
		pthread_mutex_lock(&lock);
		x2 = x1;
		x3 = x2;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (!IS_RIGHT) {
		pthread_mutex_lock(&lock);
		x2 = x1;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	if (!IS_RIGHT) {
		pthread_mutex_lock(&lock);
		x3 = x2;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, three))
		return 2;
	assert(x1 == x2 && x2 == x3);
	return 0;
}
