/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion 0 predicted at stage.c:\d+ second_stage
 * silent: -DRIGHT
 */
/* Two values that belong together, each with its own lock (SCTBench, twostage). */
#include "twin.h"

static int data1, data2;

static void first_stage(void)
{
	pthread_mutex_lock(&lock);
	data1 = 1;
	unlock_if(!IS_RIGHT);
	pthread_mutex_lock(&other);
	data2 = data1 + 1;
	pthread_mutex_unlock(&other);
	unlock_if(IS_RIGHT);
}

static void second_stage(void)
{
	int t1 = -1, t2 = -1;
	pthread_mutex_lock(&lock);
	if (data1 == 0) {
		pthread_mutex_unlock(&lock);
		return;
	}
	t1 = data1;
	unlock_if(!IS_RIGHT);
	pthread_mutex_lock(&other);
	t2 = data2;
	pthread_mutex_unlock(&other);
	unlock_if(IS_RIGHT);
	if (t2 != (t1 + 1)) {
		fprintf(stderr, "Bug found!\n");
		assert(0);
	}
}

static void *one(void *unused)
{
	gate('a');
	first_stage();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	second_stage();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
