#include "recorder/process_traces.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/must.h"
#include "trace/record.h"

static uint64_t tsc_hz(const struct recorder *r)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double ns = (double)(now.tv_sec - r->start.tv_sec) * 1e9 + (double)(now.tv_nsec - r->start.tv_nsec);
	return ns > 0 ? (uint64_t)((double)(__rdtsc() - r->start_tsc) * 1e9 / ns) : 1000000000;
}

static char *join_arguments(const char *before, char *const argv[], char between)
{
	size_t bytes = strlen(before) + 1;
	for (unsigned i = 0; argv[i]; i++)
		bytes += strlen(argv[i]) + 1;
	char *text = norn_must_calloc(1, bytes), *at = stpcpy(text, before);
	for (unsigned i = 0; argv[i]; i++) {
		if (i)
			*at++ = between;
		at = stpcpy(at, argv[i]);
	}
	return text;
}

/* The number of sessions that its process had made before this one: a process has several if it has exec'd. */
static unsigned long turn_of(const struct mapped *m)
{
	const char *dot = strrchr(m->name, '.');
	return dot ? 1 + strtoul(dot + 1, NULL, 10) : 0;
}

/* The status with which the process of a session ended, as waitpid gives it; -1 if its own parent was told instead, or if it went
 * on as another program. */
static int status_of(const struct recorder *r, const struct mapped *m, const struct norn_recording *recording)
{
	for (const struct mapped *other = r->sessions; other; other = other->next)
		if (other->session->pid == m->session->pid && turn_of(other) > turn_of(m))
			return -1;
	if ((pid_t)m->session->pid == r->main)
		return recording->status;
	for (uint32_t i = r->reaped.count; i-- > 0;)
		if (r->reaped.items[i].pid == (pid_t)m->session->pid)
			return r->reaped.items[i].status;
	return -1;
}

/* Names of the traces of all other processes that were completed; NULL: there are none. */
static char *others_text(const struct recorder *r)
{
	char *text = NULL;
	for (const struct mapped *m = r->sessions; m; m = m->next)
		if (m->trace && m->next) {
			char *more = norn_must_format("%s%s%s", text ? text : "processes=", text ? "/" : "", basename(m->trace));
			free(text);
			text = more;
		}
	return text;
}

static uint32_t count_unrecorded(const struct recorder *r)
{
	uint32_t count = 0;
	for (const struct mapped *m = r->sessions; m; m = m->next)
		count += atomic_load(&m->session->lost_processes);
	return count;
}

#define INFO_TEXTS 16u

/* Facts about the run that are stored beside its command. */
struct info {
	char *own[INFO_TEXTS]; /* to be freed */
	const char *texts[INFO_TEXTS + 1];
	unsigned owned, count;
};

static void add_own(struct info *info, char *text)
{
	if (!text)
		return;
	info->own[info->owned++] = text;
	info->texts[info->count++] = text;
}

static void make_info(const struct recorder *r, const struct mapped *m, const struct norn_recording *recording,
        const char *arguments, struct info *info)
{
	char where[PATH_MAX];
	add_own(info, norn_must_format("resolution=%llu", (unsigned long long)r->longest));
	add_own(info, norn_must_format("spent=%llu %llu", (unsigned long long)r->clock, (unsigned long long)r->processor));
	/* Names of modules may be relative to where the program was started. */
	const char *begun = recording->directory && *recording->directory ? recording->directory : getcwd(where, sizeof where);
	if (begun)
		add_own(info, norn_must_format("directory=%s", begun));
	if (arguments)
		info->texts[info->count++] = arguments;
	if (!m->next)
		add_own(info, others_text(r));
	if (m->strangers)
		add_own(info, norn_must_text("strangers=1"));
	if (recording->model)
		add_own(info, norn_must_format("model=%s", recording->model));
	if (!m->next && recording->unrecorded)
		add_own(info, norn_must_format("unrecorded=%u", recording->unrecorded));
	uint32_t number = recording->ended_by == NORN_ENDED_BY_TIMEOUT ? recording->timeout
	                  : recording->ended_by == NORN_ENDED_BY_HANG  ? recording->hang_after
	                  : recording->told                            ? (uint32_t)recording->told
	                                                               : (uint32_t)WTERMSIG(recording->status);
	char **end = norn_run_end_info(m->session, recording->ended_by, number);
	for (unsigned i = 0; end[i]; i++)
		add_own(info, end[i]);
	free(end);
}

/* Nothing of it is to be kept. */
static bool is_unwanted(const struct mapped *m, const struct norn_recording *recording)
{
	return !atomic_load(&m->session->attached) || atomic_load(&m->session->outdated) || recording->discard;
}

