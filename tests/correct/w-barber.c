/* norn-test
 * silent:
 * unjudged:
 */
/* The sleeping barber with a bounded waiting room, cigarette smokers, and a building of lifts: classical riddles, each with its invariants. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t customers, barber;
static int waiting, cut, turned_away, closed;
static void *barber_main(void *arg)
{
	for (;;) {
		sem_wait(&customers);
		pthread_mutex_lock(&lock);
		if (waiting == 0) {
			assert(closed);
			pthread_mutex_unlock(&lock);
			return arg;
		}
		waiting--;
		cut++;
		pthread_mutex_unlock(&lock);
		sem_post(&barber);
	}
}
static void *customer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		assert(waiting >= 0 && waiting <= 2);
		if (waiting == 2) {
			turned_away++;
			pthread_mutex_unlock(&lock);
			continue;
		}
		waiting++;
		pthread_mutex_unlock(&lock);
		sem_post(&customers);
		sem_wait(&barber);
	}
	return arg;
}
static sem_t agent, ingredient[3];
static int table_ = -1, smoked[3];
static void *agent_main(void *arg)
{
	static const int plan[] = {2, 0, 1, 1, 0};
	for (int i = 0; i < 5; i++) {
		sem_wait(&agent);
		assert(table_ == -1);
		table_ = plan[i];
		sem_post(&ingredient[plan[i]]);
	}
	return arg;
}
static void *smoker(void *arg)
{
	int me = (int)(size_t)arg;
	for (int i = 0; i < (me == 2 ? 1 : 2); i++) {
		sem_wait(&ingredient[me]);
		assert(table_ == me);
		table_ = -1;
		smoked[me]++;
		sem_post(&agent);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[8];
	sem_init(&customers, 0, 0);
	sem_init(&barber, 0, 0);
	sem_init(&agent, 0, 1);
	for (int i = 0; i < 3; i++)
		sem_init(&ingredient[i], 0, 0);
	pthread_create(&t[0], NULL, barber_main, NULL);
	for (int i = 1; i < 4; i++)
		pthread_create(&t[i], NULL, customer, NULL);
	pthread_create(&t[4], NULL, agent_main, NULL);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[5 + i], NULL, smoker, (void *)i);
	for (int i = 1; i < 8; i++)
		pthread_join(t[i], NULL);
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_mutex_unlock(&lock);
	sem_post(&customers);
	pthread_join(t[0], NULL);
	assert(cut + turned_away == 9 && smoked[0] == 2 && smoked[1] == 2 && smoked[2] == 1);
	puts("ok");
	return 0;
}
