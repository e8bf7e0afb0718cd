#include "lattice/worker_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/must.h"

struct pool_member {
	struct norn_worker_pool *pool;
	unsigned number;
	pthread_t thread;
};

/* lock protects all but members. */
struct norn_worker_pool {
	pthread_mutex_t lock;
	pthread_cond_t begin, done;
	void (*job)(void *, unsigned);
	void *context;
	uint64_t round;
	unsigned busy; /* threads that have not finished this round */
	unsigned count;
	bool over;
	struct pool_member *members;
};

static void *work(void *argument)
{
	struct pool_member *member = argument;
	struct norn_worker_pool *pool = member->pool;
	uint64_t round = 0;
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->over && pool->round == round)
			pthread_cond_wait(&pool->begin, &pool->lock);
		if (pool->over)
			break;
		round = pool->round;
		pthread_mutex_unlock(&pool->lock);
		pool->job(pool->context, member->number);
		pthread_mutex_lock(&pool->lock);
		if (--pool->busy == 0)
			pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int norn_worker_pool_new(unsigned members, struct norn_worker_pool **ret_pool)
{
	struct norn_worker_pool *pool = norn_must_calloc(1, sizeof *pool);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->begin, NULL);
	pthread_cond_init(&pool->done, NULL);
	pool->count = 1;
	pool->members = norn_must_calloc(members, sizeof *pool->members);
	for (unsigned i = 1; i < members; i++) {
		pool->members[i] = (struct pool_member){.pool = pool, .number = i};
		int r = pthread_create(&pool->members[i].thread, NULL, work, &pool->members[i]);
		if (r != 0) {
			norn_worker_pool_free(pool);
			return -r;
		}
		pool->count++;
	}
	*ret_pool = pool;
	return 0;
}

void norn_worker_pool_free(struct norn_worker_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->over = true;
	pthread_cond_broadcast(&pool->begin);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned i = 1; i < pool->count; i++)
		pthread_join(pool->members[i].thread, NULL);
	pthread_cond_destroy(&pool->begin);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	free(pool->members);
	free(pool);
}

void norn_worker_pool_run(struct norn_worker_pool *pool, void (*job)(void *context, unsigned member), void *context)
{
	if (pool->count > 1) {
		pthread_mutex_lock(&pool->lock);
		pool->job = job;
		pool->context = context;
		pool->busy = pool->count - 1;
		pool->round++;
		pthread_cond_broadcast(&pool->begin);
		pthread_mutex_unlock(&pool->lock);
	}
	job(context, 0);
	if (pool->count > 1) {
		pthread_mutex_lock(&pool->lock);
		while (pool->busy)
			pthread_cond_wait(&pool->done, &pool->lock);
		pthread_mutex_unlock(&pool->lock);
	}
}