/* Makes the file of its trace whole; name: its name then, NULL: it keeps the one it has. */
static int complete(struct recorder *r, struct mapped *m, struct norn_recording *recording, char *const argv[], const char *name,
        struct norn_error *err)
{
	struct timespec now;
	char *command = join_arguments("", argv, ' '), *arguments = join_arguments("arguments=", argv, NORN_ARGUMENT_END);
	clock_gettime(CLOCK_REALTIME, &now);
	m->session->tsc_hz = tsc_hz(r);
	struct info info = {0};
	make_info(r, m, recording, arguments, &info);
	struct norn_completion_info about = {.more = info.texts,
	        .exit_status = status_of(r, m, recording),
	        .start_seconds = (uint64_t)now.tv_sec,
	        .command = command};
	m->done = (struct norn_completion){0};
	int result = norn_complete(m->session, r->bytes, &about, name, &m->done, err);
	for (unsigned i = 0; i < info.owned; i++)
		free(info.own[i]);
	free(command);
	free(arguments);
	return result;
}

static void count_in(const struct mapped *m, int result, struct norn_recording *recording)
{
	recording->traces++;
	recording->total.events += m->done.events;
	recording->total.lost_events += m->done.lost_events;
	recording->total.bytes += m->done.bytes;
	recording->total.threads += m->done.threads;
	recording->total.lost_threads += m->done.lost_threads;
	if (result || m->done.state != NORN_STATE_COMPLETE)
		recording->total.state = NORN_STATE_CUT;
}

static int complete_one(
        struct recorder *r, struct mapped *m, struct norn_recording *recording, char *const argv[], struct norn_error *err)
{
	recording->outdated |= atomic_load(&m->session->outdated) != 0;
	recording->instrumented |= atomic_load(&m->session->attached) != 0;
	if (is_unwanted(m, recording)) {
		unlink(m->session->trace);
		return 0;
	}
	if (!r->file.final)
		norn_trace_file_choose(&r->file);
	char *name = norn_trace_file_name(&r->file, m->session->trace);
	int result = 0;
	if (!m->whole)
		result = complete(r, m, recording, argv, name, err);
	else if (rename(m->session->trace, name) < 0)
		result = norn_error_set(err, -errno, "cannot rename %s to %s: %s", m->session->trace, name, strerror(errno));
	count_in(m, result, recording);
	if (result == 0) {
		m->trace = name;
		return 0;
	}
	free(name);
	if (!m->next)
		recording->cut = true;
	else
		recording->unrecorded++;
	return result;
}

int norn_process_traces_complete(struct recorder *r, struct norn_recording *recording, char *const argv[], struct norn_error *err)
{
	int result = 0;
	recording->total.state = NORN_STATE_COMPLETE;
	recording->unrecorded = count_unrecorded(r);
	for (struct mapped *m = r->sessions; m; m = m->next) {
		struct norn_error one = {0};
		int error = complete_one(r, m, recording, argv, &one);
		if (error && !result) {
			result = error;
			*err = one;
		}
	}
	return result;
}

/* ---- while others go on ---- */

/* True if no process has the session mapped, or open, any more: then none can write to its trace. A process's number alone does not
 * tell: it may be that of another namespace, and a child that was just forked still has its parent's session. What tells is a write
 * lease, which is given only for a file that nobody else has open. */
static bool is_left(const struct recorder *r, struct mapped *m)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", r->directory.path, m->name);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct norn_session *again =
	        fd < 0 ? MAP_FAILED : mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	bool left = false;
	if (again != MAP_FAILED) { /* the mapping so far is by a descriptor of its own */
		munmap(m->session, r->bytes);
		m->session = again;
		left = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	}
	if (fd >= 0)
		close(fd);
	return left;
}

static bool has_process(const struct mapped *m)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%u", m->session->pid);
	return access(path, F_OK) == 0;
}

static void complete_ended(struct recorder *r, struct mapped *m, struct norn_recording *recording, char *const argv[])
{
	struct norn_error err = {0};
	m->tried = true;
	r->clock = norn_recorder_milliseconds(r);
	r->processor = r->clock * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN); /* more than it can have used */
	if (complete(r, m, recording, argv, NULL, &err) == 0) {
		m->whole = true;
		recording->whole(recording->whole_context, m->session->trace);
	}
}

void norn_process_traces_ended(struct recorder *r, struct norn_recording *recording, char *const argv[])
{
	for (struct mapped *m = r->sessions; m; m = m->next)
		if (m->next && !m->tried && m->session->magic == NORN_SESSION_MAGIC && (pid_t)m->session->pid != r->main &&
		        !is_unwanted(m, recording) && !has_process(m) && is_left(r, m) && !norn_recorder_told())
			complete_ended(r, m, recording, argv);
}
