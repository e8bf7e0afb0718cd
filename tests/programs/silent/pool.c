/* norn-test
 * silent:
 * unjudged:
 */
/* glibc's signals may wake another thread than the one that has slept longest; the order of the condition is kept as recorded then. */
/* A thread pool: jobs are functions with an argument; who handed one in waits until it is done. */
#include "crew.h"

struct job {
	void (*run)(int *);
	int value, done;
	struct job *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, finished = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static int closing;

static void twice(int *value)
{
	*value *= 2;
}

static void negate(int *value)
{
	*value = -*value;
}

static void *serve(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!jobs && !closing)
			pthread_cond_wait(&wake, &lock);
		struct job *job = jobs;
		if (!job)
			break;
		jobs = job->next;
		pthread_mutex_unlock(&lock);
		job->run(&job->value);
		pthread_mutex_lock(&lock);
		job->done = 1;
		pthread_cond_broadcast(&finished);
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

static int submit(void (*run)(int *), int value)
{
	struct job job = {.run = run, .value = value};
	pthread_mutex_lock(&lock);
	job.next = jobs;
	jobs = &job;
	pthread_cond_signal(&wake);
	while (!job.done)
		pthread_cond_wait(&finished, &lock);
	pthread_mutex_unlock(&lock);
	return job.value;
}

int main(void)
{
	pthread_t threads[2];
	int sum = 0;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, serve, NULL);
	for (int i = 0; i < 4; i++)
		sum += submit(i & 1 ? negate : twice, i);
	pthread_mutex_lock(&lock);
	closing = 1;
	pthread_cond_broadcast(&wake);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return sum == 4 - 4 ? 0 : 1;
}
