/* norn-test
 * silent:
 * unjudged:
 */
/* A process-shared robust mutex, condition and semaphore in mapped memory; the child dies with the mutex held, and the parent's threads make it consistent. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static struct shared {
	pthread_mutex_t lock;
	sem_t go;
	int a, b, recovered;
} *s;
static int enter(void)
{
	int e = pthread_mutex_lock(&s->lock);
	if (e == EOWNERDEAD) {
		s->b = s->a;
		s->recovered++;
		pthread_mutex_consistent(&s->lock);
		e = 0;
	}
	return e;
}
static void *run(void *arg)
{
	for (int i = 0; i < 3; i++) {
		if (enter())
			abort();
		assert(s->a == s->b);
		s->a++;
		s->b++;
		pthread_mutex_unlock(&s->lock);
	}
	return arg;
}
int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[2];
	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&s->lock, &a);
	sem_init(&s->go, 1, 0);
	pid_t p = fork();
	if (p == 0) {
		sem_wait(&s->go);
		if (enter())
			_exit(1);
		s->a += 10;
		_exit(7);
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, run, NULL);
	sem_post(&s->go);
	int status;
	waitpid(p, &status, 0);
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (enter())
		abort();
	assert(s->a == 16 && s->b == 16 && s->recovered == 1);
	pthread_mutex_unlock(&s->lock);
	puts("16");
	return 0;
}
