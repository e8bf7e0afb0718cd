/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion s == 0 \|\| m & \(1u << s\) predicted
 * silent: -DRIGHT
 */
/* A slot is given out before its bit is set. */
#include "twin.h"

static unsigned bitmap, slot;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	slot = 3;
	gap();
	bitmap |= 1u << slot;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	unsigned s = slot, m = bitmap;
	pthread_mutex_unlock(&lock);
	assert(s == 0 || m & (1u << s));
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
