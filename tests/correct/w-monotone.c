/* norn-test
 * silent:
 * unjudged:
 */
/* Two counters that only grow, low never above high at any time; who reads low first and high later, under the lock each, has low <= high. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int low, high;
static atomic_int alow, ahigh;
static int get(int *p)
{
	pthread_mutex_lock(&lock);
	int v = *p;
	pthread_mutex_unlock(&lock);
	return v;
}
static void *grow(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		high++;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		if (low < high)
			low++;
		assert(low <= high);
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&ahigh, 2);
		atomic_fetch_add(&alow, 2);
	}
	return arg;
}
static void *look(void *arg)
{
	int last = 0;
	for (int i = 0; i < 5; i++) {
		int a = get(&low), b = get(&high);
		int c = atomic_load(&alow), d = atomic_load(&ahigh);
		assert(a <= b);
		assert(c <= d && d % 2 == 0);
		assert(a >= last);
		last = a;
		int e = get(&high);
		assert(e - b >= 0 && e - a >= 0);
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i < 2 ? grow : look, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(low == 10 && high == 10);
	puts("grown");
	return 0;
}
