/* The process's session: found at start through the environment, made anew for forked children and exec'd images. */
#include "runtime/self.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "runtime/replay/replay.h"
#include "runtime/interpose/known_calls.h"
#include "runtime/observe/observe.h"
#include "runtime/record/shadow.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"
#include "trace/format.h"
#include "trace/site.h"

struct norn_session *norn_session;

static char directory[NORN_PATH_BYTES]; /* of all sessions of this recording */
static char session_path[NORN_PATH_BYTES + 64]; /* this process's session file */
static uint64_t session_bytes;
static _Atomic uint32_t
        outdated; /* there is code of another version of norn cc: this process, and those that it forks, are not recorded */

/* The trace and the session file are held open at high numbers, since the program may lose the right to open them. It may also
 * close them or reuse their numbers: their identity is checked on each use. */
struct held_session {
	int fd;
	uint64_t device, inode;
};
static struct held_session trace = {.fd = -1}, memory = {.fd = -1};
static _Atomic uint32_t held_lock; /* held while one of them is opened anew */

static void append_number(char *text, unsigned long n)
{
	char digits[24], *p = digits + sizeof digits - 1;
	*p = 0;
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	strcat(text, ".");
	strcat(text, p);
}

static int hold(struct held_session *file, const char *path, int flags)
{
	int fd = norn_sys_high(norn_sys_open(path, flags | O_NOFOLLOW, 0600));
	if (fd < 0)
		return fd;
	int error = norn_sys_identity(fd, &file->device, &file->inode);
	file->fd = error ? -1 : fd;
	return error;
}

static bool still_held(const struct held_session *file)
{
	uint64_t device, inode;
	return file->fd >= 0 && !norn_sys_identity(file->fd, &device, &inode) && device == file->device && inode == file->inode;
}

static int hold_again(struct held_session *file, const char *path, int flags)
{
	for (unsigned waits = 0; atomic_exchange_explicit(&held_lock, 1, memory_order_acquire); waits++)
		norn_sys_yield(waits);
	int error = still_held(file) ? 0 : hold(file, path, flags);
	atomic_store_explicit(&held_lock, 0, memory_order_release);
	return error;
}

static void let_go(struct held_session *file)
{
	if (still_held(file))
		norn_sys_close(file->fd);
	file->fd = -1;
}

int norn_session_write(const void *from, size_t bytes, uint64_t offset)
{
	int error = hold_again(&trace, norn_session->trace, O_WRONLY);
	return error ? error : norn_sys_pwrite(trace.fd, from, bytes, offset);
}

int norn_session_reserve(uint32_t slot)
{
	if (!norn_session->trace[0])
		return 0; /* memory of our own */
	int error = hold_again(&memory, session_path, O_RDWR);
	if (error)
		return error;
	uint64_t offset = norn_session_buffer_offset(norn_session->slots, norn_session->slot_units, slot);
	return norn_sys_reserve(memory.fd, offset, norn_session_units(norn_session->slot_units, slot) * UINT64_C(8));
}

int norn_session_reserve_window(uint32_t place)
{
	int error = hold_again(&memory, session_path, O_RDWR);
	uint64_t offset = norn_session_window_offset(norn_session->slots, norn_session->slot_units, place);
	return error ? error : norn_sys_reserve(memory.fd, offset, NORN_WINDOW_BYTES);
}

static void say(const char *sentence)
{
	norn_syscall(SYS_write, STDERR_FILENO, (long)sentence, (long)strlen(sentence), 0, 0, 0);
}

/* A program that has got more rights since it got its environment, and did not get them by exec, must not be recorded for the user
 * who had fewer: only the user's own sessions are taken. */
