/* The process: fork, exec, and its end.
 *
 * The session's memory is shared, so a child must not log a single record into its parent's slot. Forking goes through handlers of
 * pthread_atfork that are registered before the program's: prepare handlers run last-registered first, the others in order. So the
 * thread stops being recorded after the program's own prepare handlers, and is recorded again, the child in a session of its own,
 * before the program's parent and child handlers. That holds for fork, daemon, forkpty, and every other caller of fork within libc.
 * Handlers of libraries that were initialised before libnorn run unrecorded.
 *
 * vfork is left alone: until the child is gone or has exec'd it runs on its parent's memory and thread while the parent's thread
 * stands still, and what it does is recorded as what it is, that thread's doing; but its end is not the process's, which a look at
 * the process id tells. posix_spawn, system and popen run only libc's code in such a child.
 *
 * clone makes any of these: without CLONE_VM a fork, with CLONE_VFORK a vfork, with CLONE_SETTLS a thread of its own. Without
 * them two threads have the same thread-local data: it cannot be told which of them meets a hook, so neither is recorded. */
#include "runtime/interpose/interpose.h"

#include <alloca.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/observe/observe.h"
#include "runtime/record/shadow.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"

static pid_t own_pid;
static __thread struct norn_slot *kept_self __attribute__((tls_model("initial-exec"))); /* norn_self during a fork */
static __thread sigset_t kept_mask __attribute__((tls_model("initial-exec"))); /* the thread's signal mask during a fork */

/* ---- fork ---- */

/* Signals are held off while the thread is not recorded: a handler that meets a hook would have it recorded as a new thread, in
 * the child even in its parent's session. */
static void before_fork(void)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &kept_mask);
	kept_self = norn_self;
	norn_self = NULL;
	norn_channel_call_outside();
}

static void after_fork_parent(void)
{
	norn_self = kept_self;
	kept_self = NULL;
	pthread_sigmask(SIG_SETMASK, &kept_mask, NULL);
}

static void after_fork_child(void)
{
	int error = errno;
	kept_self = NULL;
	own_pid = getpid();
	norn_signal_fork_child();
	norn_semaphore_fork_child();
	norn_session_fork_child();
	norn_thread_fork_child();
	pthread_sigmask(SIG_SETMASK, &kept_mask, NULL);
	errno = error;
}

/* Runs no handlers. */
NORN_EXPORT pid_t _Fork(void)
{
	if (!norn_session)
		return REAL(_Fork)();
	before_fork();
	pid_t child = REAL(_Fork)();
	int error = errno;
	if (child == 0)
		after_fork_child();
	else
		after_fork_parent();
	errno = error;
	return child;
}

/* A fork that bypasses libc runs no handlers either. */
static bool forks(long number, const long *a)
{
	const uint64_t *clone3 = (const uint64_t *)a[0]; /* begins with its flags */
	return number == SYS_fork || (number == SYS_clone && !(a[0] & CLONE_VM)) ||
	       (number == SYS_clone3 && clone3 && !(*clone3 & CLONE_VM));
}

struct beginning {
	int (*run)(void *);
	void *argument;
};

static int begin_child(void *beginning)
{
	struct beginning own = *(struct beginning *)beginning; /* in a copy of the parent's memory */
	after_fork_child();
	return own.run(own.argument);
}

NORN_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	va_list arguments;
	va_start(arguments, argument);
	pid_t *parent_tid = va_arg(arguments, pid_t *);
	void *tls = va_arg(arguments, void *);
	pid_t *child_tid = va_arg(arguments, pid_t *);
	va_end(arguments);
	if (norn_session && run && !(flags & CLONE_VM)) {
		struct beginning beginning = {run, argument};
		before_fork();
		pid_t child = REAL(clone)(begin_child, stack, flags, &beginning, parent_tid, tls, child_tid);
		int error = errno;
		after_fork_parent();
		errno = error;
		return child;
	}
	if (norn_session && !(flags & (CLONE_VFORK | CLONE_SETTLS)))
		norn_thread_give_up(norn_self ? norn_thread_pause() : NULL);
	return REAL(clone)(run, stack, flags, argument, parent_tid, tls, child_tid);
}

NORN_EXPORT int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...) __attribute__((alias("clone")));

