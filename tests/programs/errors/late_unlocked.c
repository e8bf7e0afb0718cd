/* norn-test
 * errors: yes
 * cc: -DOTHER_LOCK
 * cc: -DREADER
 * finding: ^race sum\b
 * never-finding: ^race [^s]
 * silent: -DOTHER_LOCK -DRIGHT
 * silent: -DREADER -DRIGHT
 * unjudged:
 */
/* Two thousand regions of each thread at the same places, and one of them under another lock, or under a lock that only keeps
 * writers out. */
#include <pthread.h>
#include <stdlib.h>

#define ROUNDS 2000
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER, other = PTHREAD_RWLOCK_INITIALIZER;
static long sum;

static pthread_rwlock_t *choose(int round, long number)
{
#if defined OTHER_LOCK && !defined RIGHT
	return number == 1 && round == ROUNDS - 1 ? &other : &lock;
#else
	(void)round, (void)number;
	return &lock;
#endif
}

static void take(int round, long number)
{
#if defined READER && !defined RIGHT
	if (number == 1 && round == ROUNDS - 1) {
		pthread_rwlock_rdlock(&lock);
		return;
	}
#endif
	pthread_rwlock_wrlock(choose(round, number));
}

static void *count(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		take(i, (long)number);
		sum += i;
		pthread_rwlock_unlock(choose(i, (long)number));
	}
	/* All of this is over before the other thread comes to its last region, or it is not: nothing waits. */
	return NULL;
}

static void *look(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&lock);
		if (sum < 0)
			abort();
		pthread_rwlock_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	if (pthread_create(&threads[0], NULL, count, (void *)1L) || pthread_create(&threads[1], NULL, count, (void *)2L) ||
	        pthread_create(&threads[2], NULL, look, NULL))
		abort();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_rwlock_destroy(&other);
	return sum < 0;
}
