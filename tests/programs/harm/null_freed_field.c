/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^null-dereference job.buffer predicted at null_freed_field.c:\d+ one write by main/1, null_freed_field.c:\d+ one read by main/1, null_freed_field.c:\d+ two write by main/2
 * silent: -DRIGHT
 */
/* A buffer is freed and its pointer cleared while another thread still works with it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "../sliced/cast.h"

struct job {
	pthread_mutex_t lock;
	char *buffer;
};
static struct job job = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&job.lock);
#ifdef RIGHT
	if (job.buffer)
#endif
		job.buffer[1] = 'x';
	pthread_mutex_unlock(&job.lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&job.lock);
	free(job.buffer);
	job.buffer = NULL;
	pthread_mutex_unlock(&job.lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	job.buffer = malloc(8);
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
