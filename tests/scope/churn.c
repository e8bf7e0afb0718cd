/* Threads that come and go: three in each region, of two libraries' making, and now and then one that cannot be made. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}

static void *posix_main(void *arg)
{
	work();
	return arg;
}

static int c11_main(void *arg)
{
	work();
	return arg != NULL;
}

static void fail_to_make_one(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
	if (pthread_create(&thread, &attributes, posix_main, NULL) != EAGAIN)
		puts("there was room for it");
	pthread_attr_destroy(&attributes);
}

int main(void)
{
	for (int round = 0; round < 40; round++) {
		pthread_t threads[2];
		thrd_t third;
		pthread_mutex_lock(&lock);
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, posix_main, NULL);
		thrd_create(&third, c11_main, NULL);
		if (round % 8 == 0)
			fail_to_make_one();
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		thrd_join(third, NULL);
		pthread_mutex_unlock(&lock);
	}
	return 0;
}
