/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O2 -pthread -D_FORTIFY_SOURCE=2 -fexceptions
 * stdout: before main: 1
 * stdout: errno is kept: yes
 * stdout: interrupted: 1
 * stdout: restarted: 1
 * stdout: child: 1
 * dump: main +receive .*; early
 * dump: main +send .*; early
 * dump: main +send .*; on_alarm_write
 * dump: main/7 +send .*; block
 * never: main/[0-9]+ +receive .*; block
 */
/* Results, errno, interruption and cancellation of input and output, before main, in handlers and in children. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char early_result;
static int ends[2], sockets[2], cleaned;
static sem_t ready;

__attribute__((constructor)) static void early(void)
{
	char got = 0;
	if (pipe(ends) == 0 && write(ends[1], "e", 1) == 1 && read(ends[0], &got, 1) == 1)
		early_result = got == 'e';
}

static void say(const char *what, ssize_t result)
{
	printf("%s: %zd %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static void errors(void)
{
	char byte = 'x', *volatile nowhere = (char *)8;
	struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
	struct sockaddr_un nobody = {.sun_family = AF_UNIX, .sun_path = "nobody-is-here"};
	int other[2];
	signal(SIGPIPE, SIG_IGN);
	say("read of no file", read(-1, &byte, 1));
	say("write to no file", write(-1, &byte, 1));
	say("close of no file", close(-1));
	say("write to nowhere", write(ends[1], nowhere, 1));
	say("poll of nowhere", poll((struct pollfd *)nowhere, 1, 0));
	say("pread of a pipe", pread(ends[0], &byte, 1, 0));
	say("recv of a pipe", recv(ends[0], &byte, 1, 0));
	say("connect to nobody", connect(sockets[0], (struct sockaddr *)&nobody, sizeof nobody));
	say("accept of no listener", accept(sockets[0], NULL, NULL));
	say("poll in vain", poll(&wanted, 1, 0));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	say("read of nothing yet", read(ends[0], &byte, 1));
	fcntl(ends[0], F_SETFL, 0);
	if (pipe(other) == 0) {
		close(other[0]);
		say("write to a broken pipe", write(other[1], &byte, 1));
		close(other[1]);
		say("a second close", close(other[1]));
	}
	errno = 77;
	ssize_t moved = write(ends[1], &byte, 1) + read(ends[0], &byte, 1) + poll(&wanted, 1, 0);
	printf("errno is kept: %s\n", moved == 2 && errno == 77 ? "yes" : "no");
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void on_alarm_write(int sig)
{
	(void)sig;
	int error = errno;
	if (write(ends[1], "a", 1) != 1)
		abort();
	errno = error;
}

static void interrupt(void (*handler)(int), int flags, long every)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct itimerval soon = {{0, every}, {0, 5000}}, never = {0};
	char byte = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ssize_t got = read(ends[0], &byte, 1);
	int error = errno;
	setitimer(ITIMER_REAL, &never, NULL);
	if (flags)
		printf("restarted: %d\n", got == 1 && byte == 'a');
	else
		printf("interrupted: %d\n", got == -1 && error == EINTR);
}

static void clean_up(void *unused)
{
	(void)unused;
	cleaned++;
}

enum { READ, RECV, POLL, SELECT, EPOLL, FGETS, PENDING_WRITE, PENDING_CLOSE, CALLS };

static int poller;
static FILE *stream;

/* Not inlined: clang takes fgets for a function that is never unwound, so whether it is depends on who called it. */
__attribute__((noinline)) static void block(int call)
{
	char byte[2];
	struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN};
	fd_set set;
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	if (call == READ)
		(void)!read(ends[0], byte, 1);
	else if (call == RECV)
		recv(sockets[0], byte, 1, 0);
	else if (call == POLL)
		poll(&wanted, 1, -1);
	else if (call == SELECT)
		select(ends[0] + 1, &set, NULL, NULL, NULL);
	else if (call == EPOLL)
		epoll_wait(poller, &event, 1, -1);
	else if (call == FGETS)
		(void)!fgets(byte, 2, stream);
	else if (call == PENDING_WRITE)
		(void)!write(ends[1], "w", 1);
	else
		close(ends[0]);
}

static void *be_cancelled(void *arg)
{
	int call = *(int *)arg;
	pthread_cleanup_push(clean_up, NULL);
	if (call >= PENDING_WRITE) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		pthread_cancel(pthread_self());
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	}
	sem_post(&ready);
	poller = epoll_create1(0);
	stream = fdopen(dup(ends[0]), "r");
	block(call);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancellation(void)
{
	sem_init(&ready, 0, 0);
	for (int call = READ; call < CALLS; call++) {
		pthread_t thread;
		void *result;
		cleaned = 0;
		pthread_create(&thread, NULL, be_cancelled, &call);
		sem_wait(&ready);
		if (call < PENDING_WRITE)
			pthread_cancel(thread);
		pthread_join(thread, &result);
		printf("call %d: %s, cleaned up %d\n", call, result == PTHREAD_CANCELED ? "cancelled" : "returned", cleaned);
	}
}

static void child(void)
{
	char byte = 0;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		ssize_t put = write(ends[1], "c", 1);
		_exit(put != 1 || close(ends[1]) || close(ends[1]) == 0 || errno != EBADF);
	}
	int status;
	ssize_t got = read(ends[0], &byte, 1);
	waitpid(pid, &status, 0);
	printf("child: %d\n", got == 1 && byte == 'c' && status == 0);
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	printf("before main: %d\n", early_result);
	errors();
	interrupt(on_alarm, 0, 5000);
	interrupt(on_alarm_write, SA_RESTART, 0);
	child();
	cancellation();
	return 0;
}
