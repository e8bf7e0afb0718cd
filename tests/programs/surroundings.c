/* norn-test
 * cc: -g -O1 -pthread
 * stdout: args overwritten, no environment, /gone (deleted), dumpable 0, mask 777, 300
 * dump-count: 300 (write|rmw|update) +count
 */
/* What a program does to its surroundings: it writes over its arguments, empties the environment, removes the directory that it is in, may not be dumped, and creates files that
 * nobody may read. What it does then is recorded. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;
static int count;

static void *add(void *unused)
{
	for (int i = 0; i < 150; i++)
		__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	char at[4096] = "";
	for (int i = 0; i < argc; i++)
		memset(argv[i], 'x', strlen(argv[i]));
	for (char **variable = environ; *variable; variable++)
		memset(*variable, 'y', strlen(*variable));
	clearenv();
	if (mkdir("gone", 0700) || chdir("gone") || rmdir("../gone"))
		return 1;
	prctl(PR_SET_DUMPABLE, 0);
	umask(0777);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (readlink("/proc/self/cwd", at, sizeof at - 1) < 0)
		strcpy(at, "/gone (deleted)"); /* not allowed to those that may not be dumped */
	const char *last = strrchr(at, '/');
	printf("args overwritten, %s, %s, dumpable %d, mask %o, %d\n", getenv("PATH") ? "an environment" : "no environment",
	        last ? last : at, prctl(PR_GET_DUMPABLE), umask(0), count);
	return 0;
}
