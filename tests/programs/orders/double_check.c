/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race object observed
 * silent: -DRIGHT
 */
/* Double-checked locking: the first look must acquire. */
#include "orders.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int object, got;
atomic_int made;

static int get(void)
{
	if (!LOAD(made, PICK(ACQUIRE, RELAXED))) {
		pthread_mutex_lock(&lock);
		if (!LOAD(made, RELAXED)) {
			object = 21;
			STORE(made, 1, RELEASE);
		}
		pthread_mutex_unlock(&lock);
	}
	return object;
}

static void *first(void *unused)
{
	gate('a');
	(void)get();
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	got = get();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL) || got != 21;
}
