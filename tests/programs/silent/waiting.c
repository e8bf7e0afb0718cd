/* norn-test
 * silent: -DSENTINEL
 * silent: -DDAEMON
 * silent: -DDETACHED
 * silent: -DTOGETHER
 * silent: -DANSWER
 * silent: -DPOSTED
 * silent: -DMONITOR
 * unjudged: -DSENTINEL
 * unjudged: -DDAEMON
 * unjudged: -DDETACHED
 */
/* Threads that wait for each other in ways that always end, or that end with the process: pools with a last job, or without any end, a barrier at
 * which main takes part, questions and answers, posts that are counted. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#define WORKERS 3
#define JOBS 6

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, fewer = PTHREAD_COND_INITIALIZER;
static int queue[JOBS + WORKERS], head, tail, done;

static void put(int job)
{
	pthread_mutex_lock(&lock);
	queue[tail++] = job;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}

static int get(void)
{
	pthread_mutex_lock(&lock);
	while (head == tail)
		pthread_cond_wait(&more, &lock);
	int job = queue[head++];
	pthread_mutex_unlock(&lock);
	return job;
}

static void finish(void)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_broadcast(&fewer);
	pthread_mutex_unlock(&lock);
}

static inline void *work(void *unused)
{
	while (get() >= 0)
		finish();
	return unused;
}

static inline void wait_for_all(void)
{
	pthread_mutex_lock(&lock);
	while (done < JOBS)
		pthread_cond_wait(&fewer, &lock);
	pthread_mutex_unlock(&lock);
}

#if defined SENTINEL || defined DAEMON || defined DETACHED
int main(void)
{
	pthread_t threads[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < JOBS; i++)
		put(i);
#ifdef SENTINEL
	for (int i = 0; i < WORKERS; i++)
		put(-1);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
#else
#ifdef DETACHED
	for (int i = 0; i < WORKERS; i++)
		pthread_detach(threads[i]);
#endif
	wait_for_all();
#endif
	return 0;
}
#elif defined TOGETHER
static pthread_barrier_t all;

static void *step(void *unused)
{
	for (int i = 0; i < 3; i++)
		pthread_barrier_wait(&all);
	return unused;
}

int main(void)
{
	pthread_t threads[WORKERS];
	pthread_barrier_init(&all, NULL, WORKERS + 1);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&threads[i], NULL, step, NULL);
	step(NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
#elif defined ANSWER
/* One flag for both directions, each under the lock. */
static bool asked, answered;

static void *answer(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!asked)
		pthread_cond_wait(&more, &lock);
	answered = true;
	pthread_cond_signal(&fewer);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, answer, NULL);
	pthread_mutex_lock(&lock);
	asked = true;
	pthread_cond_signal(&more);
	while (!answered)
		pthread_cond_wait(&fewer, &lock);
	pthread_mutex_unlock(&lock);
	return pthread_join(thread, NULL);
}
#elif defined POSTED
/* A post is remembered, however early it comes. */
static sem_t ready, gone;

static void *serve(void *unused)
{
	for (int i = 0; i < 3; i++) {
		sem_wait(&ready);
		sem_post(&gone);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	sem_init(&ready, 0, 0);
	sem_init(&gone, 0, 0);
	pthread_create(&thread, NULL, serve, NULL);
	for (int i = 0; i < 3; i++)
		sem_post(&ready);
	for (int i = 0; i < 3; i++)
		sem_wait(&gone);
	return pthread_join(thread, NULL);
}
#elif defined MONITOR
/* One condition for those who put and those who take: all are woken, and look. */
static int items;

static void *take(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!items)
		pthread_cond_wait(&more, &lock);
	items--;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *give(void *unused)
{
	pthread_mutex_lock(&lock);
	while (items == 1)
		pthread_cond_wait(&more, &lock);
	items++;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i % 2 ? give : take, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
#endif
