/* norn-test
 * cc: -g -O1 -pthread
 * stdout: child of main: 11
 * stdout: child of a thread: 12
 * stdout: child with threads: 13
 * stdout: vfork: 14
 * stdout: prepare 3 parent 3
 * stdout: hammered
 * dump-count: 3 enter +prepare
 * dump-count: 3 enter +in_parent
 * dump-count: 1 exit +status 0
 * never: enter +in_child
 * never: exit +status 1[1-4]
 */
/* Children have a trace of their own: nothing of theirs is in their parent's, which goes on unharmed while other threads write.
 * The program's own fork handlers are recorded. vfork's child runs on its parent's memory; its end is not its parent's. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;
static int prepared, parents, children;
static long hammered[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void prepare(void)
{
	pthread_mutex_lock(&mutex);
	prepared++;
}

static __attribute__((noinline)) void in_parent(void)
{
	parents++;
	pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void in_child(void)
{
	children++;
	pthread_mutex_unlock(&mutex);
}

static int await(pid_t child)
{
	int status;
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		exit(1);
	return WEXITSTATUS(status);
}

static void *hammer(void *argument)
{
	long *word = argument;
	int i = 0;
	do
		++*word; /* once at least, however late it is scheduled */
	while (++i < 20000 && !stop);
	return NULL;
}

/* In the child: the other threads are gone, whatever they were doing. */
static void touch_everything(int status)
{
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 1000; i++)
		hammered[i % 2]++;
	pthread_mutex_unlock(&mutex);
	_exit(children == 1 ? status : 1);
}

static void *fork_here(void *ret_status)
{
	pid_t child = fork();
	if (child == 0)
		touch_everything(12);
	*(int *)ret_status = await(child);
	return NULL;
}

static void *nothing(void *unused)
{
	hammered[0]++;
	return unused;
}

int main(void)
{
	pthread_t hammers[2], thread;
	int status;
	pthread_atfork(prepare, in_parent, in_child);
	for (int i = 0; i < 2; i++)
		pthread_create(&hammers[i], NULL, hammer, &hammered[i]);

	pid_t child = fork();
	if (child == 0)
		touch_everything(11);
	printf("child of main: %d\n", await(child));

	pthread_create(&thread, NULL, fork_here, &status);
	pthread_join(thread, NULL);
	printf("child of a thread: %d\n", status);
	fflush(stdout);

	child = fork();
	if (child == 0) {
		for (int i = 0; i < 10; i++) {
			pthread_create(&thread, NULL, nothing, NULL);
			pthread_join(thread, NULL);
		}
		exit(13);
	}
	printf("child with threads: %d\n", await(child));

	child = vfork();
	if (child == 0)
		_exit(14);
	printf("vfork: %d\n", await(child));

	stop = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(hammers[i], NULL);
	printf("prepare %d parent %d\n", prepared, parents);
	puts(hammered[0] > 0 && hammered[1] > 0 ? "hammered" : "idle");
	return 0;
}
