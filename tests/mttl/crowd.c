/* More threads than there are seats, none of whose end is known to those that come after: not all can be heard of.
 * usage: crowd THREADS */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x;

static void *visit(void *unused)
{
	pthread_mutex_lock(&lock);
	x++;
	pthread_mutex_unlock(&lock);
	sem_post(&done);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t apart;
	pthread_t thread;
	sem_init(&done, 0, 0);
	pthread_attr_init(&apart);
	pthread_attr_setdetachstate(&apart, PTHREAD_CREATE_DETACHED);
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i; i--) {
		if (pthread_create(&thread, &apart, visit, NULL) != 0)
			return 2;
		sem_wait(&done);
	}
	return 0;
}
