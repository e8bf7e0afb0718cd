/* norn-test
 * silent: -lrt
 * unjudged:
 */
/* Correct: the notification's thread comes after mq_send, after the data are written */
#include "correct.h"
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
static sem_t s;
static int d;
static void cb(union sigval v)
{
	d += v.sival_int;
	sem_post(&s);
}
int main(void)
{
	char n[40];
	snprintf(n, sizeof n, "/norn-k18-%d", (int)getpid());
	struct mq_attr t = {.mq_maxmsg = 2, .mq_msgsize = 8};
	mqd_t q = mq_open(n, O_CREAT | O_RDWR, 0600, &t);
	mq_unlink(n);
	sem_init(&s, 0, 0);
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = cb, .sigev_value.sival_int = 2};
	mq_notify(q, &e);
	d = 40;
	mq_send(q, "x", 1, 0);
	sem_wait(&s);
	d += 0;
	printf("%d\n", d);
	return d != 42;
}
