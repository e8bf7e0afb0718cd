/* norn-test
 * errors: yes
 * cc: -O0
 * cc: -O1
 * cc: -O2
 * no-finding: yes
 */
/* Signal handlers (X13, X13.a): what a thread does before it sends a signal comes before the handler, and before what the interrupted thread does when it knows of it. Each pair of
 * functions is one way to know. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static int data[5];
static volatile sig_atomic_t got;
static sem_t posted;
static pthread_t main_thread;

static void notice(int signal)
{
	got = 1;
}

static void post(int signal)
{
	sem_post(&posted);
}

/* A flag that the handler sets, in the thread that waits for it. */
static void *sends(void *unused)
{
	data[0] = 1;
	pthread_kill(main_thread, SIGUSR1);
	return unused;
}

static void waits_for_flag(void)
{
	while (!got)
		sched_yield();
	data[0]++;
}

/* The handler itself touches it. */
static void touch(int signal)
{
	data[1]++;
	got = 1;
}

static void *sends_to_toucher(void *unused)
{
	data[1] = 1;
	pthread_kill(main_thread, SIGUSR2);
	return unused;
}

/* A semaphore that the handler posts. */
static void *sends_to_poster(void *unused)
{
	data[2] = 1;
	pthread_kill(main_thread, SIGHUP);
	return unused;
}

/* A timer that the other thread sets. */
static void *sets_timer(void *unused)
{
	struct itimerval soon = {.it_value = {0, 1000}};
	data[3] = 1;
	setitimer(ITIMER_REAL, &soon, NULL);
	return unused;
}

static void run(void *(*function)(void *), void (*wait)(void))
{
	pthread_t thread;
	got = 0;
	pthread_create(&thread, NULL, function, NULL);
	wait();
	pthread_join(thread, NULL);
}

static void waits_for_toucher(void)
{
	while (!got)
		sched_yield();
	data[1]++;
}

static void waits_for_post(void)
{
	while (sem_wait(&posted) != 0)
		;
	data[2]++;
}

static void waits_for_timer(void)
{
	while (!got)
		sched_yield();
	data[3]++;
}

int main(void)
{
	main_thread = pthread_self();
	sem_init(&posted, 0, 0);
	signal(SIGUSR1, notice);
	signal(SIGUSR2, touch);
	signal(SIGHUP, post);
	signal(SIGALRM, notice);
	run(sends, waits_for_flag);
	run(sends_to_toucher, waits_for_toucher);
	run(sends_to_poster, waits_for_post);
	run(sets_timer, waits_for_timer);
	return data[0] == 0;
}
