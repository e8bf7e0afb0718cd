/* norn-test
 * errors: yes
 * schedule: abcd
 * finding: ^assertion num > 0 predicted
 * silent: -DRIGHT
 */
/* What was waited for is taken in a second region (SCTBench, sync01). */
#include "twin.h"

static int num;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	while (num > 0)
		pthread_cond_wait(&empty, &lock);
	num++;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&full);
	gate('c');
	pthread_mutex_lock(&lock);
	num++;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&full);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	while (num == 0)
		pthread_cond_wait(&full, &lock);
	gap();
	assert(num > 0);
	num--;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&empty);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('d');
	pthread_mutex_lock(&lock);
	while (num == 0)
		pthread_cond_wait(&full, &lock);
	gap();
	assert(num > 0);
	num--;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&empty);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, three))
		return 2;
	return 0;
}
