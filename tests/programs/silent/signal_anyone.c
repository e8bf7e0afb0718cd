/* norn-test
 * silent:
 * repeat: 3
 */
/* A signal to the process may be handled by a thread that is about to be gone: its handler must be seen nevertheless. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static sem_t posted;
static int written;

static void handle(int number)
{
	(void)number;
	sem_post(&posted);
}

static void *sender(void *unused)
{
	usleep(3000);
	written = 4;
	kill(getpid(), SIGUSR1);
	return unused;
}

static void *receiver(void *unused)
{
	while (sem_wait(&posted) != 0)
		;
	written++;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	sem_init(&posted, 0, 0);
	signal(SIGUSR1, handle);
	pthread_create(&threads[0], NULL, sender, NULL);
	pthread_create(&threads[1], NULL, receiver, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
