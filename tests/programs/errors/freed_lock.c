/* norn-test
 * errors: yes
 * schedule: ab
 * timeout: 20
 * cc: -DLOCK
 * cc: -DUNLOCK
 * cc: -DSIGNAL
 * cc: -DPOST
 * cc: -DREAD
 * cc: -DDESTROY
 * finding: ^use-after-free .*(predicted|observed) at freed_lock.c:\d+ two free by main/2, freed_lock.c:\d+ one (acquire|release|signal|sem-post|acquire-shared) by main/1
 * finding-count: 1
 * silent: -DLOCK -DRIGHT
 * silent: -DUNLOCK -DRIGHT
 * silent: -DSIGNAL -DRIGHT
 * silent: -DPOST -DRIGHT
 * silent: -DREAD -DRIGHT
 * silent: -DDESTROY -DRIGHT
 */
/* Objects of synchronization in memory that is freed: a thread that is about to lock, unlock, signal (S15.b) or post uses that memory, whether
 * or not the object was destroyed before. Leaving a barrier is no use: its destruction waits for that. */
#include <semaphore.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct node {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_rwlock_t many;
	pthread_barrier_t both;
	sem_t ready, done;
	int users, value;
};
static struct node *node;
static sem_t finished;

static void end(void)
{
	pthread_mutex_destroy(&node->lock);
	pthread_cond_destroy(&node->changed);
}

/* SIGNAL: the waiter may be gone once the lock is given up. POST: once done is posted. UNLOCK: the lock is held where the value is
 * changed, but the other thread does not ask for it. */
static void *one(void *unused)
{
	gate('a');
#if defined LOCK && defined RIGHT
	gate_leave();
	pthread_barrier_wait(&node->both);
	return unused;
#elif defined LOCK
	pthread_mutex_lock(&node->lock);
	pthread_mutex_unlock(&node->lock);
#elif defined UNLOCK && defined RIGHT
	pthread_mutex_lock(&node->lock);
	int left = --node->users;
	pthread_mutex_unlock(&node->lock);
	if (left == 0)
		free(node);
#elif defined UNLOCK
	pthread_mutex_lock(&node->lock);
	sem_post(&finished);
	pthread_mutex_unlock(&node->lock);
#elif defined SIGNAL
	pthread_mutex_lock(&node->lock);
	node->value = 1;
#ifdef RIGHT
	pthread_cond_signal(&node->changed);
	pthread_mutex_unlock(&node->lock);
#else
	pthread_mutex_unlock(&node->lock);
	pthread_cond_signal(&node->changed);
#endif
#elif defined POST
#ifdef RIGHT
	sem_post(&node->ready);
	sem_post(&node->done);
#else
	sem_post(&node->done);
	sem_post(&node->ready);
#endif
#elif defined READ
	pthread_rwlock_rdlock(&node->many);
	pthread_rwlock_unlock(&node->many);
	sem_post(&finished);
#elif defined DESTROY
	pthread_mutex_lock(&node->lock);
	node->value++;
	pthread_mutex_unlock(&node->lock);
	sem_post(&finished);
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
#if defined LOCK && defined RIGHT
	gate_leave();
	pthread_barrier_wait(&node->both);
	pthread_barrier_destroy(&node->both);
	free(node);
	return unused;
#elif defined LOCK
	free(node);
#elif defined UNLOCK && defined RIGHT
	pthread_mutex_lock(&node->lock);
	int left = --node->users;
	pthread_mutex_unlock(&node->lock);
	if (left == 0) {
		end();
		free(node);
	}
#elif defined UNLOCK
	sem_wait(&finished);
	free(node);
#elif defined SIGNAL
	pthread_mutex_lock(&node->lock);
	while (!node->value)
		pthread_cond_wait(&node->changed, &node->lock);
	pthread_mutex_unlock(&node->lock);
	end();
	free(node);
#elif defined POST
	sem_wait(&node->done);
	free(node);
#else
#ifdef RIGHT
	sem_wait(&finished);
#endif
#ifdef DESTROY
	end();
#else
	pthread_rwlock_destroy(&node->many);
#endif
	free(node);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	node = malloc(sizeof *node);
	if (!node)
		return 1;
	pthread_mutex_init(&node->lock, NULL);
	pthread_cond_init(&node->changed, NULL);
	pthread_rwlock_init(&node->many, NULL);
	pthread_barrier_init(&node->both, NULL, 2);
	sem_init(&node->ready, 0, 0);
	sem_init(&node->done, 0, 0);
	sem_init(&finished, 0, 0);
	node->users = 2;
	node->value = 0;
	return argc < 2 || play(argv, one, two, NULL);
}
