/* norn-test
 * stdout: no such file: 2
 */
/* A program that is called by a name (argv[0]) which is not that of its file. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int shared;

static void *add(void *unused)
{
	__atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc == 1) {
		execl("/proc/self/exe", "no such file", "again", (char *)NULL);
		return 1;
	}
	pthread_t thread;
	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
	printf("%s: %d\n", argv[0], shared);
	return 0;
}
