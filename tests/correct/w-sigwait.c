/* norn-test
 * silent:
 * unjudged:
 */
/* One thread takes all signals by sigwaitinfo; pointers come as sigqueue's values; another uses signalfd and poll. */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>
struct order {
	int n, answer;
};
static sigset_t set, fdset;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int answered, read_by_fd;
static void *taker(void *arg)
{
	for (;;) {
		siginfo_t i;
		int s = sigwaitinfo(&set, &i);
		if (s < 0)
			continue;
		if (s == SIGTERM)
			return arg;
		struct order *o = i.si_value.sival_ptr;
		o->answer = o->n * 2;
		pthread_mutex_lock(&lock);
		answered++;
		pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
}
static void *poller(void *arg)
{
	int fd = signalfd(-1, &fdset, SFD_NONBLOCK);
	struct pollfd p = {fd, POLLIN, 0};
	for (int n = 0; n < 2;) {
		struct signalfd_siginfo i;
		if (poll(&p, 1, -1) == 1 && read(fd, &i, sizeof i) == sizeof i) {
			assert(i.ssi_int == 40 + n);
			n++;
			read_by_fd++;
		}
	}
	close(fd);
	return arg;
}
int main(void)
{
	pthread_t t, u;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGTERM);
	sigemptyset(&fdset);
	sigaddset(&fdset, SIGRTMIN + 1);
	sigset_t all = set;
	sigaddset(&all, SIGRTMIN + 1);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_create(&t, NULL, taker, NULL);
	pthread_create(&u, NULL, poller, NULL);
	struct order o[3] = {{1, 0}, {2, 0}, {3, 0}};
	for (int i = 0; i < 3; i++)
		sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_ptr = &o[i]});
	for (int i = 0; i < 2; i++)
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 40 + i});
	pthread_mutex_lock(&lock);
	while (answered < 3)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		assert(o[i].answer == 2 * o[i].n);
	kill(getpid(), SIGTERM);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(read_by_fd == 2);
	puts("answered");
	return 0;
}
