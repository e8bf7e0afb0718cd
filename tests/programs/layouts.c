/* norn-test
 * cc: -g -O1 -pthread
 * stdout: unlimited stack: 2000, 4
 * stdout: small stack: 2000, 4
 * stdout: addresses below 3 GB: 2000, 4
 * stdout: little data: 2000, 4
 * stdout: no file may grow: 2000, 4
 * stdout: few descriptors: 2000, 4
 */
/* Programs that are started with limits and layouts that are not the usual ones: of each what it prints, and how it ends. Where Norn has no room they are not watched, but nothing else
 * changes: they are not ended by a limit that they keep themselves (SIGXFSZ), and get the memory that they would have. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	char ones[64];
	memset(ones, 1, sizeof ones);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		count += ones[i % 64];
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void add_in_two(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, add, NULL))
			exit(9);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void limit(int which, rlim_t most)
{
	struct rlimit now;
	getrlimit(which, &now);
	now.rlim_cur = most;
	setrlimit(which, &now);
}

static void unlimited_stack(void)
{
	limit(RLIMIT_STACK, RLIM_INFINITY);
}

static void small_stack(void)
{
	limit(RLIMIT_STACK, 128 << 10);
}

static void not_random(void)
{
	personality(ADDR_NO_RANDOMIZE);
}

static void old_layout(void)
{
	personality(ADDR_COMPAT_LAYOUT);
}

static void all_executable(void)
{
	personality(READ_IMPLIES_EXEC);
}

static void low_addresses(void)
{
	personality(ADDR_LIMIT_3GB);
}

static void little_space(void)
{
	limit(RLIMIT_AS, 256 << 20);
}

static void little_data(void)
{
	limit(RLIMIT_DATA, 64 << 20);
}

static void more_data(void)
{
	limit(RLIMIT_DATA, 128 << 20);
}

static void no_growth(void)
{
	limit(RLIMIT_FSIZE, 0);
}

static void few_descriptors(void)
{
	limit(RLIMIT_NOFILE, 5);
}

static void nothing_locked(void)
{
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_SIGPENDING, 0);
	limit(RLIMIT_MSGQUEUE, 0);
}

static const struct {
	const char *name;
	void (*set)(void);
} layouts[] = {{"unlimited stack", unlimited_stack}, {"small stack", small_stack}, {"not random", not_random},
        {"old layout", old_layout}, {"all executable", all_executable}, {"addresses below 3 GB", low_addresses},
        {"little space", little_space}, {"little data", little_data}, {"more data", more_data}, {"no file may grow", no_growth},
        {"few descriptors", few_descriptors}, {"nothing locked", nothing_locked}};

int main(int argc, char **argv)
{
	add_in_two();
	if (argc > 1) {
		printf("%s: %d, ", argv[1], count);
		fflush(stdout);
		_exit(4);
	}
	for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		int status = 0;
		fflush(stdout);
		pid_t child = fork();
		if (child == 0) {
			layouts[i].set();
			execl("/proc/self/exe", argv[0], layouts[i].name, NULL);
			_exit(99);
		}
		waitpid(child, &status, 0);
		printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	}
	return 0;
}
