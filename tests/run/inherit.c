/* A process that is forked begins with what its parent has set: neither pointer nor number is 0 there. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *cells;
int limit, used;

static void *use(void *unused)
{
	pthread_mutex_lock(&lock);
	cells[0]++;
	assert(limit == 8);
	used = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	int status = 0;
	cells = calloc(1, sizeof *cells);
	limit = 8;
	pid_t child = cells ? fork() : -1;
	if (child == 0) {
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, use, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) < 0 || status;
}
