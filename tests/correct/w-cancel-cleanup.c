/* norn-test
 * silent:
 */
/* Workers blocked in a condition wait, a read and a semaphore are cancelled; cleanup handlers unlock and put things right. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static int waiting, cleaned, pipe_[2];
static void unlock(void *p)
{
	waiting--;
	cleaned++;
	pthread_mutex_unlock(p);
}
static void count(void *p)
{
	free(p);
	pthread_mutex_lock(&lock);
	waiting--;
	cleaned++;
	pthread_mutex_unlock(&lock);
}
static void here(void)
{
	waiting++;
	pthread_cond_signal(&arrived);
}
static void *in_cond(void *arg)
{
	pthread_mutex_lock(&lock);
	here();
	pthread_cleanup_push(unlock, &lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return arg;
}
static void *in_read(void *arg)
{
	char *buffer = malloc(16);
	pthread_mutex_lock(&lock);
	here();
	pthread_mutex_unlock(&lock);
	pthread_cleanup_push(count, buffer);
	for (;;)
		if (read(pipe_[0], buffer, 16) <= 0)
			abort();
	pthread_cleanup_pop(1);
	return arg;
}
static void *in_sem(void *arg)
{
	char *buffer = calloc(1, 8);
	pthread_mutex_lock(&lock);
	here();
	pthread_mutex_unlock(&lock);
	pthread_cleanup_push(count, buffer);
	for (;;)
		sem_wait(&empty);
	pthread_cleanup_pop(1);
	return arg;
}
int main(void)
{
	void *(*f[])(void *) = {in_cond, in_read, in_sem};
	pthread_t t[3];
	if (pipe(pipe_))
		abort();
	sem_init(&empty, 0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, f[i], NULL);
	pthread_mutex_lock(&lock);
	while (waiting < 3)
		pthread_cond_wait(&arrived, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_cancel(t[i]);
	for (int i = 0; i < 3; i++) {
		void *r;
		pthread_join(t[i], &r);
		assert(r == PTHREAD_CANCELED);
	}
	assert(waiting == 0 && cleaned == 3);
	puts("cleaned");
	return 0;
}
