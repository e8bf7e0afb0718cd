/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: C11's once, thread-specific storage with a destructor, and timed lock */
#include "correct.h"
#include <threads.h>
static once_flag o = ONCE_FLAG_INIT;
static tss_t key;
static mtx_t m;
static int sum, *table;
static void drop(void *v)
{
	mtx_lock(&m);
	sum += *(int *)v;
	mtx_unlock(&m);
	free(v);
}
static void begin(void)
{
	tss_create(&key, drop);
	mtx_init(&m, mtx_timed);
	table = calloc(4, sizeof *table);
	table[2] = 7;
}
static int worker(void *a)
{
	call_once(&o, begin);
	int *v = tss_get(key);
	if (!v) {
		v = malloc(sizeof *v);
		*v = table[2];
		tss_set(key, v);
	}
	*v += (int)(intptr_t)a;
	struct timespec t = soon(500000);
	if (mtx_timedlock(&m, &t) == thrd_success) {
		sum += 100;
		mtx_unlock(&m);
	} else
		*v += 100;
	return *v;
}
int main(void)
{
	thrd_t x, y;
	int a, b;
	thrd_create(&x, worker, (void *)1);
	thrd_create(&y, worker, (void *)2);
	thrd_join(x, &a);
	thrd_join(y, &b);
	printf("%d\n", sum);
	return sum != 217;
}