NORN_EXPORT long syscall(long number, ...)
{
	uint32_t site = __norn_call_site;
	va_list arguments;
	long a[6];
	va_start(arguments, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	bool fork = norn_session && forks(number, a);
	if (fork)
		before_fork();
	if (number == SYS_futex)
		norn_futex_before(a[0], a[1], site);
	if (number == SYS_userfaultfd)
		norn_shadow_share_all();
	long result = number == SYS_prctl || number == SYS_seccomp ? norn_sandbox_call(number, a)
	                                                           : norn_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (fork && result == 0)
		after_fork_child();
	else if (fork)
		after_fork_parent();
	if (number == SYS_futex)
		norn_futex_after(a[0], a[1], site);
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* ---- the end ---- */

static void log_exit(int status, uint32_t site)
{
	if (getpid() != own_pid)
		return;
	norn_step_end(norn_step_begin(NORN_OPERATION_EXIT, site, NULL));
	if (norn_self)
		norn_log_thread(NORN_THREAD_EXIT, norn_thread_number(), (uint32_t)status, site);
	if (norn_observing)
		norn_observe_exit(status);
	if (norn_watching)
		norn_watch_exit(status);
}

/* Registered before the dynamic loader's own handler, so it runs last: the program's atexit handlers and destructors are
 * recorded. */
static void exiting(int status, void *unused)
{
	log_exit(status, __norn_call_site);
}

__attribute__((constructor(104))) static void watch_process(void)
{
	norn_session_attach();
	if (!norn_session)
		return;
	own_pid = getpid();
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
	on_exit(exiting, NULL);
}

NORN_EXPORT void _exit(int status)
{
	log_exit(status, __norn_call_site);
	REAL(_exit)(status);
	__builtin_unreachable();
}

NORN_EXPORT void _Exit(int status)
{
	log_exit(status, __norn_call_site);
	REAL(_exit)(status);
	__builtin_unreachable();
}

NORN_EXPORT void quick_exit(int status)
{
	log_exit(status, __norn_call_site);
	REAL(quick_exit)(status);
	__builtin_unreachable();
}

/* A handler of SIGABRT may jump out and go on; without one this is the end, and its status what a shell shows for it. */
static void log_abort(uint32_t site)
{
	struct sigaction action;
	if (sigaction(SIGABRT, NULL, &action) == 0 && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN))
		log_exit(128 + SIGABRT, site);
}

NORN_EXPORT void abort(void)
{
	log_abort(__norn_call_site);
	REAL(abort)();
	__builtin_unreachable();
}

static void copy_text(char *to, size_t room, const char *from)
{
	size_t i = 0;
	for (; from && from[i] && i + 1 < room; i++)
		to[i] = from[i];
	to[i] = 0;
}

/* glibc prints it, and then aborts from within. Declared by assert.h only where assertions are compiled in. */
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function);
NORN_EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
	uint32_t site = __norn_call_site, none = 0;
	struct norn_assertion *note = norn_session ? &norn_session->assertion : NULL;
	if (note && getpid() == own_pid && atomic_compare_exchange_strong(&note->claimed, &none, 1)) {
		copy_text(note->expression, sizeof note->expression, expression);
		copy_text(note->file, sizeof note->file, file);
		copy_text(note->function, sizeof note->function, function);
		note->thread = norn_thread_number();
		note->site = site;
		atomic_store(&note->line, line);
	}
	log_abort(site);
	REAL(__assert_fail)(expression, file, line, function);
	__builtin_unreachable();
}

/* ---- exec: the other threads and all memory end with it, so what this thread has logged is written out ---- */

static struct {
	_Atomic uint32_t *count; /* NULL: it does not count */
	pid_t pid; /* whose vfork children share this memory */
} child;

void norn_child_counts(_Atomic uint32_t *count)
{
	child.count = count;
	child.pid = norn_sys_pid();
	atomic_fetch_add(count, 1);
}

static void before_exec(void)
{
	if (child.count && child.pid == norn_sys_pid()) {
		atomic_fetch_sub(child.count, 1);
		child.count = NULL;
	}
	if (!norn_self || getpid() != own_pid)
		return;
	norn_flush();
	if (norn_observing)
		norn_observe_flush();
	if (norn_watching)
		norn_watch_exec();
}

NORN_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	before_exec();
	return REAL(execve)(path, argv, envp);
}

NORN_EXPORT int execv(const char *path, char *const argv[])
{
	before_exec();
	return REAL(execve)(path, argv, environ);
}

NORN_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	before_exec();
	return REAL(execvpe)(file, argv, envp);
}

NORN_EXPORT int execvp(const char *file, char *const argv[])
{
	before_exec();
	return REAL(execvpe)(file, argv, environ);
}

NORN_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	before_exec();
	return REAL(fexecve)(fd, argv, envp);
}

NORN_EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	before_exec();
	return REAL(execveat)(dir, path, argv, envp, flags);
}

/* Pointers that an array of execl's arguments needs, the closing NULL included. */
static size_t count_arguments(const char *first, va_list from)
{
	va_list arguments;
	va_copy(arguments, from);
	size_t count = 1;
	for (const char *a = first; a; a = va_arg(arguments, const char *))
		count++;
	va_end(arguments);
	return count;
}

static void take_arguments(char **argv, const char *first, va_list *from)
{
	for (const char *a = first; a; a = va_arg(*from, const char *))
		*argv++ = (char *)a;
	*argv = NULL;
}

NORN_EXPORT int execl(const char *path, const char *first, ...)
{
	before_exec();
	va_list arguments;
	va_start(arguments, first);
	char **argv = alloca(count_arguments(first, arguments) * sizeof *argv);
	take_arguments(argv, first, &arguments);
	va_end(arguments);
	return REAL(execve)(path, argv, environ);
}

NORN_EXPORT int execlp(const char *file, const char *first, ...)
{
	before_exec();
	va_list arguments;
	va_start(arguments, first);
	char **argv = alloca(count_arguments(first, arguments) * sizeof *argv);
	take_arguments(argv, first, &arguments);
	va_end(arguments);
	return REAL(execvpe)(file, argv, environ);
}

NORN_EXPORT int execle(const char *path, const char *first, ...)
{
	before_exec();
	va_list arguments;
	va_start(arguments, first);
	char **argv = alloca(count_arguments(first, arguments) * sizeof *argv);
	take_arguments(argv, first, &arguments);
	char *const *envp = va_arg(arguments, char *const *);
	va_end(arguments);
	return REAL(execve)(path, argv, envp);
}
