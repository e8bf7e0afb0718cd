/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * prop: live_readers.prop
 * finding: liveness writes .*for ever.*potential
 * finding-count: 1
 */
/* Readers that overlap, and a writer that tries until no one reads: as long as they go on, it waits (potentially: L5). They take turns by semaphores, so that every run is the same. */
#include <pthread.h>
#include <semaphore.h>

enum { A, B, W };

int written;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t turns[3];

static void step(int me)
{
	sem_wait(&turns[me]);
}

static void pass(int next)
{
	sem_post(&turns[next]);
}

static void *a(void *unused)
{
	for (int i = 0; i < 3; i++) {
		step(A);
		pthread_rwlock_rdlock(&lock);
		pass(B);
		step(A);
		pthread_rwlock_unlock(&lock);
		pass(W);
	}
	step(A);
	pass(B);
	return unused;
}

static void *b(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	pass(A);
	for (int i = 0; i < 3; i++) {
		step(B);
		pthread_rwlock_unlock(&lock);
		pass(W);
		step(B);
		pthread_rwlock_rdlock(&lock);
		pass(A);
	}
	step(B);
	pthread_rwlock_unlock(&lock);
	pass(W);
	return unused;
}

__attribute__((noinline)) int try_write(void)
{
	if (pthread_rwlock_trywrlock(&lock) != 0)
		return 0;
	written = 1;
	pthread_rwlock_unlock(&lock);
	return 1;
}

static void *writer(void *unused)
{
	for (;;) {
		step(W);
		if (try_write())
			break;
		pass(B);
		step(W);
		if (try_write())
			break;
		pass(A);
	}
	return unused;
}

int main(void)
{
	void *(*const work[])(void *) = {a, b, writer};
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		sem_init(&turns[i], 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], 0, work[i], 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	return 0;
}
