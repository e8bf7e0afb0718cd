/* norn-test
 * silent: -DATOMIC
 * silent: -DMUTEX
 * silent: -DOWNER
 * silent: -DSEMAPHORES
 */
/* Values decide who may write: the data itself is guarded by nothing else. */
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "crew.h"

static int data;
#if defined(ATOMIC)
static atomic_int turn;
static int is_mine(int me)
{
	return atomic_load(&turn) == me;
}
static void pass_on(int me)
{
	atomic_store(&turn, !me);
}
#elif defined(SEMAPHORES)
static sem_t go[2];
static int is_mine(int me)
{
	sem_wait(&go[me]);
	return 1;
}
static void pass_on(int me)
{
	sem_post(&go[!me]);
}
#elif defined(OWNER)
/* Nobody's, or whose: who makes it his own may write. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int owner = -1;
static int is_mine(int me)
{
	pthread_mutex_lock(&lock);
	if (owner < 0)
		owner = me;
	int mine = owner == me;
	pthread_mutex_unlock(&lock);
	return mine;
}
static void pass_on(int me)
{
	(void)me;
	pthread_mutex_lock(&lock);
	owner = -1;
	pthread_mutex_unlock(&lock);
}
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static int is_mine(int me)
{
	pthread_mutex_lock(&lock);
	int mine = turn == me;
	pthread_mutex_unlock(&lock);
	return mine;
}
static void pass_on(int me)
{
	pthread_mutex_lock(&lock);
	turn = !me;
	pthread_mutex_unlock(&lock);
}
#endif

static void *work(void *argument)
{
	int me = number_of(argument);
	for (int i = 0; i < 5; i++) {
		while (!is_mine(me))
			sched_yield();
		data++;
		pass_on(me);
	}
	return NULL;
}

int main(void)
{
#ifdef SEMAPHORES
	sem_init(&go[0], 0, 1);
	sem_init(&go[1], 0, 0);
#endif
	crew(2, work);
	return data == 10 ? 0 : 1;
}
