/* norn-test
 * errors: yes
 * cc: -DWRONG
 * finding: ^race done\b
 * finding: ^race longest\b
 * finding: ^race stopped\b
 * never-finding: ^(deadlock|use-after-free|double-free|atomicity)
 * never-finding: ^race [^dls]
 * silent: -DRIGHT
 * unjudged: -DRIGHT
 */
/* A pool of three workers with a queue, a mutex and a condition. Three races: workers add up without a lock how many jobs they did, the
 * longest queue is looked at without it, and main says without it that it is time to stop. */
#include <pthread.h>
#include <stdlib.h>

#define JOBS 40
#define WORKERS 3
#ifdef WRONG
#define LOCK(l) (void)(l)
#define UNLOCK(l) (void)(l)
#else
#define LOCK(l) pthread_mutex_lock(l)
#define UNLOCK(l) pthread_mutex_unlock(l)
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, totals = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[JOBS], first, last, closed, done, longest, stopped;

static void push(int job)
{
	pthread_mutex_lock(&lock);
	queue[last++] = job;
	int length = last - first;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	LOCK(&totals);
	if (length > longest)
		longest = length;
	UNLOCK(&totals);
}

/* The next job; -1: there will be none. */
static int pop(void)
{
	int job = -1;
	pthread_mutex_lock(&lock);
	while (first == last && !closed)
		pthread_cond_wait(&more, &lock);
	if (first < last)
		job = queue[first++];
	pthread_mutex_unlock(&lock);
	return job;
}

static void *work(void *unused)
{
	int mine = 0;
	for (int job; (job = pop()) >= 0; mine++) {
		LOCK(&totals);
		if (longest > JOBS)
			abort();
		int stop = stopped;
		UNLOCK(&totals);
		if (stop > 1)
			abort();
	}
	LOCK(&totals);
	done += mine;
	UNLOCK(&totals);
	return unused;
}

int main(void)
{
	pthread_t threads[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			abort();
	for (int i = 0; i < JOBS; i++)
		push(i);
	LOCK(&totals);
	stopped = 1;
	UNLOCK(&totals);
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return done < 0;
}
