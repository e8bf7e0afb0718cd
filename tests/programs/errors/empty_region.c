/* norn-test
 * errors: yes
 * schedule: ab
 * repeat: 2
 * finding: ^race v predicted .* first write by main/1, .* second write by main/2
 * finding-count: 1
 * silent: -DRIGHT
 */
/* From a report against ThreadSanitizer: a write in a region, and one after an empty region of the same lock. */
#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int v;

static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	v = 1;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
#ifdef RIGHT
	v = 2;
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	v = 2;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL);
}
