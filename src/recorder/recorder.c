#include "recorder/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/files.h"
#include "base/must.h"
#include "recorder/process_traces.h"
#include "recorder/recorder_state.h"
#include "trace/record.h"
#include "trace/site.h"

#define TICK_NS 1000000 /* how far apart time stamps are at most */
#define SCAN_TICKS 64 /* how often to look for sessions of new processes */

static struct norn_session *map_session(struct recorder *r, const char *name, int flags)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", r->directory.path, name);
	int fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
	if (fd < 0)
		return NULL;
	struct norn_session *session = MAP_FAILED;
	if (!(flags & O_CREAT) ||
	        (!(errno = posix_fallocate(fd, 0, (off_t)norn_session_buffer_offset(NORN_SLOTS, NORN_SLOT_UNITS, 0))) &&
	                !ftruncate(fd, (off_t)r->bytes)))
		session = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	int saved = errno;
	close(fd);
	errno = saved;
	return session == MAP_FAILED ? NULL : session;
}

static struct mapped *add_session(struct recorder *r, const char *name, int flags)
{
	struct mapped *m = norn_must_calloc(1, sizeof *m);
	snprintf(m->name, sizeof m->name, "%s", name);
	m->session = map_session(r, name, flags);
	if (!m->session) {
		int saved = errno;
		free(m);
		errno = saved;
		return NULL;
	}
	m->next = r->sessions;
	r->sessions = m;
	return m;
}

static bool known(const struct recorder *r, const char *name)
{
	for (const struct mapped *m = r->sessions; m; m = m->next)
		if (!strcmp(m->name, name))
			return true;
	return false;
}

