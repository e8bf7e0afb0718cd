/* Many threads on a common table, each now and then under a lock: memory of a watched run must not grow with its length. usage: stress ROUNDS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long total;
static long table[4096];
static long n;
__attribute__((noinline)) void visit(void)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
}
static void *run(void *a)
{
	long me = (long)a;
	for (long i = 0; i < n; i++) {
		table[(me * 64 + i) & 4095] += i;
		if (i % 1000 == 0)
			visit();
	}
	return 0;
}
int main(int c, char **v)
{
	pthread_t t[64];
	n = atol(v[1]);
	for (long i = 0; i < 64; i++)
		pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < 64; i++)
		pthread_join(t[i], 0);
	printf("%ld\n", total);
}
