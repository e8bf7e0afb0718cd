/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: pthread_exit deep inside runs three cleanups, which unlock and post */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t s;
static int d;
static void unlock(void *a)
{
	d++;
	pthread_mutex_unlock(a);
}
static void post(void *a)
{
	sem_post(a);
}
static void count(void *a)
{
	++*(int *)a;
}
static __attribute__((noinline)) void deep(int n)
{
	if (n == 0)
		pthread_exit(0);
	deep(n - 1);
}
T(w)
{
	pthread_cleanup_push(post, &s);
	L(m);
	pthread_cleanup_push(unlock, &m);
	pthread_cleanup_push(count, &d);
	deep(3);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return a;
}
int main(void)
{
	pthread_t x, y;
	sem_init(&s, 0, 0);
	GO(x, w, 0);
	GO(y, w, 0);
	sem_wait(&s);
	sem_wait(&s);
	printf("%d\n", d);
	WAIT(x);
	WAIT(y);
	return d != 4;
}
