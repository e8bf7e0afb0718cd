#include "cli/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/checker.h"
#include "cli/say.h"
#include "cli/watch_plan.h"
#include "cli/watch_report.h"

struct run {
	const struct norn_watching_options *options;
	struct norn_watch_plan plan;
	struct norn_watch_report report;
	int socket; /* ours */
	pid_t pid;
};

static volatile sig_atomic_t child;

/* The terminal's signals reach the program without us. */
static void on_signal(int number, siginfo_t *info, void *unused)
{
	(void)unused;
	if (child && info->si_code != SI_KERNEL)
		kill((pid_t)child, number);
}

static void set_signals(void)
{
	static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	for (unsigned i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaction(passed_on[i], &action, NULL);
}

/* ---- starting ---- */

/* In the child: where the plan and the way back are, and for whom. */
static bool set_options(int plan, int back)
{
	const char *before = getenv("NORN_OPTIONS");
	char *text;
	if (asprintf(&text, "%s%swatch=%d:%d:%d", before ? before : "", before && *before ? "," : "", plan, back, (int)getpid()) <
	        0)
		return false;
	unsetenv("NORN_SESSION");
	return setenv("NORN_OPTIONS", text, 1) == 0;
}

static int start(struct run *r, char *const *program)
{
	int pair[2], told[2], failure = 0;
	int plan = norn_watch_plan_file(&r->plan);
	if (plan < 0)
		return norn_fail("there is not enough memory for the plan");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 || pipe2(told, O_CLOEXEC) != 0)
		return norn_fail("cannot make a socket: %s", strerror(errno));
	r->pid = fork();
	if (r->pid == 0) {
		fcntl(pair[1], F_SETFD, 0);
		fcntl(plan, F_SETFD, 0);
		if (set_options(plan, pair[1]))
			execvp(program[0], program);
		failure = errno;
		_exit(write(told[1], &failure, sizeof failure) == sizeof failure ? 127 : 126);
	}
	close(pair[1]);
	close(told[1]);
	close(plan);
	r->socket = pair[0];
	if (r->pid < 0)
		return norn_fail("cannot start a process: %s", strerror(errno));
	child = r->pid;
	ssize_t n;
	while ((n = read(told[0], &failure, sizeof failure)) < 0 && errno == EINTR)
		;
	close(told[0]);
	if (n != sizeof failure)
		return NORN_EXIT_OK;
	waitpid(r->pid, NULL, 0);
	child = 0;
	return norn_fail("cannot run %s: %s", program[0], strerror(failure));
}

/* ---- listening ---- */

static bool receive(struct run *r)
{
	struct norn_watch_message m;
	ssize_t n = recv(r->socket, &m, sizeof m, MSG_DONTWAIT);
	if (n == (ssize_t)sizeof m && m.magic == NORN_WATCH_MAGIC)
		norn_watch_report_message(&r->report, &m);
	return n > 0;
}

/* Until the program has ended, and all that it said has been heard. Others may hold the other end for longer: children that it forked. */
static int listen_to(struct run *r)
{
	int fd = (int)syscall(SYS_pidfd_open, r->pid, 0), status = 0;
	struct pollfd fds[2] = {{.fd = r->socket, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	while (fd >= 0 && !(fds[1].revents & POLLIN)) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents & POLLIN)
			while (receive(r))
				;
		else if (fds[0].revents)
			fds[0].fd = -1; /* closed on the other side */
	}
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	while (receive(r))
		;
	if (fd >= 0)
		close(fd);
	return status;
}

static void say_status(const char *program, int status)
{
	if (WIFSIGNALED(status))
		norn_note("%s was ended by signal %d (%s)", program, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		norn_note("%s exited with status %d", program, WEXITSTATUS(status));
}

static int run_program(struct run *r, char *const *program)
{
	struct timespec begin, end;
	set_signals();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	int status = start(r, program);
	if (status != NORN_EXIT_OK)
		return status;
	int result = listen_to(r);
	clock_gettime(CLOCK_MONOTONIC, &end);
	close(r->socket);
	say_status(program[0], result);
	r->report.findings.stats.seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	if (!r->report.greeted)
		return norn_fail(
		        "%s was not watched: was it built by norn (`norn cc`, or CC=\"norn cc\" ./configure && make)?", program[0]);
	if (!r->report.over)
		norn_note("%s ended at once, so what is judged at the end of a run was not", program[0]);
	return norn_watch_report_end(&r->report, r->options->json);
}

int norn_watcher_run(const struct norn_watching_options *options, char *const *program)
{
	struct run r = {.options = options};
	int status = norn_watch_plan_make(&r.plan, options, program[0]);
	if (status == NORN_EXIT_OK) {
		norn_watch_report_init(&r.report, &r.plan);
		status = run_program(&r, program);
		norn_watch_report_done(&r.report);
	}
	norn_watch_plan_done(&r.plan);
	return status;
}

int norn_watcher_plan(const struct norn_watching_options *options, const char *program, int fd)
{
	struct norn_watch_plan plan;
	int status = norn_watch_plan_make(&plan, options, program);
	size_t done = 0;
	while (status == NORN_EXIT_OK && done < plan.pack.length) {
		ssize_t n = write(fd, plan.pack.bytes + done, plan.pack.length - done);
		if (n < 0 && errno != EINTR)
			status = norn_fail("cannot write the plan: %s", strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	norn_watch_plan_done(&plan);
	return status;
}
