/* norn-test
 * silent: -DASYMMETRIC
 * silent: -DWAITER
 */
/* Philosophers who do not starve: the last one reaches for the other fork first, or a waiter lets all but one sit down. The waiter is
 * a semaphore of one: only one at a time may reach. */
#include <semaphore.h>

#include "crew.h"

#define SEATS 3
static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static sem_t waiter;
static int meals[SEATS];

static void *dine(void *argument)
{
	int me = number_of(argument), left = me, right = (me + 1) % SEATS;
#ifdef ASYMMETRIC
	if (me == SEATS - 1) {
		left = right;
		right = me;
	}
#endif
	for (int i = 0; i < 3; i++) {
#ifdef WAITER
		sem_wait(&waiter);
#endif
		pthread_mutex_lock(&forks[left]);
		pthread_mutex_lock(&forks[right]);
#ifdef WAITER
		sem_post(&waiter);
#endif
		meals[me]++;
		pthread_mutex_unlock(&forks[right]);
		pthread_mutex_unlock(&forks[left]);
	}
	return NULL;
}

int main(void)
{
	sem_init(&waiter, 0, 1);
	crew(SEATS, dine);
	return meals[0] + meals[1] + meals[2] == 9 ? 0 : 1;
}