/* Maps the sessions that forked children and exec'd images have made since. */
static void scan_sessions(struct recorder *r)
{
	DIR *dir = opendir(r->directory.path);
	struct dirent *entry;
	struct stat st;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || known(r, entry->d_name) || fstatat(dirfd(dir), entry->d_name, &st, 0))
			continue;
		if ((uint64_t)st.st_size == r->bytes) /* else still being made */
			add_session(r, entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

static uint64_t monotonic(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t norn_recorder_milliseconds(const struct recorder *r)
{
	return (monotonic() - (uint64_t)r->start.tv_sec * 1000000000u - (uint64_t)r->start.tv_nsec) / 1000000;
}

static void note_tick(struct recorder *r, uint64_t began)
{
	uint64_t since = monotonic() - r->ticked;
	r->longest = since > r->longest ? since : r->longest;
	r->ticked = began;
}

static void tick(struct recorder *r)
{
	uint64_t began = monotonic();
	for (struct mapped *m = r->sessions; m; m = m->next) {
		uint32_t used = atomic_load_explicit(&m->session->used_slots, memory_order_relaxed);
		for (uint32_t i = 0; i < used && i < NORN_SLOTS; i++) {
			struct norn_slot *slot = &m->session->slot[i];
			if (atomic_load_explicit(&slot->limit, memory_order_relaxed)) /* else it has not run since */
				atomic_store_explicit(&slot->limit, NULL, memory_order_relaxed);
		}
	}
	note_tick(r, began);
}

/* The first session, in the first place that has room for it. */
static int make_memory(struct recorder *r, struct mapped **ret_first, struct norn_error *err)
{
	struct mapped *first = NULL;
	int error = 0;
	for (unsigned i = 0; !first && norn_session_place(i); i++) {
		error = norn_session_directory_make_at(&r->directory, i, "norn");
		if (error)
			continue;
		first = add_session(r, "first", O_CREAT | O_EXCL);
		error = first ? 0 : -errno;
		if (!first)
			norn_session_directory_remove(&r->directory);
	}
	*ret_first = first;
	return first ? 0 : norn_error_set(err, error, "cannot make a session in /dev/shm, $TMPDIR or /tmp: %s", strerror(-error));
}

static int make_first(struct recorder *r, struct norn_recording *recording, struct norn_error *err)
{
	struct mapped *first;
	int result = make_memory(r, &first, err);
	if (result)
		return result;
	struct norn_session *session = first->session;
	session->version = NORN_FILE_VERSION;
	session->bytes = sizeof *session;
	session->slots = NORN_SLOTS;
	session->slot_units = NORN_SLOT_UNITS;
	session->discard = recording->discard;
	atomic_store(&session->sites, NORN_SITE_FIRST);
	atomic_store(&session->names, 1);
	atomic_store(&session->file_end, NORN_HEADER_BYTES);
	session->tsc_start = r->start_tsc;
	session->magic = NORN_SESSION_MAGIC;
	result = norn_trace_file_make(&r->file, recording->trace, err);
	if (result)
		return result;
	snprintf(recording->part, sizeof recording->part, "%s", r->file.part);
	if (strlen(r->file.absolute) < sizeof session->trace) {
		strcpy(session->trace, r->file.absolute);
		return 0;
	}
	unlink(r->file.part);
	return norn_error_set(err, -ENAMETOOLONG, "cannot write the trace %s: the name is too long", r->file.part);
}

/* The program finds it in the session's directory. */
static int make_model(const struct recorder *r, const char *text, struct norn_error *err)
{
	char path[256];
	snprintf(path, sizeof path, "%s" NORN_SESSION_MODEL, r->directory.path);
	FILE *file = fopen(path, "wxe");
	unsigned byte;
	for (; file && sscanf(text, "%2x", &byte) == 1 && text[1]; text += 2)
		fputc((int)byte, file);
	bool bad = !file || ferror(file);
	int error = errno;
	if (file && fclose(file) != 0)
		bad = true;
	return bad ? norn_error_set(err, -error, "cannot write %s: %s", path, strerror(error)) : 0;
}

/* ---- the area ---- */

static int make_replay_area(struct recorder *r, struct norn_error *err)
{
	char path[256];
	uint64_t bytes = r->replay_setup->area->head->bytes;
	snprintf(path, sizeof path, "%s/" NORN_REPLAY_AREA_FILE, r->directory.path);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = fd < 0 ? errno : 0;
	if (!error)
		error = posix_fallocate(fd, 0, (off_t)bytes);
	struct norn_replay_area *area = MAP_FAILED;
	if (!error && (area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (error)
		return norn_error_set(err, -error, "cannot make shared memory in %s: %s", r->directory.path, strerror(error));
	memcpy(area, r->replay_setup->area->head, bytes);
	norn_replay_area_lay_out(area, &r->live);
	return 0;
}

/* The program, and what it has started and left to us: descendants whose parents are gone come to be our children, too. */
static void end_all(pid_t pid, pid_t helper)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (pid > 0)
		kill(pid, SIGKILL);
	text[n > 0 ? n : 0] = 0;
	char *at = text, *end;
	for (long child; n > 0 && (child = strtol(at, &end, 10)) > 0 && end != at; at = end)
		if (child != helper)
			kill((pid_t)child, SIGKILL);
}

/* In the child. */
static bool redirect(const struct norn_recording *recording)
{
	const struct norn_replay_setup *replay_setup = recording->replay_setup;
	if (recording->output_to_stderr && dup2(2, 1) < 0)
		return false;
	if (!replay_setup || !replay_setup->output)
		return true;
	int in = open("/dev/null", O_RDONLY), out = norn_append_output(replay_setup->output);
	return in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0;
}

static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static volatile sig_atomic_t program; /* pid to pass signals on to */
static volatile sig_atomic_t told; /* the signal that was to end us */

static void pass_on(int signal)
{
	if (program > 0)
		kill((pid_t)program, signal);
	if (signal == SIGTERM || signal == SIGHUP)
		told = signal;
}

bool norn_recorder_told(void)
{
	return told != 0;
}

static void take_note(int signal)
{
	told = signal;
}

/* The terminal sends SIGINT and SIGQUIT to the program as well: the recorder only waits for what it does with them. */
static void set_signals(struct sigaction saved[64])
{
	struct sigaction note = {.sa_handler = take_note, .sa_flags = SA_RESTART},
	                 pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
	told = 0;
	sigaction(SIGINT, &note, &saved[SIGINT]);
	sigaction(SIGQUIT, &note, &saved[SIGQUIT]);
	for (unsigned i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaction(passed_on[i], &pass, &saved[passed_on[i]]);
}

static void reset_signals(const struct sigaction saved[64])
{
	sigaction(SIGINT, &saved[SIGINT], NULL);
	sigaction(SIGQUIT, &saved[SIGQUIT], NULL);
	sigaction(SIGXFSZ, &saved[SIGXFSZ], NULL);
	for (unsigned i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
		sigaction(passed_on[i], &saved[passed_on[i]], NULL);
}

static int start(const struct recorder *r, const struct norn_recording *recording, char *const argv[],
        const struct sigaction saved[64], pid_t *ret_pid, struct norn_error *err)
{
	int report[2], failure = 0;
	if (pipe2(report, O_CLOEXEC))
		return norn_error_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (pid < 0)
		return norn_error_set(err, -errno, "cannot start a process: %s", strerror(errno));
	if (!pid) {
		reset_signals(saved);
		setenv(NORN_SESSION_ENV, r->directory.path, 1);
		if (recording->replay_setup) /* nothing but the recorder can end a program whose threads are held */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (redirect(recording) && (!recording->directory || !*recording->directory || chdir(recording->directory) == 0))
			execvp(argv[0], argv);
		failure = errno;
		_exit(write(report[1], &failure, sizeof failure) == sizeof failure ? 127 : 126);
	}
	close(report[1]);
	ssize_t n;
	while ((n = read(report[0], &failure, sizeof failure)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (n <= 0) {
		*ret_pid = pid;
		return 0;
	}
	waitpid(pid, NULL, 0);
	if (failure == ENOENT)
		return strchr(argv[0], '/')
		               ? norn_error_set(err, -failure, "there is no program %s", argv[0])
		               : norn_error_set(err, -failure,
		                         "there is no program %s in $PATH: for one in this directory write ./%s", argv[0], argv[0]);
	if (failure == ENOEXEC)
		return norn_error_set(err, -failure, "%s is not a program that this machine can run", argv[0]);
	return norn_error_set(err, -failure, "cannot run %s: %s", argv[0], strerror(failure));
}

static const struct norn_session *first_session(const struct recorder *r)
{
	const struct mapped *m = r->sessions;
	while (m->next)
		m = m->next;
	return m->session;
}

/* ---- what is wrong while it runs ---- */

static void say_failure(struct recorder *r, const struct norn_recording *recording)
{
	for (const struct mapped *m = r->sessions; m && !r->said; m = m->next) {
		int error = atomic_load_explicit(&m->session->failed, memory_order_relaxed);
		r->said = error != 0;
		if (error && recording->failed)
			recording->failed(recording, error);
	}
}

/* Threads that the kernel knows of a process; 0: it has ended. */
static uint32_t count_threads(uint32_t pid)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%u/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strrchr(text, ')'); /* the name may have any characters */
	if (!at || at[1] != ' ' || !at[2] || strchr("ZX", at[2]))
		return 0;
	for (unsigned field = 2; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	return at ? (uint32_t)strtoul(at + 1, NULL, 10) : 0;
}

/* The number of recorded threads of a process if all of them wait for other threads, else 0; and how much they have done. */
static uint32_t count_waiting(const struct norn_session *session, uint64_t *ret_progress)
{
	uint32_t used = atomic_load(&session->used_slots), threads = 0, waiting = 0;
	*ret_progress = atomic_load(&session->threads);
	for (uint32_t i = 0; i < used && i < NORN_SLOTS; i++) {
		const volatile struct norn_slot *slot = &session->slot[i];
		if (slot->thread == NORN_NO_THREAD)
			continue;
		threads++;
		waiting += slot->wait.waiting != NORN_WAITING_NOT;
		*ret_progress = (*ret_progress + (uint64_t)(uintptr_t)slot->pos + (slot->sequence << 40)) * 0x9e3779b97f4a7c15u;
	}
	return threads == waiting ? threads : 0;
}

/* True if all threads of a process have waited for so long. Also notes whether it has threads that nothing is known of. */
static bool has_waited(struct mapped *m, uint64_t seconds, uint64_t now)
{
	uint64_t progress = 0;
	uint32_t waiting = m->session->magic == NORN_SESSION_MAGIC ? count_waiting(m->session, &progress) : 0;
	if (!waiting || progress != m->progress || !m->since) {
		m->progress = progress;
		m->since = now;
		return false;
	}
	uint32_t there = count_threads(m->session->pid);
	if (there)
		m->strangers = there > waiting;
	return there == waiting && now - m->since >= seconds * 1000000000;
}

static bool is_hung(struct recorder *r, uint32_t seconds)
{
	uint64_t now = monotonic();
	bool hung = false;
	for (struct mapped *m = r->sessions; m; m = m->next)
		hung |= has_waited(m, seconds, now);
	return hung && seconds;
}

/* True if the program is to be ended now. */
static bool is_over(struct recorder *r, const struct norn_recording *recording)
{
	uint64_t start = (uint64_t)r->start.tv_sec * 1000000000u + (uint64_t)r->start.tv_nsec;
	if (recording->timeout && monotonic() - start >= recording->timeout * UINT64_C(1000000000))
		r->ended_by = NORN_ENDED_BY_TIMEOUT;
	else if (is_hung(r, recording->hang_after))
		r->ended_by = NORN_ENDED_BY_HANG;
	return r->ended_by != NORN_ENDED_BY_ITSELF;
}

/* Ticks until the program and all that it started have ended. */
static int watch(struct recorder *r, struct norn_recording *recording, pid_t pid, char *const argv[])
{
	int status = -1;
	bool ending = false;
	r->ticked = monotonic();
	for (unsigned n = 1;; n++) {
		int s;
		pid_t ended;
		while ((ended = waitpid(-1, &s, WNOHANG)) > 0)
			if (ended == pid) {
				status = s;
				pid = -1;
			} else {
				norn_must_push(&r->reaped, (struct reaped){ended, s});
			}
		say_failure(r, recording);
		if (ended < 0 && errno == ECHILD) {
			note_tick(r, r->ticked);
			if (r->replay_setup)
				r->replay_setup->watch(r->replay_setup->context, -1, &r->live, first_session(r));
			return status;
		}
		if (r->replay_setup)
			ending |= r->replay_setup->watch(
			        r->replay_setup->context, (pid_t)atomic_load(&r->live.head->pid), &r->live, first_session(r));
		if (ending)
			end_all(pid, recording->helper);
		struct timespec pause = {0, TICK_NS};
		nanosleep(&pause, NULL);
		tick(r);
		if (n % SCAN_TICKS == 0) {
			scan_sessions(r);
			ending = ending || is_over(r, recording);
			if (recording->whole && !ending)
				norn_process_traces_ended(r, recording, argv);
		}
	}
}

static void clean_up(struct recorder *r)
{
	for (struct mapped *m = r->sessions, *next; m; m = next) {
		next = m->next;
		munmap(m->session, r->bytes);
		free(m->trace);
		free(m);
	}
	norn_vector_done(&r->reaped);
	norn_trace_file_done(&r->file);
	if (r->live.head)
		munmap(r->live.head, r->live.head->bytes);
	norn_session_directory_remove(&r->directory); /* also the files of sessions that could not be mapped */
}

/* Signals by which people and their tools end programs that run too long, from any sender. */
static bool is_request(int signal)
{
	return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

static enum norn_ended_by ended_by(const struct recorder *r, const struct norn_recording *recording)
{
	if (r->ended_by != NORN_ENDED_BY_ITSELF)
		return r->ended_by;
	bool asked = WIFSIGNALED(recording->status) && is_request(WTERMSIG(recording->status));
	return recording->told || asked ? NORN_ENDED_BY_USER : NORN_ENDED_BY_ITSELF;
}

static uint64_t milliseconds_of(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
}

/* before: what all children had used when the program was started. */
static void measure(struct recorder *r, const struct rusage *before)
{
	struct rusage after;
	getrusage(RUSAGE_CHILDREN, &after);
	r->processor = milliseconds_of(&after) - milliseconds_of(before);
	r->clock = norn_recorder_milliseconds(r);
}

int norn_recorder_run(struct norn_recording *recording, char *const argv[], struct norn_error *err)
{
	struct recorder r = {.bytes = norn_session_file_bytes(NORN_SLOTS, NORN_SLOT_UNITS),
	        .replay_setup = recording->replay_setup,
	        .directory = {.lock = -1},
	        .file = {.lock = -1}};
	struct sigaction saved[64] = {0};
	struct rusage before;
	pid_t pid;
	clock_gettime(CLOCK_MONOTONIC, &r.start);
	r.start_tsc = __rdtsc();
	/* A limit on the size of files is an error of a call, not the end of the recorder. */
	sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, &saved[SIGXFSZ]);
	norn_session_directories_clean();
	int result = make_first(&r, recording, err);
	if (!result && recording->model)
		result = make_model(&r, recording->model, err);
	if (!result && r.replay_setup)
		result = make_replay_area(&r, err);
	if (!result) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		set_signals(saved);
		getrusage(RUSAGE_CHILDREN, &before);
		result = start(&r, recording, argv, saved, &pid, err);
		if (!result) {
			program = pid;
			r.main = pid;
			recording->status = watch(&r, recording, pid, argv);
			program = 0;
			recording->told = told;
			recording->ended_by = ended_by(&r, recording);
			measure(&r, &before);
			scan_sessions(&r);
			result = norn_process_traces_complete(&r, recording, argv, err);
			snprintf(recording->name, sizeof recording->name, "%s", r.file.final ? r.file.final : recording->trace);
		} else {
			unlink(r.sessions->session->trace);
		}
		reset_signals(saved);
	}
	clean_up(&r);
	return result;
}
