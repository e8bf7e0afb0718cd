/* norn-test
 * errors: yes
 * schedule: acb
 * finding: ^assertion 0 predicted
 * silent: -DRIGHT
 */
/* Three threads add up what must not come to three before the third one looks (SCTBench, lazy01). */
#include "twin.h"

static int data;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	data++;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	data += 2;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	pthread_mutex_lock(&lock);
	if (data >= 3) {
		if (!IS_RIGHT)
			assert(0);
		data = 3;
	}
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, three))
		return 2;
	return 0;
}
