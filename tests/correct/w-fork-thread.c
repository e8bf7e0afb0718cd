/* norn-test
 * silent:
 */
/* A thread forks while another holds a lock now and then; atfork handlers keep the lock whole in the child, which uses it. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
static void before(void)
{
	pthread_mutex_lock(&lock);
}
static void after(void)
{
	pthread_mutex_unlock(&lock);
}
static void *changer(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		a++;
		b++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
static void *forker(void *arg)
{
	for (int i = 0; i < 2; i++) {
		pid_t p = fork();
		if (p < 0)
			abort();
		if (p == 0) {
			pthread_mutex_lock(&lock);
			int same = a == b;
			pthread_mutex_unlock(&lock);
			_exit(same ? 7 : 1);
		}
		int status;
		if (waitpid(p, &status, 0) != p)
			abort();
		assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_atfork(before, after, after);
	pthread_create(&t[0], NULL, changer, NULL);
	pthread_create(&t[1], NULL, forker, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert(a == 20 && b == 20);
	puts("forked");
	return 0;
}
