/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * stdout: cancelled in: testcancel sem_wait sem_timedwait cond_timedwait join read poll pause sigwait msgrcv open-fifo lock-then-test
 * stdout: cleaned up 12 in order, destroyed 12, disabled: not cancelled
 */
/* Deferred cancellation takes effect at each kind of call that is a cancellation point, and at none that is not; handlers run, the last pushed first, then destructors of keys. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static sem_t here, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static pthread_t outlasts;
static int ends[2], queue, cleaned, in_order, destroyed, step, survived;
static const char *names[] = {"testcancel", "sem_wait", "sem_timedwait", "cond_timedwait", "join", "read", "poll", "pause",
        "sigwait", "msgrcv", "open-fifo", "lock-then-test"};

static void destroy(void *unused)
{
	(void)unused;
	destroyed++;
}

static void second(void *unused)
{
	(void)unused;
	step = 1;
}

static void first(void *unused)
{
	(void)unused;
	in_order += step == 1;
	cleaned++;
	step = 2;
}

static void wait_there(int which)
{
	struct timespec late = {.tv_sec = 1ll << 33};
	struct pollfd one = {.fd = ends[0], .events = POLLIN};
	struct {
		long type;
		char text[8];
	} message;
	sigset_t set;
	char c;
	int sig;
	switch (which) {
	case 0:
		for (;;)
			pthread_testcancel();
	case 1:
		sem_wait(&never);
		break;
	case 2:
		sem_timedwait(&never, &late);
		break;
	case 3:
		pthread_mutex_lock(&mutex);
		pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &mutex);
		for (;;)
			pthread_cond_timedwait(&cond, &mutex, &late);
		pthread_cleanup_pop(1);
		break;
	case 4:
		pthread_join(outlasts, NULL);
		break;
	case 5:
		if (read(ends[0], &c, 1) == 1)
			abort();
		break;
	case 6:
		poll(&one, 1, -1);
		break;
	case 7:
		pause();
		break;
	case 8:
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		sigwait(&set, &sig);
		break;
	case 9:
		if (msgrcv(queue, &message, sizeof message.text, 1, 0) > 0)
			abort();
		break;
	case 10:
		open("fifo", O_RDONLY);
		break;
	case 11:
		pthread_mutex_lock(&held); /* no cancellation point */
		pthread_mutex_unlock(&held);
		survived++;
		pthread_testcancel();
		break;
	}
	abort();
}

static void *work(void *which)
{
	pthread_setspecific(key, &key);
	pthread_cleanup_push(first, NULL);
	pthread_cleanup_push(second, NULL);
	sem_post(&here);
	wait_there((int)(long)which);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *outlast(void *unused)
{
	sem_wait(&never);
	return unused;
}

static void *disabled(void *unused)
{
	int old;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&here);
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	pthread_testcancel();
	usleep(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *result;
	int count = 0;
	sem_init(&here, 0, 0);
	sem_init(&never, 0, 0);
	queue = msgget(IPC_PRIVATE, 0600);
	unlink("fifo");
	if (pipe(ends) || queue < 0 || mkfifo("fifo", 0600))
		return 1;
	pthread_key_create(&key, destroy);
	pthread_create(&outlasts, NULL, outlast, NULL);
	printf("cancelled in:");
	for (long i = 0; i < 12; i++) {
		if (i == 11)
			pthread_mutex_lock(&held);
		pthread_create(&thread, NULL, work, (void *)i);
		sem_wait(&here);
		pthread_cancel(thread);
		if (i == 11)
			pthread_mutex_unlock(&held);
		pthread_join(thread, &result);
		if (result == PTHREAD_CANCELED && ++count)
			printf(" %s", names[i]);
	}
	msgctl(queue, IPC_RMID, NULL);
	unlink("fifo");
	pthread_mutex_lock(&held);
	pthread_create(&thread, NULL, disabled, NULL);
	sem_wait(&here);
	pthread_cancel(thread);
	pthread_mutex_unlock(&held);
	pthread_join(thread, &result);
	sem_post(&never);
	pthread_join(outlasts, NULL);
	printf("\ncleaned up %d in order, destroyed %d, disabled: %s\n", in_order == cleaned ? cleaned : -1, destroyed,
	        result == PTHREAD_CANCELED || survived != 1 ? "cancelled" : "not cancelled");
	return 0;
}
