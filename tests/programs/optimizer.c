/* norn-test
 * cc: -O0 -pthread
 * cc: -O1 -pthread
 * cc: -O2 -pthread
 * cc: -O3 -pthread
 * cc: -Os -pthread
 * cc: -O2 -flto -pthread
 * cc: -O2 -flto=thin -pthread
 * cc: -O2 -flto=thin -fuse-ld=lld -pthread
 * cc: -O2 -fuse-ld=lld -no-pie -fno-pie -pthread
 * cc: -O1 -g0 -pthread
 * cc: -O1 -fsanitize=undefined -pthread
 * cc: -O1 -fsanitize=address -pthread
 * stdout: total 4000
 * dump-count: 4 \bfork\b
 * dump-count: 4 \bjoin\b
 * dump: write .*total
 */
/* One program, by every way through the compiler. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		total++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, add, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("total %ld\n", total);
	return 0;
}
