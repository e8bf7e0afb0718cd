/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference box predicted at null_flag_first.c:\d+ two write by main/2
 * silent: -DRIGHT
 */
/* Lazy initialisation: the flag is set before what it is about. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct box {
	int value, other;
};
static struct box *box;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void set(int value)
{
	pthread_mutex_lock(&lock);
	ready = value;
	pthread_mutex_unlock(&lock);
}

static void make(void)
{
	struct box *new = calloc(1, sizeof *new);
	pthread_mutex_lock(&lock);
	box = new;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
#ifdef RIGHT
	make();
	set(1);
#else
	set(1);
	make();
#endif
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int is_ready = ready;
	pthread_mutex_unlock(&lock);
	if (is_ready) {
		pthread_mutex_lock(&lock);
		box->other = 3;
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
