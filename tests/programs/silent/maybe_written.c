/* norn-test
 * silent: -fno-builtin
 */
/* memccpy stops at the comma: what lies behind is written by the other thread alone. How much it writes its entry cannot say. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char shared[64];

static void *one(void *x)
{
	memccpy(shared, "ab,cd", ',', 40);
	return x;
}

static void *two(void *x)
{
	shared[32] = 'x';
	return x;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return shared[32] != 'x';
}
