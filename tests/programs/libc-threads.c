/* norn-test
 * cc: -g -O1 -pthread
 * stdout: read and written by libc's threads: 5; told of it: 5; a message: 1; names: 1
 */
/* Threads that libc makes by itself: for asynchronous input and output, messages and names. They run functions of the program, and have no beginning that Norn sees. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sem_t told;
static int count;
static atomic_int messages;

static void on_end(union sigval value)
{
	__atomic_fetch_add((int *)value.sival_ptr, 1, __ATOMIC_SEQ_CST);
	sem_post(&told);
}

static void wait_told(void)
{
	while (sem_wait(&told))
		;
}

static int by_aio(int fd)
{
	int good = 0;
	for (int i = 0; i < 5; i++) {
		char out[16], in[16] = "";
		snprintf(out, sizeof out, "block %d", i);
		struct aiocb write = {.aio_fildes = fd, .aio_buf = out, .aio_nbytes = 7, .aio_offset = i * 7};
		struct aiocb read = {.aio_fildes = fd, .aio_buf = in, .aio_nbytes = 7, .aio_offset = i * 7};
		write.aio_sigevent.sigev_notify = SIGEV_THREAD;
		write.aio_sigevent.sigev_notify_function = on_end;
		write.aio_sigevent.sigev_value.sival_ptr = &count;
		if (aio_write(&write))
			exit(1);
		wait_told();
		if (aio_error(&write) || aio_return(&write) != 7 || aio_read(&read))
			exit(2);
		const struct aiocb *list[] = {&read};
		while (aio_error(&read) == EINPROGRESS)
			aio_suspend(list, 1, NULL);
		good += aio_return(&read) == 7 && strcmp(in, out) == 0;
	}
	return good;
}

static void by_message(void)
{
	char name[32];
	snprintf(name, sizeof name, "/norn-%d", (int)getpid());
	struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
	mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_end, .sigev_value.sival_ptr = &messages};
	if (queue < 0) { /* no message queues here */
		messages = 1;
		return;
	}
	if (mq_notify(queue, &event) || mq_send(queue, "hello", 6, 0))
		exit(3);
	wait_told();
	mq_close(queue);
	mq_unlink(name);
}

int main(void)
{
	sem_init(&told, 0, 0);
	int fd = open("blocks", O_CREAT | O_RDWR | O_TRUNC, 0600);
	int good = by_aio(fd);
	unlink("blocks");
	by_message();
	struct gaicb name = {.ar_name = "127.0.0.1"}, *names[] = {&name};
	int r = getaddrinfo_a(GAI_WAIT, names, 1, NULL);
	printf("read and written by libc's threads: %d; told of it: %d; a message: %d; names: %d\n", good, count, messages, r == 0);
	freeaddrinfo(name.ar_result);
	return 0;
}
