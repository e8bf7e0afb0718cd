/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 20 alarms, errno kept; 5 by thread, 5 waited for, 5 read; interrupted: sem_wait nanosleep read poll; restarted
 */
/* Time and signals: a timer interrupts accesses, one calls a function in a thread of libc's, one is waited for, one is read; calls end with EINTR where no
 * SA_RESTART is, and go on where it is. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int alarms, by_thread;
static sem_t done, never;
static volatile long words[64];
static atomic_int in_call;
static int ends[2];

static void on_alarm(int sig)
{
	alarms++;
	errno = sig;
	errno = 0;
}

static void in_thread(union sigval value)
{
	(void)value;
	if (++by_thread == 5)
		sem_post(&done);
}

static void *poke(void *target)
{
	pthread_t thread = *(pthread_t *)target;
	struct timespec moment = {0, 200000};
	while (in_call) {
		pthread_kill(thread, SIGUSR1);
		nanosleep(&moment, NULL);
	}
	return NULL;
}

static void on_poke(int sig)
{
	(void)sig;
}

static const char *interrupted(int which)
{
	static pthread_t self;
	pthread_t thread;
	struct timespec long_time = {1000, 0}, rest = {0, 0};
	struct pollfd one = {.fd = ends[0], .events = POLLIN};
	char c;
	int r = 0;
	self = pthread_self();
	in_call = 1;
	pthread_create(&thread, NULL, poke, &self);
	errno = 0;
	switch (which) {
	case 0:
		r = sem_wait(&never);
		break;
	case 1:
		r = nanosleep(&long_time, &rest);
		break;
	case 2:
		r = (int)read(ends[0], &c, 1);
		break;
	case 3:
		r = poll(&one, 1, -1);
		break;
	}
	int was = errno;
	in_call = 0;
	pthread_join(thread, NULL);
	static const char *names[] = {" sem_wait", " nanosleep", " read", " poll"};
	return r == -1 && was == EINTR && (which != 1 || rest.tv_sec > 900) ? names[which] : " (not)";
}

static void *feed(void *unused)
{
	struct timespec moment = {0, 5000000};
	nanosleep(&moment, NULL);
	if (write(ends[1], "x", 1) != 1)
		exit(3);
	return unused;
}

int main(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, NULL);
	struct itimerval often = {{0, 300}, {0, 300}}, not = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &often, NULL);
	errno = 0;
	for (long i = 0; alarms < 20; i++) {
		words[i % 64]++;
		if (errno)
			exit(1);
	}
	setitimer(ITIMER_REAL, &not, NULL);

	sem_init(&done, 0, 0);
	sem_init(&never, 0, 0);
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = in_thread};
	struct itimerspec soon = {{0, 1000000}, {0, 1000000}};
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL))
		exit(2);
	while (sem_wait(&done))
		;
	timer_delete(timer);

	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	int waited = 0, were_read = 0;
	for (int i = 0; i < 5; i++) {
		siginfo_t info;
		sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
		waited += sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == i;
	}
	int fd = signalfd(-1, &set, 0);
	for (int i = 0; i < 5; i++) {
		struct signalfd_siginfo info;
		sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
		were_read += read(fd, &info, sizeof info) == sizeof info && info.ssi_int == i;
	}
	close(fd);

	if (pipe(ends))
		exit(4);
	action.sa_handler = on_poke;
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	printf("20 alarms, errno kept; %d by thread, %d waited for, %d read; interrupted:", by_thread < 5 ? by_thread : 5, waited,
	        were_read);
	for (int i = 0; i < 4; i++)
		printf("%s", interrupted(i));
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	pthread_t self = pthread_self(), poker, feeder;
	char c;
	in_call = 1;
	pthread_create(&poker, NULL, poke, &self);
	pthread_create(&feeder, NULL, feed, NULL);
	ssize_t n = read(ends[0], &c, 1);
	in_call = 0;
	pthread_join(poker, NULL);
	pthread_join(feeder, NULL);
	puts(n == 1 && c == 'x' ? "; restarted" : "; not restarted");
	return 0;
}
