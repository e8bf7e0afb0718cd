/* norn-test
 * silent: -DLOCK
 * silent: -DBUFFER
 * silent: -DBOTH
 * silent: -DSLOTS
 * silent: -DTURNS
 * silent: -DTRIED
 * silent: -DDRAINED
 * unjudged:
 * repeat: 2
 */
/* Semaphores as locks, as counters of what is full and what is empty, as signals, as seats. */
#include <semaphore.h>

#include "crew.h"

#define ROUNDS 6

static sem_t a, b, lock;
static int shared, other, total;

#if defined(LOCK)
/* The thread that has it writes. */
static void *work(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&lock);
		shared += number_of(number);
		if (shared > 3)
			other = shared;
		sem_post(&lock);
	}
	return NULL;
}
#elif defined(BUFFER)
/* Two places, two who fill them, one who empties them. */
static int places[2], in, out;

static void *work(void *number)
{
	for (int i = 0; i < ROUNDS && number_of(number) < 2; i++) {
		sem_wait(&b);
		sem_wait(&lock);
		places[in++ % 2] = i;
		sem_post(&lock);
		sem_post(&a);
	}
	for (int i = 0; i < 2 * ROUNDS && number_of(number) == 2; i++) {
		sem_wait(&a);
		sem_wait(&lock);
		total += places[out++ % 2];
		sem_post(&lock);
		sem_post(&b);
	}
	return NULL;
}
#elif defined(BOTH)
/* One waits for two others, whichever is first. */
static void *work(void *number)
{
	if (number_of(number) == 0)
		shared = 1;
	else if (number_of(number) == 1)
		other = 2;
	if (number_of(number) < 2) {
		sem_post(&a);
	} else {
		sem_wait(&a);
		sem_wait(&a);
		total = shared + other;
	}
	return NULL;
}
#elif defined(SLOTS)
/* Two seats; who has one writes to it. */
static int seats[2], taken[2];

static void *work(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		sem_wait(&b);
		sem_wait(&lock);
		int mine = taken[0];
		taken[mine] = 1;
		sem_post(&lock);
		seats[mine] += number_of(number);
		sem_wait(&lock);
		taken[mine] = 0;
		sem_post(&lock);
		sem_post(&b);
	}
	return NULL;
}
#elif defined(TURNS)
/* There and back. */
static void *work(void *number)
{
	for (int i = 0; i < ROUNDS && number_of(number) < 2; i++) {
		sem_wait(number_of(number) ? &b : &a);
		shared++;
		sem_post(number_of(number) ? &a : &b);
	}
	return NULL;
}
#elif defined(TRIED)
/* Who does not get it, leaves it alone; who fails to, knows that another is at work and does not look. */
static void *work(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (sem_trywait(&lock) != 0)
			continue;
		shared += number_of(number);
		sem_post(&lock);
	}
	return NULL;
}
#else
/* What was posted before is taken first, so the last wait is for the last post. */
static void *work(void *number)
{
	if (number_of(number) == 0) {
		sem_post(&a);
		shared = 1;
		sem_post(&a);
	} else if (number_of(number) == 1) {
		sem_wait(&a);
		sem_wait(&a);
		shared = 2;
		sem_post(&b);
	} else {
		for (int i = 0; i < 3; i++)
			sem_wait(&b);
		shared = 3;
	}
	return NULL;
}
#endif

int main(void)
{
	sem_init(&lock, 0, 1);
#ifdef TURNS
	sem_init(&a, 0, 1);
	sem_init(&b, 0, 0);
#else
	sem_init(&a, 0, 0);
	sem_init(&b, 0, 2);
#endif
	crew(3, work);
	return total < 0;
}
