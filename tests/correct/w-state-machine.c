/* norn-test
 * silent:
 */
/* A protocol's state machine: every transition under the lock, illegal ones are asserted away by what each thread knows it did before. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum state { IDLE, DIALING, CONNECTED, CLOSING, CLOSED };
static const char *const name[] = {"idle", "dialing", "connected", "closing", "closed"};
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state;
	char *peer;
	int sent, history;
} link_ = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, IDLE, NULL, 0, 0};
static void go(enum state from, enum state to)
{
	assert(link_.state == from);
	link_.state = to;
	link_.history = link_.history * 10 + to;
	pthread_cond_broadcast(&link_.changed);
}
static void *dialer(void *arg)
{
	pthread_mutex_lock(&link_.lock);
	go(IDLE, DIALING);
	pthread_mutex_unlock(&link_.lock);
	char *p = malloc(8);
	snprintf(p, 8, "peer");
	pthread_mutex_lock(&link_.lock);
	link_.peer = p;
	go(DIALING, CONNECTED);
	while (link_.state < CLOSED)
		pthread_cond_wait(&link_.changed, &link_.lock);
	assert(link_.peer == NULL);
	pthread_mutex_unlock(&link_.lock);
	return arg;
}
static void *sender(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&link_.lock);
		while (link_.state < CONNECTED)
			pthread_cond_wait(&link_.changed, &link_.lock);
		if (link_.state == CONNECTED) {
			assert(link_.peer[0] == 'p');
			link_.sent++;
		} else
			assert(name[link_.state][0] == 'c');
		pthread_mutex_unlock(&link_.lock);
	}
	pthread_mutex_lock(&link_.lock);
	if (link_.state == CONNECTED)
		go(CONNECTED, CLOSING);
	pthread_mutex_unlock(&link_.lock);
	return arg;
}
static void *reaper(void *arg)
{
	pthread_mutex_lock(&link_.lock);
	while (link_.state != CLOSING)
		pthread_cond_wait(&link_.changed, &link_.lock);
	char *p = link_.peer;
	link_.peer = NULL;
	go(CLOSING, CLOSED);
	pthread_mutex_unlock(&link_.lock);
	assert(p[3] == 'r');
	free(p);
	return arg;
}
int main(void)
{
	void *(*f[])(void *) = {dialer, sender, sender, reaper};
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, f[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(link_.history == 1234);
	printf("%s\n", name[link_.state]);
	return 0;
}
