#include "lattice/worker_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct member {
	struct norn_worker_pool *worker_pool;
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
	struct member *members;
};

static void *work(void *argument)
{
	struct member *member = argument;
	struct norn_worker_pool *worker_pool = member->worker_pool;
	uint64_t round = 0;
	pthread_mutex_lock(&worker_pool->lock);
	for (;;) {
		while (!worker_pool->over && worker_pool->round == round)
			pthread_cond_wait(&worker_pool->begin, &worker_pool->lock);
		if (worker_pool->over)
			break;
		round = worker_pool->round;
		pthread_mutex_unlock(&worker_pool->lock);
		worker_pool->job(worker_pool->context, member->number);
		pthread_mutex_lock(&worker_pool->lock);
		if (--worker_pool->busy == 0)
			pthread_cond_signal(&worker_pool->done);
	}
	pthread_mutex_unlock(&worker_pool->lock);
	return NULL;
}

int norn_worker_pool_new(unsigned members, struct norn_worker_pool **ret_crew)
{
	struct norn_worker_pool *worker_pool = calloc(1, sizeof *worker_pool);
	if (!worker_pool)
		return -ENOMEM;
	pthread_mutex_init(&worker_pool->lock, NULL);
	pthread_cond_init(&worker_pool->begin, NULL);
	pthread_cond_init(&worker_pool->done, NULL);
	worker_pool->count = 1;
	worker_pool->members = calloc(members, sizeof *worker_pool->members);
	if (!worker_pool->members) {
		norn_worker_pool_free(worker_pool);
		return -ENOMEM;
	}
	for (unsigned i = 1; i < members; i++) {
		worker_pool->members[i] = (struct member){.worker_pool = worker_pool, .number = i};
		int r = pthread_create(&worker_pool->members[i].thread, NULL, work, &worker_pool->members[i]);
		if (r != 0) {
			norn_worker_pool_free(worker_pool);
			return -r;
		}
		worker_pool->count++;
	}
	*ret_crew = worker_pool;
	return 0;
}

void norn_worker_pool_free(struct norn_worker_pool *worker_pool)
{
	if (!worker_pool)
		return;
	pthread_mutex_lock(&worker_pool->lock);
	worker_pool->over = true;
	pthread_cond_broadcast(&worker_pool->begin);
	pthread_mutex_unlock(&worker_pool->lock);
	for (unsigned i = 1; i < worker_pool->count; i++)
		pthread_join(worker_pool->members[i].thread, NULL);
	pthread_cond_destroy(&worker_pool->begin);
	pthread_cond_destroy(&worker_pool->done);
	pthread_mutex_destroy(&worker_pool->lock);
	free(worker_pool->members);
	free(worker_pool);
}

void norn_worker_pool_run(struct norn_worker_pool *worker_pool, void (*job)(void *context, unsigned member), void *context)
{
	if (worker_pool->count > 1) {
		pthread_mutex_lock(&worker_pool->lock);
		worker_pool->job = job;
		worker_pool->context = context;
		worker_pool->busy = worker_pool->count - 1;
		worker_pool->round++;
		pthread_cond_broadcast(&worker_pool->begin);
		pthread_mutex_unlock(&worker_pool->lock);
	}
	job(context, 0);
	if (worker_pool->count > 1) {
		pthread_mutex_lock(&worker_pool->lock);
		while (worker_pool->busy)
			pthread_cond_wait(&worker_pool->done, &worker_pool->lock);
		pthread_mutex_unlock(&worker_pool->lock);
	}
}
