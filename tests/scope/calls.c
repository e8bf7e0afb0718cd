/* Two threads, each with calls of its own that nothing orders with the other's; main takes a lock between. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void checkpoint(int round)
{
	__asm__ volatile("" ::"r"(round));
}

static void *worker(void *arg)
{
	for (int i = 0; i < 5; i++)
		checkpoint(i);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