static struct norn_session *map_file(const char *path, uint64_t *ret_bytes)
{
	int fd = norn_sys_open_own(path, O_RDWR);
	if (fd == -EPERM)
		say("norn: the session in " NORN_SESSION_ENV " is another user's: this program is not recorded\n");
	if (fd < 0)
		return NULL;
	uint64_t bytes = norn_session_file_bytes(NORN_SLOTS, NORN_SLOT_UNITS);
	struct norn_session *session =
	        norn_sys_size(fd) == bytes ? norn_sys_map(fd, bytes) : NULL; /* a shorter one would be SIGBUS */
	norn_sys_close(fd);
	if (session && (session->magic != NORN_SESSION_MAGIC || session->version != NORN_FILE_VERSION ||
	                       session->bytes != sizeof *session || session->slots != NORN_SLOTS ||
	                       session->slot_units != NORN_SLOT_UNITS)) {
		norn_sys_unmap(session, bytes);
		session = NULL;
	}
	*ret_bytes = bytes;
	return session;
}

static void describe(struct norn_session *session, uint32_t discard, uint32_t sites)
{
	session->version = NORN_FILE_VERSION;
	session->bytes = sizeof *session;
	session->slots = NORN_SLOTS;
	session->slot_units = NORN_SLOT_UNITS;
	session->discard = discard;
	atomic_store(&session->outdated, atomic_load(&outdated));
	atomic_store(&session->sites, sites);
	atomic_store(&session->names, 1);
	atomic_store(&session->file_end, NORN_HEADER_BYTES);
	session->tsc_start = __rdtsc();
	session->pid = (uint32_t)norn_sys_pid();
}

