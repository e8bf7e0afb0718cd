/* Two threads that count under a lock, so often as they are told to. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared, table[1024];
static int rounds;
static void *work(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m);
		shared++;
		table[i & 1023] += shared;
		pthread_mutex_unlock(&m);
	}
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	rounds = argc > 1 ? atoi(argv[1]) : 10;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
