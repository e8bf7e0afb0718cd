/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread
 * prop: prop_landing.prop
 * no-finding: yes
 */
/* The landing controller in a forced order: the radio fails only after the landing (or, if BAD, between approval and landing). */
#include <pthread.h>
#include <semaphore.h>

int landing, approved, radio = 1;
static sem_t turn, done;

static void *watch(void *unused)
{
	sem_wait(&turn);
	radio = 0;
	sem_post(&done);
	return unused;
}

static void radio_fails(void)
{
	sem_post(&turn);
	sem_wait(&done);
}

void abort_landing(void)
{
}

int main(void)
{
	pthread_t t;
	sem_init(&turn, 0, 0);
	sem_init(&done, 0, 0);
	pthread_create(&t, NULL, watch, NULL);
	if (radio)
		approved = 1;
#ifdef BAD
	radio_fails();
	landing = 1;
#else
	landing = 1;
	radio_fails();
#endif
	pthread_join(t, NULL);
	return 0;
}
