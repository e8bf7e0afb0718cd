/* norn-test
 * silent: -DSIGNAL
 * silent: -DBROADCAST
 * silent: -DTIMED
 * unjudged: -DTIMED
 * silent: -DC11
 * silent: -DUNLOCKED
 */
/* A value that is handed over by a condition variable. */
#include <pthread.h>
#include <threads.h>
#include <time.h>

static int payload, seen;

#ifdef C11
static mtx_t lock;
static cnd_t ready;
#define LOCK() mtx_lock(&lock)
#define UNLOCK() mtx_unlock(&lock)
#define WAIT() cnd_wait(&ready, &lock)
#define WAKE() cnd_signal(&ready)
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#ifdef BROADCAST
#define WAKE() pthread_cond_broadcast(&ready)
#else
#define WAKE() pthread_cond_signal(&ready)
#endif
#ifdef TIMED
static void wait_a_while(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&ready, &lock, &until);
}
#define WAIT() wait_a_while()
#else
#define WAIT() pthread_cond_wait(&ready, &lock)
#endif
#endif

static int available;

static void *produce(void *unused)
{
	payload = 42; /* the other one waits for available before it looks */
	LOCK();
	available = 1;
#ifdef UNLOCKED
	UNLOCK();
	WAKE();
#else
	WAKE();
	UNLOCK();
#endif
	return unused;
}

static void *consume(void *unused)
{
	LOCK();
	while (!available)
		WAIT();
	UNLOCK();
	seen = payload;
	payload = 0;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
#ifdef C11
	mtx_init(&lock, mtx_plain);
	cnd_init(&ready);
#endif
	pthread_create(&threads[0], NULL, consume, NULL);
	pthread_create(&threads[1], NULL, produce, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return seen == 42 && payload == 0 ? 0 : 1;
}
