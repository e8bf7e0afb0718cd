#include "jobs/processes/background.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/must.h"
#include "jobs/checker.h"
#include "jobs/processes/judged_early.h"
#include "jobs/say.h"

enum { LOWEST_PRIORITY = 19, QUEUE_BYTES = 1 << 20 };

/* One message is written at once, and less than PIPE_BUF, so that it comes whole or not at all. */
struct message {
	bool last, partial, program_failed; /* the latter: of the last */
	char trace[4000]; /* "": that of the last is what was asked for */
};
_Static_assert(sizeof(struct message) <= PIPE_BUF, "a message is written at once");

/* ---- the process that judges ---- */

struct judging {
	struct norn_checking checking;
	struct norn_judged_early early;
	struct message last;
	int from;
	bool ended; /* it is the last message that came last */
};

/* What is written to standard error until end_aside, which returns it. */
static int begin_aside(int *ret_before)
{
	int aside = memfd_create("norn", MFD_CLOEXEC);
	*ret_before = aside < 0 ? -1 : fcntl(2, F_DUPFD_CLOEXEC, 3);
	fflush(stderr);
	if (*ret_before >= 0)
		dup2(aside, 2);
	return aside;
}

static char *end_aside(int aside, int before)
{
	off_t bytes = aside < 0 ? 0 : lseek(aside, 0, SEEK_END);
	char *text = norn_must_calloc(1, (size_t)(bytes > 0 ? bytes : 0) + 1);
	fflush(stderr);
	if (bytes > 0 && pread(aside, text, (size_t)bytes, 0) != bytes)
		text[0] = 0;
	if (before >= 0) {
		dup2(before, 2);
		close(before);
	}
	if (aside >= 0)
		close(aside);
	return text;
}

/* An interrupt comes only when the program has ended: then the user waits, and what was begun is left to norn_checker_run. */
static void judge_early(struct judging *j, const char *path)
{
	struct norn_early_trace trace = {0};
	int before, aside = begin_aside(&before);
	norn_interrupt_begin();
	bool judged = aside >= 0 && before >= 0 && norn_checker_early(&j->checking, &j->early, path, &trace);
	norn_interrupt_end();
	trace.said = end_aside(aside, before);
	j->early.interrupted |= norn_interrupted();
	if (judged && !norn_interrupted() && norn_judged_early_keep(&j->early, path, &trace))
		return;
	if (judged)
		norn_findings_done(&trace.findings);
	free(trace.executable);
	free(trace.said);
}

static bool receive(const struct judging *j, struct message *ret)
{
	ssize_t n;
	while ((n = read(j->from, ret, sizeof *ret)) < 0 && errno == EINTR)
		;
	return n == sizeof *ret;
}

/* In a thread, since what a thread has given up of its priority it does not get back. */
static void *judge_traces(void *context)
{
	struct judging *j = context;
	struct message message;
	setpriority(PRIO_PROCESS, (id_t)gettid(), LOWEST_PRIORITY);
	while (receive(j, &message)) {
		if (message.last) {
			j->ended = true;
			j->last = message;
			break;
		}
		judge_early(j, message.trace);
	}
	return NULL;
}

static _Noreturn void judge(const struct norn_checking *asked, int from, int to)
{
	struct judging j = {.checking = *asked, .from = from};
	pthread_t thread;
	if (pthread_create(&thread, NULL, judge_traces, &j) != 0)
		_exit(NORN_EXIT_USAGE);
	pthread_join(thread, NULL);
	if (!j.ended || write(to, "", 1) != 1)
		_exit(NORN_EXIT_USAGE);
	j.checking.early = &j.early;
	if (*j.last.trace)
		j.checking.trace = j.last.trace;
	j.checking.partial = j.last.partial;
	j.checking.program_failed = j.last.program_failed;
	int status = norn_checker_run(&j.checking);
	norn_judged_early_done(&j.early);
	norn_checker_done(&j.checking);
	norn_finish_output();
	fflush(stderr);
	_exit(status);
}

/* ---- the other one ---- */

