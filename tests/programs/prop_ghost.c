/* norn-test
 * cc: -g -O0 -pthread
 * prop: prop_ghost.prop
 * no-finding: yes
 */
/* Ghosts are variables of each thread: what one thread enters, another is not in. */
#include <pthread.h>
#include <semaphore.h>

static sem_t inside, outside;
static int done, entered, left;

static void section_enter(void)
{
	__atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
}

static void section_leave(void)
{
	__atomic_add_fetch(&left, 1, __ATOMIC_RELAXED);
}

static void section_work(int n)
{
	done += n;
}

static void *work(void *unused)
{
	sem_wait(&inside);
#ifndef BAD
	section_enter();
#endif
	section_work(1);
#ifndef BAD
	section_leave();
#endif
	sem_post(&outside);
	return unused;
}

int main(void)
{
	pthread_t t;
	sem_init(&inside, 0, 0);
	sem_init(&outside, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	section_enter();
	section_enter();
	section_work(2);
	section_leave();
	sem_post(&inside);
	sem_wait(&outside);
	section_leave();
	pthread_join(t, NULL);
	return done - 3;
}
