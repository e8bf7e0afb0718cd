/* Fails in a thread, as it is told to. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *nowhere;
int value;

static int deep(volatile int *from)
{
	volatile int more[1000];
	more[0] = *from + 1;
	return deep(more) + more[0];
}

static void die_of(int sig)
{
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A child that dies, and whose parent looks at how. */
static void fork_one(void)
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		*nowhere = 1;
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	fflush(stdout);
}

__attribute__((noinline)) static void fail(const char *how)
{
	struct sigaction old;
	if (!strcmp(how, "read"))
		value = *nowhere;
	else if (!strcmp(how, "write"))
		*nowhere = 1;
	else if (!strcmp(how, "text"))
		value = (int)strlen((const char *)nowhere);
	else if (!strcmp(how, "far"))
		value = *(int *)((unsigned long)nowhere + 0x8000000000000000ul);
	else if (!strcmp(how, "stack"))
		value = deep(&value);
	else if (!strcmp(how, "assert"))
		assert(value == 2);
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "divide"))
		value = 5 / (value - 1);
	else if (!strcmp(how, "kill"))
		raise(SIGKILL);
	else if (!strcmp(how, "pipe"))
		raise(SIGPIPE);
	else if (!strcmp(how, "child"))
		fork_one();
	else if (!strcmp(how, "handler")) {
		signal(SIGSEGV, die_of);
		*nowhere = 1;
	} else if (!strcmp(how, "own")) {
		/* What it has not set it has by default, and it gets that back. */
		sigaction(SIGSEGV, NULL, &old);
		printf("%d %d", old.sa_handler == SIG_DFL, old.sa_flags);
		printf(" %d", signal(SIGSEGV, SIG_IGN) == SIG_DFL);
		printf(" %d", signal(SIGSEGV, SIG_DFL) == SIG_IGN);
		printf(" %d\n", signal(SIGABRT, SIG_DFL) == SIG_DFL);
		fflush(stdout);
		raise(SIGSEGV);
	}
}

static void *run(void *how)
{
	pthread_mutex_lock(&lock);
	value = 1;
	pthread_mutex_unlock(&lock);
	fail(how);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc < 2)
		return 2;
	pthread_create(&thread, NULL, run, argv[1]);
	pthread_join(thread, NULL);
	puts("the program's words");
	return strcmp(argv[1], "exit") ? 0 : 3;
}
