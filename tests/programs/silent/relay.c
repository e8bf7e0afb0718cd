/* norn-test
 * silent: -DPIPES
 * silent: -DSEMAPHORES
 * unjudged: -DSEMAPHORES
 * repeat: 3
 */
/* Another process passes on what one thread tells it to the other: through two pipes, or two semaphores in shared memory. */
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int told;

#ifdef PIPES
static int to[2], from[2];
#define TELL(channel) (void)!write(channel[1], "x", 1)
#define HEAR(channel) (void)!read(channel[0], &(char){0}, 1)
#else
static sem_t *to, *from;
#define TELL(semaphore) sem_post(semaphore)
#define HEAR(semaphore) (void)sem_wait(semaphore)
#endif

static void *teller(void *unused)
{
	told = 1;
	TELL(to);
	return unused;
}

static void *hearer(void *unused)
{
	HEAR(from);
	told = 2;
	return unused;
}

int main(void)
{
#ifdef PIPES
	if (pipe(to) != 0 || pipe(from) != 0)
		return 1;
#else
	to = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	from = to + 1;
	sem_init(to, 1, 0);
	sem_init(from, 1, 0);
#endif
	pid_t relay = fork();
	if (relay == 0) {
		HEAR(to);
		TELL(from);
		_exit(0);
	}
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, teller, NULL);
	pthread_create(&threads[1], NULL, hearer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return waitpid(relay, NULL, 0) != relay;
}
