/* norn-test
 * silent:
 */
/* C11's own threads: mtx_timedlock, cnd, tss with destructor, call_once, thrd_exit with a result. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
static mtx_t m, timed;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int *table, filled, freed;
static void drop(void *p)
{
	mtx_lock(&m);
	freed += *(int *)p;
	mtx_unlock(&m);
	free(p);
}
static void init(void)
{
	table = calloc(8, sizeof *table);
	tss_create(&key, drop);
}
static int run(void *arg)
{
	int n = *(int *)arg;
	call_once(&once, init);
	int *own = malloc(sizeof *own);
	*own = n;
	tss_set(key, own);
	struct timespec limit;
	timespec_get(&limit, TIME_UTC);
	limit.tv_sec += 100;
	if (mtx_timedlock(&timed, &limit) != thrd_success)
		abort();
	assert(table[n] == 0);
	table[n] = n + 1;
	mtx_unlock(&timed);
	mtx_lock(&m);
	if (++filled == 4)
		cnd_broadcast(&c);
	while (filled < 4)
		cnd_wait(&c, &m);
	mtx_unlock(&m);
	mtx_lock(&timed);
	int sum = 0;
	for (int i = 0; i < 4; i++)
		sum += table[i];
	mtx_unlock(&timed);
	assert(sum == 10 && *(int *)tss_get(key) == n);
	thrd_exit(n * 10);
}
int main(void)
{
	thrd_t t[4];
	int n[4], r, sum = 0;
	mtx_init(&m, mtx_plain);
	mtx_init(&timed, mtx_timed);
	cnd_init(&c);
	for (int i = 0; i < 4; i++) {
		n[i] = i;
		thrd_create(&t[i], run, &n[i]);
	}
	for (int i = 0; i < 4; i++) {
		thrd_join(t[i], &r);
		sum += r;
	}
	assert(sum == 60 && freed == 6);
	free(table);
	tss_delete(key);
	printf("%d\n", sum);
	return 0;
}
