/* norn-test
 * silent:
 * unjudged:
 */
/* Workers of one queue keep their statistics in a slot that a thread-local index names; a job remembers who claimed it. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { WORKERS = 3, JOBS = 12 };
struct job {
	struct job *next;
	int number, claimed_by, result;
};
static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct job *head;
	int closed;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};
static struct {
	int done, sum;
} slots[WORKERS];
static _Thread_local int me = -1;
static struct job jobs[JOBS];
static struct job *take(void)
{
	pthread_mutex_lock(&queue.lock);
	while (!queue.head && !queue.closed)
		pthread_cond_wait(&queue.more, &queue.lock);
	struct job *j = queue.head;
	if (j) {
		queue.head = j->next;
		assert(j->claimed_by == -1);
		j->claimed_by = me;
	}
	pthread_mutex_unlock(&queue.lock);
	return j;
}
static void *worker(void *arg)
{
	me = (int)(size_t)arg;
	struct job *j;
	while ((j = take())) {
		assert(j->claimed_by == me);
		j->result = j->number * j->number;
		slots[me].done++;
		slots[me].sum += j->result;
		assert(slots[j->claimed_by].done > 0);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[WORKERS];
	for (size_t i = 0; i < WORKERS; i++)
		pthread_create(&t[i], NULL, worker, (void *)i);
	for (int i = 0; i < JOBS; i++) {
		jobs[i].number = i;
		jobs[i].claimed_by = -1;
		pthread_mutex_lock(&queue.lock);
		jobs[i].next = queue.head;
		queue.head = &jobs[i];
		pthread_cond_signal(&queue.more);
		pthread_mutex_unlock(&queue.lock);
	}
	pthread_mutex_lock(&queue.lock);
	queue.closed = 1;
	pthread_cond_broadcast(&queue.more);
	pthread_mutex_unlock(&queue.lock);
	int done = 0, sum = 0;
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(t[i], NULL);
		done += slots[i].done;
		sum += slots[i].sum;
	}
	assert(done == JOBS);
	printf("%d %d\n", done, sum);
	return 0;
}
