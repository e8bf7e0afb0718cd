/* norn-test
 * cc: -g -O2 -pthread
 * stdout: mutex 8000 recursive 8000 spin 8000 writer 4000
 */
/* Four threads in each other's way, over locks of several kinds; the verifier checks that the recorded regions exclude. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define ROUNDS 2000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static long by_mutex, by_recursive, by_spin, by_writer, seen;

static void *work(void *unused)
{
	long sum = 0;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		by_mutex++;
		pthread_mutex_unlock(&mutex);
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		by_recursive++;
		pthread_mutex_unlock(&recursive);
		pthread_mutex_unlock(&recursive);
		pthread_spin_lock(&spin);
		by_spin++;
		pthread_spin_unlock(&spin);
		if (i % 2) {
			pthread_rwlock_wrlock(&rwlock);
			by_writer++;
		} else {
			pthread_rwlock_rdlock(&rwlock);
			sum += by_writer;
		}
		pthread_rwlock_unlock(&rwlock);
	}
	pthread_mutex_lock(&mutex);
	seen += sum;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("mutex %ld recursive %ld spin %ld writer %ld\n", by_mutex, by_recursive, by_spin, by_writer);
	return 0;
}
