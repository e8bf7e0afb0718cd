/* Waiters are cancelled while they wait for a condition; a race comes before that. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting, ended;
int greeted;
static void clean(void *unused)
{
	ended++;
	pthread_mutex_unlock(&m);
}
static void *waiter(void *unused)
{
	greeted++;
	pthread_mutex_lock(&m);
	waiting++;
	pthread_cleanup_push(clean, 0);
	while (1)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return unused;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, waiter, 0);
	for (int w = 0; w < 2; usleep(500)) {
		pthread_mutex_lock(&m);
		w = waiting;
		pthread_mutex_unlock(&m);
	}
	pthread_cond_broadcast(&c);
	for (int i = 0; i < 2; i++)
		pthread_cancel(t[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("ended %d\n", ended);
	return ended != 2;
}
