/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O2 -pthread
 * stdout: owner killed 20 of 20, by exec 1, not recoverable 1
 */
/* Robust mutexes that processes share: an owner that is killed, or replaced by another program, leaves its lock to the next one, also one that waits already; one that nobody
 * makes consistent is lost to all. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t mutex, lost;
	int count, held;
};
static struct shared *shared;

static void *wait_for_it(void *result)
{
	*(int *)result = pthread_mutex_lock(&shared->mutex);
	return NULL;
}

static int take_from(void (*end)(void))
{
	int pipe_ends[2], got = 0;
	char c;
	pthread_t thread;
	if (pipe(pipe_ends))
		exit(1);
	pid_t child = fork();
	if (child == 0) {
		pthread_mutex_lock(&shared->mutex);
		shared->count++;
		if (write(pipe_ends[1], "x", 1) != 1)
			_exit(1);
		end();
		_exit(2);
	}
	if (read(pipe_ends[0], &c, 1) != 1)
		exit(3);
	pthread_create(&thread, NULL, wait_for_it, &got);
	if (end == (void (*)(void))pause)
		kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	pthread_join(thread, NULL);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	return got;
}

static void become_true(void)
{
	execl("/bin/true", "true", (char *)NULL);
}

static void *hold(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

int main(void)
{
	int killed = 0;
	pthread_mutexattr_t robust;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&robust);
	pthread_mutexattr_setpshared(&robust, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->mutex, &robust);
	pthread_mutex_init(&shared->lost, &robust);
	for (int i = 0; i < 20; i++) {
		killed += take_from((void (*)(void))pause) == EOWNERDEAD; /* and the thread that has it now ends with it, too */
		killed += pthread_mutex_lock(&shared->mutex) == EOWNERDEAD && pthread_mutex_consistent(&shared->mutex) == 0 &&
		          pthread_mutex_unlock(&shared->mutex) == 0;
	}
	int replaced = take_from(become_true) == EOWNERDEAD && pthread_mutex_lock(&shared->mutex) == EOWNERDEAD &&
	               pthread_mutex_consistent(&shared->mutex) == 0;
	pthread_t thread;
	pthread_create(&thread, NULL, hold, &shared->lost);
	pthread_join(thread, NULL);
	int lost = pthread_mutex_lock(&shared->lost) == EOWNERDEAD && pthread_mutex_unlock(&shared->lost) == 0 &&
	           pthread_mutex_lock(&shared->lost) == ENOTRECOVERABLE;
	printf("owner killed %d of 20, by exec %d, not recoverable %d\n", killed / 2, replaced, lost);
	return 0;
}
