/* norn-test
 * cc: -g -O1 -pthread
 * exit: 3
 * stdout: 1 arguments of 130999 bytes, 2000
 * stdout: 20000 arguments of 200000 bytes, 2000
 * stdout: no arguments, 2000
 * stdout: none, 1, 4000
 * stdout: 1 arguments of 1 bytes, 2000
 */
/* Arguments and environments as large as the kernel takes them, or none at all: programs get what they would get without Norn. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int count;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++)
		__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void add_in_two(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void run(char **arguments, char **environment)
{
	int status = 0;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execve("/proc/self/exe", arguments, environment);
		_exit(errno == E2BIG ? 42 : 43);
	}
	waitpid(child, &status, 0);
	printf("-> %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

static int show(int argc, char **argv)
{
	size_t bytes = 0, variables = 0;
	for (int i = 1; i < argc; i++)
		bytes += strlen(argv[i]);
	for (char **entry = environ; entry && *entry; entry++)
		variables += strncmp(*entry, "NORN_", 5) != 0;
	add_in_two();
	if (argc > 1)
		printf("%d arguments of %zu bytes, %d (%zu)\n", argc - 1, bytes, count, environ == NULL ? 0 : variables);
	else
		printf("no arguments, %d\n", count);
	fflush(stdout);
	_exit(3);
}

static char *filled(size_t length)
{
	char *text = malloc(length + 1);
	memset(text, 'a', length);
	text[length] = 0;
	return text;
}

int main(int argc, char **argv)
{
	if (argc > 1 || argc == 0 || !argv[0] || !argv[0][0])
		show(argc, argv);
	static char *many[20002], *variables[5001];
	char *none[] = {NULL}, *one[] = {argv[0], "x", NULL}, *large[] = {argv[0], filled(130999), NULL},
	     *over[] = {argv[0], filled(139999), NULL};
	char *odd[] = {"NO EQUALS", "=x", "", "A=1", "A=2", "NORN_OPTIONS", "NORN_SESSION", "NORN_SESSIONS=1", NULL};
	many[0] = argv[0];
	for (int i = 1; i <= 20000; i++)
		many[i] = "0123456789";
	for (int i = 0; i < 5000; i++)
		if (asprintf(&variables[i], "NAME%d=%0100d", i, i) < 0)
			return 1;
	run(large, none);
	run(many, none);
	run(over, none);
	run(one, variables);
	run(one, odd);
	run(none, none);
	run(one, NULL);
	clearenv();
	add_in_two();
	setenv("A", "1", 1);
	const char *value = getenv("A");
	environ = NULL;
	add_in_two();
	printf("%s, %s, %d\n", getenv("A") ? "some" : "none", value, count);
	fflush(stdout);
	execl("/proc/self/exe", argv[0], "x", NULL);
	return 9;
}
