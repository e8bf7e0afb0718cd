#include "jobs/watch/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/must.h"
#include "jobs/checker.h"
#include "jobs/say.h"
#include "jobs/watch/watch_plan.h"
#include "jobs/watch/watch_report.h"
#include "finding/coverage.h"

#define PAUSE_MS 10 /* at most, from what a program says to what is shown */

struct run {
	const struct norn_watching_options *options;
	struct norn_watch_plan plan;
	struct norn_watch_report report;
	struct norn_watch_ring *ring;
	int ring_file; /* -1: none */
	uint64_t tail; /* messages read */
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

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

static void set_signals(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	for (unsigned i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaction(passed_on[i], &action, NULL);
}

/* ---- starting ---- */

/* The program's environment: ours, but for what is said to the runtime. */
struct environment {
	char **list;
	char *options; /* NORN_OPTIONS=…, with room for the paths of the plan and the ring, and for the process */
	size_t said, room;
};

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);
	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static void make_environment(struct environment *e)
{
	const char *before = getenv("NORN_OPTIONS");
	size_t count = 0, kept = 0;
	while (environ[count])
		count++;
	e->room = sizeof "NORN_OPTIONS=,watch=" + (before ? strlen(before) : 0) + 64;
	e->list = norn_must_calloc(count + 2, sizeof *e->list);
	e->options = norn_must_alloc(e->room, 1);
	for (size_t i = 0; i < count; i++)
		if (!is_variable(environ[i], "NORN_OPTIONS") && !is_variable(environ[i], "NORN_SESSION"))
			e->list[kept++] = environ[i];
	e->list[kept] = e->options;
	e->said = (size_t)snprintf(e->options, e->room, "NORN_OPTIONS=%s%s", before ? before : "", before && *before ? "," : "");
}

/* Memory for what the program says. */
static int make_ring(struct run *r)
{
	int fd = memfd_create("norn-watch", MFD_CLOEXEC);
	void *memory = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, sizeof *r->ring) == 0)
		memory = mmap(NULL, sizeof *r->ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	r->ring = memory;
	norn_watch_ring_init(r->ring);
	return fd;
}

/* The child has our memory until it is the program, so that none of it is copied; it touches only the environment that was made for
 * it. */
