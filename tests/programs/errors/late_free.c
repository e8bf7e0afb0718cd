/* norn-test
 * errors: yes
 * cc: -DEARLY
 * cc: -DLATE
 * finding: ^use-after-free
 * silent: -DEARLY -DRIGHT
 * silent: -DLATE -DRIGHT
 * unjudged: -DRIGHT
 */
/* Six hundred blocks that one thread fills and another frees; one of them the first thread uses once more after it has handed it
 * over. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#define ROUNDS 600
#ifdef EARLY
#define WRONG 1
#else
#define WRONG (ROUNDS - 2)
#endif

struct job {
	int number;
	long room[4]; /* what malloc keeps in freed memory stays whole */
	int uses;
};

static sem_t full, empty;
static struct job *slot;

static void down(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		;
}

static void use(struct job *job)
{
	job->uses = 1;
}

static void *fill(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct job *job = malloc(sizeof *job);
		if (!job)
			abort();
		job->number = i;
		use(job);
		down(&empty);
		slot = job;
		sem_post(&full);
#ifndef RIGHT
		if (i == WRONG)
			use(job);
#endif
	}
	return unused;
}

static void *drain(void *unused)
{
	long sum = 0;
	for (int i = 0; i < ROUNDS; i++) {
		down(&full);
		struct job *job = slot;
		sem_post(&empty);
		sum += job->number;
		free(job);
	}
	return unused;
}

int main(void)
{
	pthread_t first, second;
	sem_init(&full, 0, 0);
	sem_init(&empty, 0, 1);
	if (pthread_create(&first, NULL, fill, NULL) || pthread_create(&second, NULL, drain, NULL))
		abort();
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
