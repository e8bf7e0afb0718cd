/* norn-test
 * errors: yes
 * schedule: 1
 * cc: -DWORK=1
 * cc: -DWORK=2
 * finding: ^(race pool\.done predicted|deadlock .* predicted)
 * finding-count: 1
 * unjudged: -DWORK=14
 * silent: -DWORK=10
 * silent: -DWORK=11
 * silent: -DWORK=12
 * silent: -DWORK=13
 * silent: -DWORK=14
 * silent: -DWORK=15
 * silent: -DWORK=16
 * silent: -DWORK=17
 * silent: -DWORK=18
 */
/* The first of three workers does all the jobs; the others find none. What two of them would do side by side is not in the run, but any
 * of them may have done any of the jobs, as all were waiting for the same lock in the same state (R23.a). R23.b: WORK 11; R23.c: 12 and 17; R23.d: 13, 14 and 16. */
#include <gate.h>
#include <stdlib.h>

#define WORKERS 3
struct pool {
	pthread_mutex_t lock, first, second, totals;
	int jobs, done, numbers;
	int own[WORKERS + 1];
	pthread_t threads[WORKERS];
};
static struct pool *shared;
static __attribute__((unused)) pthread_key_t key;
#if WORK == 13
static _Thread_local int mine;
#endif

/* The number of the next job, from 1; 0: there is none. */
static int take(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	int job = pool->jobs;
	if (pool->jobs > 0)
		pool->jobs--;
	pthread_mutex_unlock(&pool->lock);
	return job;
}

static void both(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	pthread_mutex_lock(b);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

#if WORK == 1 /* no lock */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	while (take(pool))
		pool->done++;
	gate_others();
	return NULL;
}
#elif WORK == 2 /* locks in either order */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	for (int job; (job = take(pool));)
		job & 1 ? both(&pool->first, &pool->second) : both(&pool->second, &pool->first);
	gate_others();
	return NULL;
}
#elif WORK == 10 /* right */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	while (take(pool)) {
		pthread_mutex_lock(&pool->totals);
		pool->done++;
		pthread_mutex_unlock(&pool->totals);
	}
	gate_others();
	return NULL;
}
#elif WORK == 11 /* its own, by what it is given */
static void *work(void *argument)
{
	int *own = argument;
	gate_first();
	while (take(shared))
		++*own;
	gate_others();
	return NULL;
}
#elif WORK == 12 /* its own, by a number that it has drawn */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	pthread_mutex_lock(&pool->lock);
	int number = ++pool->numbers;
	pthread_mutex_unlock(&pool->lock);
	while (take(pool))
		pool->own[number]++;
	gate_others();
	return NULL;
}
#elif WORK == 13 /* the same, in a variable of the thread's */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	pthread_mutex_lock(&pool->lock);
	mine = ++pool->numbers;
	pthread_mutex_unlock(&pool->lock);
	while (take(pool))
		pool->own[mine]++;
	gate_others();
	return NULL;
}
#elif WORK == 14 /* the same, by who it is */
static int number(struct pool *pool)
{
	int i = 0;
	while (!pthread_equal(pool->threads[i], pthread_self()))
		i++;
	return i;
}
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	while (take(pool)) {
		pthread_mutex_lock(&pool->totals);
		int i = number(pool);
		pthread_mutex_unlock(&pool->totals);
		pool->own[i]++;
	}
	gate_others();
	return NULL;
}
#elif WORK == 15 /* the same, in a block of its own */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	int *own = calloc(1, sizeof *own);
	while (own && take(pool))
		++*own;
	free(own);
	gate_others();
	return NULL;
}
#elif WORK == 16 /* the same, behind a key */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	pthread_mutex_lock(&pool->lock);
	pthread_setspecific(key, &pool->own[++pool->numbers]);
	pthread_mutex_unlock(&pool->lock);
	while (take(pool))
		++*(int *)pthread_getspecific(key);
	gate_others();
	return NULL;
}
#elif WORK == 17 /* only who was first writes it */
static void *work(void *argument)
{
	struct pool *pool = argument;
	gate_first();
	pthread_mutex_lock(&pool->lock);
	int first = ++pool->numbers == 1;
	pthread_mutex_unlock(&pool->lock);
	while (take(pool))
		if (first)
			pool->done++;
	gate_others();
	return NULL;
}
#elif WORK == 18 /* a local that others see, by its address */
static int *list[WORKERS + 1];
static void *work(void *argument)
{
	struct pool *pool = argument;
	int count = 0;
	gate_first();
	pthread_mutex_lock(&pool->lock);
	list[++pool->numbers] = &count;
	int own = pool->numbers;
	pthread_mutex_unlock(&pool->lock);
	while (take(pool))
		++*list[own];
	gate_others();
	return NULL;
}
#endif

int main(void)
{
	struct pool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return 1;
	shared = pool;
	pool->jobs = 8;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_mutex_init(&pool->first, NULL);
	pthread_mutex_init(&pool->second, NULL);
	pthread_mutex_init(&pool->totals, NULL);
	pthread_key_create(&key, NULL);
	pthread_mutex_lock(&pool->lock); /* no job is taken before all workers are there */
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&pool->threads[i], NULL, work, WORK == 11 ? (void *)&pool->own[i] : pool))
			abort();
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(pool->threads[i], NULL);
	both(&pool->totals, &pool->lock);
	free(pool);
	return 0;
}
