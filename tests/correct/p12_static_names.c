/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: send and wait are static functions of the program: a spinlock */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int l;
static int d;
static void wait(void)
{
	while (atomic_exchange(&l, 1))
		;
}
static int send(int v)
{
	atomic_store(&l, 0);
	return v;
}
static void *w(void *a)
{
	for (int i = 0; i < 5; i++) {
		wait();
		d++;
		send(d);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, w, 0);
	pthread_create(&y, 0, w, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	printf("%d\n", d);
	return d != 10;
}
