/* Writes under a lock that is only shared; a mutex and a rwlock in two orders. */
#include <pthread.h>
#include <unistd.h>
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int hits, table[8];
static void *reader(void *u)
{
	for (int i = 0; i < 5; i++) {
		pthread_rwlock_rdlock(&rw);
		hits += table[i & 7];
		pthread_rwlock_unlock(&rw);
	}
	return u;
}
static void *writer(void *u)
{
	usleep(5000);
	pthread_rwlock_wrlock(&rw);
	pthread_mutex_lock(&m);
	table[1] = 7;
	pthread_mutex_unlock(&m);
	pthread_rwlock_unlock(&rw);
	return u;
}
static void *other(void *u)
{
	usleep(15000);
	pthread_mutex_lock(&m);
	pthread_rwlock_rdlock(&rw);
	table[2]++;
	pthread_rwlock_unlock(&rw);
	pthread_mutex_unlock(&m);
	return u;
}
int main(void)
{
	pthread_t t[4];
	pthread_create(&t[0], 0, reader, 0);
	pthread_create(&t[1], 0, reader, 0);
	pthread_create(&t[2], 0, writer, 0);
	pthread_create(&t[3], 0, other, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	return 0;
}