/* The child is one that waitpid does not see unless asked for such: the recorder waits for all that the program leaves behind. Its
 * group is its own, as ^C is meant for the program as long as that runs. It ends when this process does. */
void norn_background_begin(struct norn_background *b, const struct norn_checking *checking)
{
	int there[2] = {-1, -1}, back[2] = {-1, -1};
	pid_t self = getpid();
	*b = (struct norn_background){.to = -1, .from = -1};
	fflush(NULL);
	if (pipe2(there, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0)
		b->pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (b->pid == 0 && getpid() != self) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self || setpgid(0, 0) != 0)
			_exit(NORN_EXIT_USAGE);
		signal(SIGTTOU, SIG_IGN); /* it writes to the terminal in the end */
		close(there[1]);
		close(back[0]);
		judge(checking, there[0], back[1]);
	}
	if (there[0] >= 0)
		close(there[0]);
	if (back[1] >= 0)
		close(back[1]);
	if (b->pid <= 0) {
		if (there[1] >= 0)
			close(there[1]);
		if (back[0] >= 0)
			close(back[0]);
		b->pid = 0;
		return;
	}
	b->to = there[1];
	b->from = back[0];
	fcntl(b->to, F_SETFL, O_NONBLOCK);
	fcntl(b->to, F_SETPIPE_SZ, QUEUE_BYTES); /* a smaller one leaves more to the end */
}

static bool send_message(const struct norn_background *b, struct message *message, const char *trace)
{
	size_t length = strlen(trace);
	if (!b->pid || length >= sizeof message->trace)
		return false;
	memcpy(message->trace, trace, length + 1);
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	bool sent = write(b->to, message, sizeof *message) == sizeof *message;
	signal(SIGPIPE, before);
	return sent;
}

void norn_background_give(void *background, const char *trace)
{
	struct norn_background *b = background;
	struct message message = {0};
	b->given |= send_message(b, &message, trace);
}

static volatile sig_atomic_t judging_pid, interrupts;

static void pass_on(int number)
{
	interrupts++;
	kill(judging_pid, number);
}

/* ^C goes to the process that judges; how that ended. The second one ends both, as it would without this. */
static int wait_for(const struct norn_background *b, bool passes)
{
	struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART}, before;
	int status = 0;
	judging_pid = b->pid;
	interrupts = 0;
	if (passes && sigaction(SIGINT, NULL, &before) == 0 && (passes = before.sa_handler == SIG_DFL))
		sigaction(SIGINT, &action, NULL);
	while (waitpid(b->pid, &status, __WCLONE) < 0 && errno == EINTR)
		;
	if (passes)
		sigaction(SIGINT, &before, NULL);
	return status;
}

/* True if it came to the last message. */
static bool has_begun(const struct norn_background *b)
{
	char byte;
	return read(b->from, &byte, 1) == 1;
}

static int outcome_of(int status, const char *trace)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (WTERMSIG(status) == SIGPIPE || WTERMSIG(status) == SIGINT)
		raise(WTERMSIG(status));
	return norn_fail("judging was ended by signal %d; `norn check %s` does it again", WTERMSIG(status), trace);
}

static void done(struct norn_background *b)
{
	if (b->pid) {
		close(b->to);
		close(b->from);
	}
	*b = (struct norn_background){.to = -1, .from = -1};
}

void norn_background_drop(struct norn_background *b)
{
	if (b->pid) {
		kill(b->pid, SIGKILL);
		wait_for(b, false);
	}
	done(b);
}

bool norn_background_end(struct norn_background *b, const struct norn_checking *checking, int *ret_status)
{
	struct message message = {.last = true, .partial = checking->partial, .program_failed = checking->program_failed};
	fflush(NULL);
	if (b->pid && b->given)
		fcntl(b->to, F_SETFL, 0); /* it may have a queue to go through */
	if (!b->given || !send_message(b, &message, checking->trace)) {
		norn_background_drop(b);
		return false;
	}
	int status = wait_for(b, true);
	bool begun = has_begun(b);
	done(b);
	if (begun)
		*ret_status = outcome_of(status, checking->trace);
	return begun;
}
