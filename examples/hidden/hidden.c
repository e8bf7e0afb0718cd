/* A race that the order of two lock regions hides: the loader writes the configuration before it takes the lock, the worker reads it after it
 * has had the lock. When the loader comes first, as it nearly always does, its unlock and the worker's lock happen to order the two;
 * detectors by happens-before (ThreadSanitizer, Helgrind) are silent then. Nothing makes the loader come first. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs; /* guarded by the lock */
static int limit; /* meant to be */

static void count_job(void)
{
	pthread_mutex_lock(&lock);
	jobs++;
	pthread_mutex_unlock(&lock);
}

static void *load(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
	limit = 100;
	pthread_mutex_unlock(&lock);
#else
	limit = 100;
#endif
	count_job();
	return unused;
}

static void *work(void *unused)
{
	count_job();
#ifdef FIXED
	pthread_mutex_lock(&lock);
	printf("working with a limit of %d\n", limit);
	pthread_mutex_unlock(&lock);
#else
	printf("working with a limit of %d\n", limit);
#endif
	return unused;
}

int main(void)
{
	pthread_t loader, worker;
	pthread_create(&loader, NULL, load, NULL);
	pthread_create(&worker, NULL, work, NULL);
	pthread_join(loader, NULL);
	pthread_join(worker, NULL);
	printf("%d jobs\n", jobs);
	return 0;
}
