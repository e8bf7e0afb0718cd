/* Plays a script of steps with real threads, each when its turn has come. Compiled without hooks: what orders the threads here carries no
 * knowledge, and its own memory is not followed. */
#include "player.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct act *acts;
static char *words[256];
static int count;
static _Atomic int turn = -1; /* of the first step when all threads are there */

static void perform(const char *step)
{
	for (const struct act *a = acts; a->name; a++)
		if (strncmp(a->name, step, strlen(a->name)) == 0) {
			a->run(atoi(step + strlen(a->name)));
			return;
		}
	fprintf(stderr, "unknown step %s\n", step);
	abort();
}

static void *thread(void *number)
{
	for (int i = 0; i < count; i++) {
		if (words[i][0] - '0' != (int)(long)number)
			continue;
		while (atomic_load(&turn) != i)
			sched_yield();
		perform(words[i] + 1);
		atomic_store(&turn, i + 1);
	}
	/* No thread ends before all is over: ends and joins would be steps, too. */
	while (atomic_load(&turn) != count)
		sched_yield();
	return NULL;
}

int play(char *script, int threads, const struct act *list)
{
	pthread_t ids[8];
	acts = list;
	for (char *word = strtok(script, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	for (long i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, thread, (void *)(i + 1));
	atomic_store(&turn, 0);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
