/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^race data\b
 * twin: -DNOT
 */
/* What the second thread does goes by a flag, which goes by a test; that comes out the same by another value (V6). NOT: what
 * the second thread does goes by a flag, which goes by a test: only by the last value it comes to read the data (V6). */
#include "cast.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int jobs, data, done;

static void *one(void *unused)
{
	gate('1');
	for (int i = 0; i < 3; i++) {
		data = i;
		pthread_mutex_lock(&lock);
		jobs++;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	int got = 0;
	gate('2');
	pthread_mutex_lock(&lock);
#ifndef NOT
	if (jobs > 0) {
#else
	if (jobs > 2) {
#endif
		jobs--;
		got = 1;
	}
	pthread_mutex_unlock(&lock);
	if (got)
		done = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
