/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* A relaxed flag under a mutex is right; one that is looked at without the mutex orders nothing. */
#include "orders.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data, got;
atomic_int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	pthread_mutex_lock(&lock);
	STORE(ready, 1, RELAXED);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	PICK(pthread_mutex_lock(&lock), 0);
	int seen = LOAD(ready, RELAXED);
	PICK(pthread_mutex_unlock(&lock), 0);
	if (seen)
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