/* A session of our own beside the first one, for a forked child or another image. */
static struct norn_session *make_file(struct norn_session *first)
{
	unsigned pid = (unsigned)norn_sys_pid(), n = atomic_fetch_add(&first->exec_children, 1);
	strcpy(session_path, directory);
	strcat(session_path, "/session");
	append_number(session_path, pid);
	append_number(session_path, n);
	uint64_t bytes = norn_session_file_bytes(NORN_SLOTS, NORN_SLOT_UNITS);
	int fd = norn_sys_open(session_path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return NULL;
	struct norn_session *session = NULL;
	if (!norn_sys_reserve(fd, 0, norn_session_buffer_offset(NORN_SLOTS, NORN_SLOT_UNITS, 0)) && !norn_sys_set_size(fd, bytes))
		session = norn_sys_map(fd, bytes);
	norn_sys_close(fd);
	if (!session)
		return NULL;
	describe(session, first->discard, atomic_load(&first->sites));
	/* norn.trace.part becomes norn.trace.PID.N.part */
	memcpy(session->trace, first->trace, sizeof session->trace);
	char *end = strrchr(session->trace, '.');
	if (end && !strcmp(end, ".part") && strlen(session->trace) + 64 < sizeof session->trace) {
		*end = 0;
		append_number(session->trace, pid);
		if (n)
			append_number(session->trace, n);
		strcat(session->trace, ".part");
	}
	atomic_store(&session->attached, pid);
	session->magic = NORN_SESSION_MAGIC; /* last: the recorder looks at files that have it */
	session_bytes = bytes;
	return session;
}

/* witness: a session that is there, to count in if session is none. */
static void use(struct norn_session *session, struct norn_session *witness, int flags)
{
	norn_session = session;
	if (!session) {
		atomic_fetch_add(&witness->lost_processes, 1);
		return;
	}
	int error = hold(&trace, session->trace, O_WRONLY | flags);
	if (error)
		atomic_store(&session->failed, -error);
	norn_thread_attach(NORN_NO_THREAD, NORN_NO_THREAD);
}

/* No recorder, but monitors inside the program, or an observer: records live from one hook to its end, in private memory. That
 * comes first, as a program with a limit of its own may have no room for it: what is begun then could not be taken back. */
static void watch_alone(void)
{
	if (!secure_getenv("NORN_OPTIONS"))
		return;
	uint64_t bytes = norn_session_file_bytes(NORN_SLOTS, NORN_SLOT_UNITS);
	struct norn_session *session = norn_sys_memory(bytes);
	if (!session) {
		say("norn: there is not enough memory to record in: the program runs unwatched\n");
		return;
	}
	if (!norn_watch_start() && !norn_observe_start(false)) {
		norn_sys_unmap(session, bytes);
		return;
	}
	describe(session, 1, NORN_SITE_FIRST);
	session_bytes = bytes;
	norn_session = session;
	norn_thread_attach(NORN_NO_THREAD, NORN_NO_THREAD);
}

/* The kernel keeps a program's memory from its own user if the user may not read its file: its part of /proc is then root's. */
static bool is_closed(void)
{
	int fd = norn_sys_open("/proc/self/stat", O_RDONLY, 0);
	bool closed = fd >= 0 && !norn_sys_is_own(fd, false);
	if (fd >= 0)
		norn_sys_close(fd);
	return closed;
}

__attribute__((constructor(101))) void norn_session_attach(void)
{
	static bool done;
	if (done)
		return;
	done = true;
	int saved = errno;
	/* A program with raised privileges takes no orders from the environment of the user who started it: it is not recorded. */
	const char *path = secure_getenv(NORN_SESSION_ENV);
	if ((path || secure_getenv("NORN_OPTIONS")) && is_closed()) {
		say("norn: this program's file may not be read by its user: it is neither recorded nor watched\n");
		errno = saved;
		return;
	}
	if (!path || !*path || strlen(path) + 64 > sizeof directory) {
		watch_alone();
		errno = saved;
		return;
	}
	strcpy(directory, path);
	strcpy(session_path, path);
	strcat(session_path, "/first");
	struct norn_session *first = map_file(session_path, &session_bytes);
	uint32_t unattached = 0;
	if (!first)
		return;
	norn_observe_start(true);
	norn_known_calls_start(directory);
	if (atomic_compare_exchange_strong(&first->attached, &unattached, (uint32_t)norn_sys_pid())) {
		first->pid = (uint32_t)norn_sys_pid();
		norn_replay_start(directory);
		use(first, first, 0);
		if (norn_replaying)
			norn_replay_main();
	} else {
		uint64_t first_bytes = session_bytes;
		use(make_file(first), first, O_CREAT | O_EXCL);
		norn_sys_unmap(first, first_bytes);
	}
	errno = saved;
}

void norn_session_outdate(void)
{
	atomic_store(&outdated, 1);
	atomic_store(&norn_session->outdated, 1);
	norn_thread_detach();
}

void norn_session_fork_child(void)
{
	struct norn_session *parent = norn_session;
	if (!parent)
		return;
	if (norn_thread_is_sandboxed()) { /* no file of its own could be opened */
		atomic_fetch_add(&parent->lost_processes, 1);
		norn_session = NULL;
		norn_observing = norn_watching = false;
		return;
	}
	int saved = errno;
	uint64_t parent_bytes = session_bytes, first_bytes;
	norn_session = NULL;
	norn_thread_forget();
	norn_flush_reset();
	norn_shadow_reset();
	atomic_store(&held_lock, 0);
	if (norn_observing)
		norn_observe_fork_child();
	if (norn_watching)
		norn_watch_fork_child();
	norn_replay_fork_child();
	norn_known_calls_fork_child();
	if (!parent->trace[0]) { /* the child is not recorded */
		norn_sys_unmap(parent, parent_bytes);
		errno = saved;
		return;
	}
	let_go(&trace);
	let_go(&memory);
	static char first_path[sizeof directory + 16]; /* the child has one thread */
	strcpy(first_path, directory);
	strcat(first_path, "/first");
	struct norn_session *first = map_file(first_path, &first_bytes);
	struct norn_session *own = first ? make_file(first) : NULL;
	if (own)
		atomic_store(&own->sites, atomic_load(&parent->sites));
	if (first)
		norn_sys_unmap(first, first_bytes);
	use(own, parent, O_CREAT | O_EXCL);
	norn_sys_unmap(parent, parent_bytes);
	norn_modules_write();
	norn_names_write();
	errno = saved;
}
