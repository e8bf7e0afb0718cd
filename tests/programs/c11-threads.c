/* norn-test
 * cc: -g -O1 -pthread -std=c17
 * cc: -g -O0 -pthread -std=c17
 * stdout: sum 4000, results 0 10 20 30, exit 7, once 1, busy 1, timed out 1
 * dump-count: 6 main +fork +main/
 * dump-count: 6 main +join +main/
 * dump-count: 6 main/[0-9]+ +end
 * dump: main/[1-4] +acquire +mutex .*; add
 * dump-count: 1 main/[0-9]+ +once-begin .*; add
 * dump: main +wait-begin .*; await
 * dump: main/5 +signal .*; announce
 * dump-count: 1 wait-timeout .*; too_late
 * dump-count: 1 main +acquire +mutex .*; nested
 * dump-count: 1 main/6 +try-failed +mutex
 */
/* C11's <threads.h>, which libc builds on functions of its own that cannot be interposed on. */
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#define THREADS 4
#define ROUNDS 1000

static mtx_t mutex, twice;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int sum, once_runs, announced, destroyed;

static void run_once(void)
{
	once_runs++;
}

static void destroy(void *value)
{
	(void)value;
	mtx_lock(&mutex);
	destroyed++;
	mtx_unlock(&mutex);
}

static int add(void *argument)
{
	call_once(&once, run_once);
	tss_set(key, argument);
	for (int i = 0; i < ROUNDS; i++) {
		mtx_lock(&mutex);
		sum++;
		mtx_unlock(&mutex);
	}
	return *(int *)argument;
}

static int announce(void *unused)
{
	(void)unused;
	mtx_lock(&mutex);
	announced = 1;
	cnd_signal(&changed);
	mtx_unlock(&mutex);
	thrd_exit(7);
}

static int try_it(void *unused)
{
	(void)unused;
	return mtx_trylock(&mutex) == thrd_busy;
}

/* The thread that announces begins under the mutex, so that there is something to wait for. */
static void await(thrd_t *announcer)
{
	mtx_lock(&mutex);
	thrd_create(announcer, announce, NULL);
	while (!announced)
		cnd_wait(&changed, &mutex);
	mtx_unlock(&mutex);
}

static int too_late(void)
{
	struct timespec past = {1, 0};
	mtx_lock(&mutex);
	int timed_out = cnd_timedwait(&changed, &mutex, &past) == thrd_timedout;
	mtx_unlock(&mutex);
	return timed_out;
}

static __attribute__((noinline)) void nested(void)
{
	struct timespec past = {1, 0};
	mtx_init(&twice, mtx_recursive | mtx_timed);
	mtx_lock(&twice);
	mtx_timedlock(&twice, &past);
	mtx_trylock(&twice);
	mtx_unlock(&twice);
	mtx_unlock(&twice);
	mtx_unlock(&twice);
	mtx_destroy(&twice);
}

int main(void)
{
	thrd_t threads[THREADS], other;
	int numbers[THREADS], results[THREADS], left, busy;
	mtx_init(&mutex, mtx_plain);
	cnd_init(&changed);
	tss_create(&key, destroy);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i * 10;
		if (thrd_create(&threads[i], add, &numbers[i]) != thrd_success)
			exit(1);
	}
	for (int i = 0; i < THREADS; i++)
		thrd_join(threads[i], &results[i]);
	await(&other);
	thrd_join(other, &left);
	nested();
	mtx_lock(&mutex);
	thrd_create(&other, try_it, NULL);
	thrd_join(other, &busy);
	mtx_unlock(&mutex);
	int timed_out = too_late();
	cnd_broadcast(&changed);
	cnd_destroy(&changed);
	mtx_destroy(&mutex);
	printf("sum %d, results %d %d %d %d, exit %d, once %d, busy %d, timed out %d\n", sum, results[0], results[1], results[2],
	        results[3], left, once_runs, busy, timed_out);
	return destroyed != THREADS;
}