static pid_t become(char *const *program, struct environment *e, int plan, int ring, volatile int *failure)
{
	sigset_t held, before;
	sigemptyset(&held);
	for (unsigned i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaddset(&held, passed_on[i]);
	sigprocmask(SIG_BLOCK, &held, &before); /* until their receiver is known */
	pid_t pid = vfork();
	if (pid != 0) {
		child = pid > 0 ? pid : 0;
		sigprocmask(SIG_SETMASK, &before, NULL);
		return pid;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	fcntl(ring, F_SETFD, 0);
	fcntl(plan, F_SETFD, 0);
	snprintf(e->options + e->said, e->room - e->said, "watch=%d:%d:%d:%d", plan, ring, (int)getpid(), (int)getppid());
	execvpe(program[0], program, e->list);
	*failure = errno;
	_exit(127);
}

static int start(struct run *r, char *const *program)
{
	volatile int failure = 0;
	struct environment e = {0};
	int plan = norn_watch_plan_file(&r->plan), ring = make_ring(r), status = NORN_EXIT_OK;
	make_environment(&e);
	if (plan < 0 || ring < 0)
		status = norn_fail("there is no room for the plan (memory, or file descriptors: ulimit -n): %s", strerror(errno));
	else if ((r->pid = become(program, &e, plan, ring, &failure)) < 0)
		status = norn_fail("cannot start a process: %s", strerror(errno));
	free(e.list);
	free(e.options);
	r->ring_file = ring; /* stays open, for other processes to find */
	if (plan >= 0)
		close(plan);
	if (status != NORN_EXIT_OK || !failure)
		return status;
	child = 0;
	waitpid(r->pid, NULL, 0);
	return norn_fail("cannot run %s: %s", program[0], strerror(failure));
}

/* ---- listening ---- */

static bool listen_once(struct run *r)
{
	struct norn_watch_message m;
	bool any = false;
	while (norn_watch_ring_get(r->ring, &r->tail, &m)) {
		any = true;
		if (m.magic == NORN_WATCH_MAGIC)
			norn_watch_report_message(&r->report, &m);
	}
	return any;
}

/* Until the program has ended. */
static int listen_to(struct run *r)
{
	int fd = (int)syscall(SYS_pidfd_open, r->pid, 0), status = 0, pause = 1;
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	while (fd >= 0 && poll(&ended, 1, pause) <= 0)
		pause = listen_once(r) ? 1 : pause < PAUSE_MS ? pause + 1 : PAUSE_MS;
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	listen_once(r);
	r->report.findings.stats.lost += atomic_load(&r->ring->lost);
	if (fd >= 0)
		close(fd);
	return status;
}

/* Says what the properties speak of that has no hooks. */
static void look_for_hooks(const struct norn_watch_plan *plan, struct norn_findings *f)
{
	struct norn_units units = {0};
	const struct norn_site_table *table;
	for (uint32_t m = 0; m < norn_program_modules(plan->program); m++)
		for (uint32_t i = 0; (table = norn_program_unit(plan->program, m, i)); i++)
			norn_units_add(&units, table);
	for (uint32_t i = 0; i < plan->props_count; i++) {
		struct norn_needs needs = {0};
		norn_needs_add(&needs, plan->props[i].file.spec);
		norn_units_say_missing(&units, &needs, plan->props[i].path, f);
		norn_units_say_loose(&units, &needs, plan->props[i].path, f);
		norn_needs_done(&needs);
	}
	norn_units_done(&units);
	norn_outputs_say(f, true);
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
	norn_say_status(program[0], result, true);
	r->report.findings.stats.seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
	if (!r->report.greeted)
		return norn_fail(
		        "%s was not watched: was it built by norn (`norn cc`, or CC=\"norn cc\" ./configure && make)?", program[0]);
	uint32_t others = atomic_load(&r->ring->unwatched);
	if (others)
		norn_findings_partial(&r->report.findings, NORN_REASON_PROCESS, others,
		        "judge them by norn run, which judges all processes", "%u process%s that the program began %s not watched",
		        others, others == 1 ? "" : "es", others == 1 ? "was" : "were");
	if (!r->report.over && atomic_load(&r->ring->execs))
		norn_findings_partial(&r->report.findings, NORN_REASON_PROCESS, 1,
		        "judge it by norn run, which judges all processes",
		        "%s became another program (exec), which is not watched", program[0]);
	else if (!r->report.over)
		norn_findings_partial(&r->report.findings, NORN_REASON_TRACE, 1, "",
		        "%s ended at once, so what is judged at the end of a run was not", program[0]);
	return norn_watch_report_end(&r->report, r->options->json);
}

int norn_watcher_run(const struct norn_watching_options *options, char *const *program)
{
	struct run r = {.options = options, .ring_file = -1};
	int status = norn_watch_plan_make(&r.plan, options, program[0]);
	if (status == NORN_EXIT_OK) {
		norn_watch_report_init(&r.report, &r.plan);
		look_for_hooks(&r.plan, &r.report.findings);
		status = run_program(&r, program);
		norn_watch_report_done(&r.report);
		if (r.ring)
			munmap(r.ring, sizeof *r.ring);
		if (r.ring_file >= 0)
			close(r.ring_file);
	}
	norn_watch_plan_done(&r.plan);
	return status;
}

int norn_watcher_plan(const struct norn_watching_options *options, const char *program, int fd)
{
	struct norn_watch_plan plan;
	struct norn_findings notes;
	int status = norn_watch_plan_make(&plan, options, program);
	size_t done = 0;
	norn_findings_init(&notes);
	if (status == NORN_EXIT_OK)
		look_for_hooks(&plan, &notes);
	norn_findings_done(&notes);
	while (status == NORN_EXIT_OK && done < plan.pack.length) {
		ssize_t n = write(fd, plan.pack.bytes + done, plan.pack.length - done);
		if (n < 0 && errno != EINTR)
			status = norn_fail("cannot write the plan: %s", strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	norn_watch_plan_done(&plan);
	return status;
}
