/* norn-test
 * errors: yes
 * schedule: ab
 * repeat: 2
 * finding: ^race shared predicted at two_places.c:27 .* by main/1, two_places.c:27 .* by main/2
 * finding: ^race early\b
 * never-finding: ^race told\b
 * silent: -DRIGHT
 */
/* A semaphore that lets two in at once is no lock; one that lets in one is, but only for what is done inside. */
#include <semaphore.h>

#include "../sliced/cast.h"

static sem_t room, done;
volatile int shared, told, early;

static void work(int first)
{
#ifndef RIGHT
	if (first)
		early = 1;
#endif
	sem_wait(&room);
	if (!first)
		early = 2;
	shared++;
	sem_post(&room);
}

static void *one(void *unused)
{
	gate('a');
	work(1);
	told = 1;
	sem_post(&done);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	work(0);
	sem_wait(&done);
	told++;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
#ifdef RIGHT
	sem_init(&room, 0, 1);
#else
	sem_init(&room, 0, 2);
#endif
	sem_init(&done, 0, 0);
	return argc < 2 || play(argv, one, two, NULL);
}
