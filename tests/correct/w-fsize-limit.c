/* norn-test
 * silent:
 */
/* A program that limits the size of the files it writes, its descriptors, its core and its locked memory, and keeps to these. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long n, words[512];
static void *run(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&lock);
		n++;
		words[n % 512] += n;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t t[3];
	struct rlimit small = {4096, 4096}, few = {8, 8}, none = {0, 0};
	setrlimit(RLIMIT_FSIZE, &small);
	setrlimit(RLIMIT_NOFILE, &few);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_MEMLOCK, &none);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(n == 6000);
	char name[] = "/tmp/limitXXXXXX";
	int fd = mkstemp(name);
	unlink(name);
	char page[4096] = {1};
	assert(write(fd, page, 4096) == 4096);
	signal(SIGXFSZ, SIG_IGN);
	ssize_t r = write(fd, page, 1);
	int e = errno;
	assert(r == -1 && e == EFBIG);
	printf("%ld\n", n);
	return 0;
}
