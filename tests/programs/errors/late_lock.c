/* norn-test
 * errors: yes
 * schedule: ab
 * repeat: 2
 * finding: ^race v predicted at late_lock.c:19 .* by main/1, .* second write by main/2
 * finding-count: 1
 * silent: -DRIGHT
 */
/* From a report against ThreadSanitizer: an access without the lock, followed by one with it. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int v;

static void *first(void *unused)
{
	gate('a');
#ifndef RIGHT
	v = 1;
#endif
	pthread_mutex_lock(&lock);
	v = 2;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	v = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL);
}
