/* Figure 7 of the paper on sliced causality: two synchronized blocks of one lock, and what comes after the first. e21 reads what e11 wrote and depends on it; e13 follows the first block. */
#include "../programs/sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int e11, e12, e13, e21, e22;

static void *one(void *unused)
{
	gate('1');
	pthread_mutex_lock(&lock);
	e11 = 1;
	e12 = 1;
	pthread_mutex_unlock(&lock);
	e13 = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	pthread_mutex_lock(&lock);
	if (e11)
		e21 = 1;
	e22 = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
