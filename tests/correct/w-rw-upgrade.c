/* norn-test
 * silent:
 */
/* A read-write lock of mutex and condition with writer preference and an upgrade that only one reader may ask for. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
static struct {
	pthread_mutex_t m;
	pthread_cond_t c;
	int readers, writers_waiting;
	bool writer, upgrading;
} rw = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, false, false};
static int value, mirror, upgrades;
static void read_lock(void)
{
	pthread_mutex_lock(&rw.m);
	while (rw.writer || rw.upgrading || rw.writers_waiting)
		pthread_cond_wait(&rw.c, &rw.m);
	rw.readers++;
	pthread_mutex_unlock(&rw.m);
}
static void read_unlock(void)
{
	pthread_mutex_lock(&rw.m);
	assert(rw.readers > 0);
	rw.readers--;
	pthread_cond_broadcast(&rw.c);
	pthread_mutex_unlock(&rw.m);
}
static void write_lock(void)
{
	pthread_mutex_lock(&rw.m);
	rw.writers_waiting++;
	while (rw.writer || rw.readers)
		pthread_cond_wait(&rw.c, &rw.m);
	rw.writers_waiting--;
	rw.writer = true;
	pthread_mutex_unlock(&rw.m);
}
static void write_unlock(void)
{
	pthread_mutex_lock(&rw.m);
	assert(rw.writer && rw.readers == 0);
	rw.writer = false;
	pthread_cond_broadcast(&rw.c);
	pthread_mutex_unlock(&rw.m);
}
static bool upgrade(void)
{
	bool ok = false;
	pthread_mutex_lock(&rw.m);
	if (!rw.upgrading) {
		rw.upgrading = true;
		while (rw.readers > 1)
			pthread_cond_wait(&rw.c, &rw.m);
		rw.readers = 0;
		rw.upgrading = false;
		rw.writer = true;
		ok = true;
	}
	pthread_mutex_unlock(&rw.m);
	return ok;
}
static void *run(void *arg)
{
	for (int i = 0; i < 4; i++) {
		read_lock();
		int seen = value;
		assert(value == mirror);
		if (seen % 3 == (int)(size_t)arg % 3 && upgrade()) {
			assert(value == seen && mirror == seen);
			value++;
			mirror++;
			upgrades++;
			write_unlock();
		} else {
			assert(value == seen);
			read_unlock();
			write_lock();
			value += 2;
			mirror += 2;
			write_unlock();
		}
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(value == mirror && value == 24 - upgrades);
	puts("ok");
	return 0;
}
