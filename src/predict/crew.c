#include "predict/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct member {
	struct norn_crew *crew;
	unsigned number;
	pthread_t thread;
};

/* lock protects all but members. */
struct norn_crew {
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
	struct norn_crew *crew = member->crew;
	uint64_t round = 0;
	pthread_mutex_lock(&crew->lock);
	for (;;) {
		while (!crew->over && crew->round == round)
			pthread_cond_wait(&crew->begin, &crew->lock);
		if (crew->over)
			break;
		round = crew->round;
		pthread_mutex_unlock(&crew->lock);
		crew->job(crew->context, member->number);
		pthread_mutex_lock(&crew->lock);
		if (--crew->busy == 0)
			pthread_cond_signal(&crew->done);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

int norn_crew_new(unsigned members, struct norn_crew **ret_crew)
{
	struct norn_crew *crew = calloc(1, sizeof *crew);
	if (!crew)
		return -ENOMEM;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->begin, NULL);
	pthread_cond_init(&crew->done, NULL);
	crew->count = 1;
	crew->members = calloc(members, sizeof *crew->members);
	if (!crew->members) {
		norn_crew_free(crew);
		return -ENOMEM;
	}
	for (unsigned i = 1; i < members; i++) {
		crew->members[i] = (struct member){.crew = crew, .number = i};
		int r = pthread_create(&crew->members[i].thread, NULL, work, &crew->members[i]);
		if (r != 0) {
			norn_crew_free(crew);
			return -r;
		}
		crew->count++;
	}
	*ret_crew = crew;
	return 0;
}

void norn_crew_free(struct norn_crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->over = true;
	pthread_cond_broadcast(&crew->begin);
	pthread_mutex_unlock(&crew->lock);
	for (unsigned i = 1; i < crew->count; i++)
		pthread_join(crew->members[i].thread, NULL);
	pthread_cond_destroy(&crew->begin);
	pthread_cond_destroy(&crew->done);
	pthread_mutex_destroy(&crew->lock);
	free(crew->members);
	free(crew);
}

void norn_crew_run(struct norn_crew *crew, void (*job)(void *context, unsigned member), void *context)
{
	if (crew->count > 1) {
		pthread_mutex_lock(&crew->lock);
		crew->job = job;
		crew->context = context;
		crew->busy = crew->count - 1;
		crew->round++;
		pthread_cond_broadcast(&crew->begin);
		pthread_mutex_unlock(&crew->lock);
	}
	job(context, 0);
	if (crew->count > 1) {
		pthread_mutex_lock(&crew->lock);
		while (crew->busy)
			pthread_cond_wait(&crew->done, &crew->lock);
		pthread_mutex_unlock(&crew->lock);
	}
}
