/* norn-test
 * errors: yes
 * schedule: ab
 * cc: -DFIRST=rdlock -DSECOND=wrlock
 * cc: -DFIRST=wrlock -DSECOND=rdlock
 * cc: -DFIRST=wrlock -DSECOND=wrlock
 * finding: ^deadlock .*(names, places|places, names).* predicted
 * finding-count: 1
 * silent: -DFIRST=rdlock -DSECOND=rdlock
 */
/* Two read-write locks: who waits for a writer, or to write, may wait for ever. Two readers do not. */
#include "../sliced/cast.h"

static pthread_rwlock_t names = PTHREAD_RWLOCK_INITIALIZER, places = PTHREAD_RWLOCK_INITIALIZER;
#define NAME(op) pthread_rwlock_##op
#define DO(op, lock) NAME(op)(lock)

static void *one(void *unused)
{
	gate('a');
	DO(FIRST, &names);
	DO(SECOND, &places);
	pthread_rwlock_unlock(&places);
	pthread_rwlock_unlock(&names);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	DO(FIRST, &places);
	DO(SECOND, &names);
	pthread_rwlock_unlock(&names);
	pthread_rwlock_unlock(&places);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
