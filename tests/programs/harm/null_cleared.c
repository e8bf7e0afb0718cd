/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference box predicted at null_cleared.c:\d+ one write by main/1, null_cleared.c:\d+ one read by main/1, null_cleared.c:\d+ two write by main/2
 * silent: -DRIGHT
 */
/* V9.a: looked at under the lock, used under the lock, but not under the same: another thread clears it in between. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct box {
	int value, other;
};
static struct box *box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	int there = box != NULL;
#ifndef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (there)
		box->other = 3;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	box = NULL;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	box = calloc(1, sizeof *box);
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
