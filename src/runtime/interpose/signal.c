/* Signal handlers of the program.
 *
 * A hook must not be interrupted by code that may enter a hook: it may hold a word's shadow cell, and its record is half written.
 * So the kernel gets a handler of ours in place of the program's. If the thread is not inside a hook (slot.busy is 0) the program's
 * handler runs at once. If it is:
 *
 * - An asynchronous signal is queued to the thread again, as it came, and everything that may be deferred is blocked in the context
 *   that the kernel returns to, so that the hook goes on undisturbed. When it ends, norn_deliver restores the thread's mask and
 *   the kernel delivers the signal a second time. That way masks, alternate stacks, SA_NODEFER and other flags need no copy, and
 *   nothing has to be kept but one mask per thread.
 * - A synchronous one, the fault of an access that the hook does for the program, cannot wait. The hook's cell is unlocked and
 *   the thread taken out of the hook while the program's handler runs; a handler may jump out and never come back. If it returns to
 *   the faulting instruction, the hook gets its page, which others may have taken meanwhile, and its cell back.
 *
 * A signal that would end the process, where the program has no handler of its own (SIG_DFL): the kernel gets a handler that notes
 * in the session which thread it came to, and where, restores the default action and sends the signal to its thread again, as it
 * came. So the process ends by the same signal, at the same instruction. The program is told that it has SIG_DFL. Where there is no
 * room for a handler (a stack that has overflowed) the kernel ends the process as it would have done.
 *
 * Only SA_RESETHAND has to be done by hand, as the first of two deliveries would use it up.
 *
 * Asynchronous cancellation is a signal too, with a handler inside libc (its number is SIGCANCEL, 32). Before the first thread asks
 * for that type of cancellation, libc is made to install its handler, and ours is put in front of it. */
#include "runtime/interpose/interpose.h"

#include <errno.h>
#include <ucontext.h>

#include "runtime/observe/observe.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"

#define SIGNALS 64
#define SIGCANCEL 32
#define BIT(sig) (1ull << ((sig) - 1))
/* Faults, which the kernel raises at once or, if they are blocked, kills for; and libc's own. */
#define FAULTS (BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGSYS))
#define FATAL (FAULTS | BIT(SIGABRT)) /* signals that end a faulty program */
#define DEFERRABLE (~(FAULTS | BIT(SIGCANCEL) | BIT(SIGCANCEL + 1)))

/* The program's handlers: address and what the kernel is not told. Handler and flags in one word, as a signal may come at any
 * moment. An entry counts only while our handler is the one that the kernel has. Changed under the lock, but for SPENT. */
enum : uint64_t {
	ACTION_INFO = 1ull << 63, /* SA_SIGINFO */
	ACTION_RESET = 1ull << 62, /* SA_RESETHAND */
	ACTION_SPENT = 1ull << 61, /* and that has happened */
	ACTION_STACK = 1ull << 60, /* SA_ONSTACK */
	ACTION_FIRST = 1ull << 59, /* the default action that the program has had from the beginning */
	ACTION_HANDLER = ACTION_FIRST - 1
};
static _Atomic uint64_t actions[SIGNALS + 1];
static atomic_flag actions_lock = ATOMIC_FLAG_INIT;
static _Atomic uint64_t interrupting; /* signals that siginterrupt was called for */

atomic_bool norn_signal_handled;

static __thread uint64_t kept_mask __attribute__((tls_model("initial-exec"))); /* the thread's own, while signals pend */

static uint64_t change_mask(int how, uint64_t mask)
{
	uint64_t old = 0;
	norn_syscall(SYS_rt_sigprocmask, how, (long)&mask, (long)&old, sizeof mask, 0, 0);
	return old;
}

/* The kernel's part of a sigset_t, and the only part of uc_sigmask that exists. */
static uint64_t *bits_of(sigset_t *set)
{
	return (uint64_t *)set;
}

/* ---- delivery ---- */

/* To this thread, again. Blocked until the caller's context is left, lest it come back at once. If the queue is full, that
 * it came is more than nothing. */
static void requeue(int sig, const siginfo_t *info)
{
	change_mask(SIG_BLOCK, DEFERRABLE | BIT(sig));
	pid_t process = (pid_t)norn_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0),
	      thread = (pid_t)norn_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	if (norn_syscall(SYS_rt_tgsigqueueinfo, process, thread, sig, (long)info, 0, 0) == 0)
		return;
	siginfo_t bare = {.si_signo = sig, .si_code = SI_USER};
	norn_syscall(SYS_rt_tgsigqueueinfo, process, thread, sig, (long)&bare, 0, 0);
}

static void keep_back(struct norn_slot *self, int sig, const siginfo_t *info, ucontext_t *context)
{
	uint64_t *mask = bits_of(&context->uc_sigmask);
	if (!self->pending.signals)
		kept_mask = *mask;
	requeue(sig, info);
	*mask |= DEFERRABLE | BIT(sig);
	self->pending.signals = 1;
}

/* A hook has just ended. Also from a handler that came before the hook's thread got to it: it may not come back. */
static void deliver_observer(struct norn_slot *self)
{
	if (!self->pending.observer)
		return;
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	norn_observe_leave(self);
	__asm__ volatile("" ::: "memory");
	self->busy = 0;
}

void norn_deliver(void)
{
	struct norn_slot *self = norn_self;
	if (!self)
		return;
	deliver_observer(self);
	if (self->pending.signals) {
		self->pending.signals = 0;
		change_mask(SIG_SETMASK, kept_mask);
	}
	if (self->pending.watch)
		norn_watch_deliver(self);
}

/* SA_RESETHAND: the first delivery runs the handler, later ones find the default action. Returns whether to run it. */
static bool use_up(int sig, const siginfo_t *info, uint64_t action)
{
	if (action & ACTION_SPENT || !atomic_compare_exchange_strong(&actions[sig], &action, action | ACTION_SPENT)) {
		requeue(sig, info);
		return false;
	}
	struct sigaction now;
	if (REAL(sigaction)(sig, NULL, &now) == 0) {
		now.sa_handler = SIG_DFL;
		REAL(sigaction)(sig, &now, NULL);
	}
	return true;
}

static void run(int sig, siginfo_t *info, void *context)
{
	uint64_t action = atomic_load(&actions[sig]);
	if (action & ACTION_RESET && !use_up(sig, info, action))
		return;
	uint32_t site = __norn_call_site;
	void *handler = (void *)(action & ACTION_HANDLER);
	struct norn_slot *self = norn_self;
	struct norn_slot_wait wait = {0};
	if (self) { /* it waits again when the handler returns */
		wait = self->wait;
		norn_waited();
	}
	if (sig != SIGCANCEL)
		norn_log_thread(NORN_THREAD_SIGNAL, norn_thread_number(), sig, site);
	if (action & ACTION_INFO)
		((void (*)(int, siginfo_t *, void *))handler)(sig, info, context);
	else
		((void (*)(int))handler)(sig);
	if (sig != SIGCANCEL)
		norn_log_thread(NORN_THREAD_SIGNAL_END, norn_thread_number(), sig, site);
	__norn_call_site = site;
	if (wait.waiting)
		norn_waits(wait.waiting, (const void *)(uintptr_t)wait.object, wait.argument, wait.site);
}

/* The signals that were kept back need not wait for the hook either, once the thread is out of it. */
static void deliver_early(struct norn_slot *self, int sig, ucontext_t *context)
{
	struct sigaction now;
	uint64_t while_running = BIT(sig);
	if (REAL(sigaction)(sig, NULL, &now) == 0)
		while_running = *bits_of(&now.sa_mask) | (now.sa_flags & SA_NODEFER ? 0 : BIT(sig));
	self->pending.signals = 0;
	*bits_of(&context->uc_sigmask) = kept_mask;
	change_mask(SIG_SETMASK, kept_mask | while_running);
}

static void run_inside(struct norn_slot *self, int sig, siginfo_t *info, ucontext_t *context)
{
	uint64_t *cell = self->locked;
	uint32_t busy = self->busy, cells = norn_locked_cells;
	greg_t at = context->uc_mcontext.gregs[REG_RIP];
	const void *word = sig == SIGSEGV || sig == SIGBUS ? info->si_addr : NULL;
	bool alone = norn_page_alone(self, word);
	if (cell)
		norn_unlock_cell(self);
	norn_observe_leave(self);
	norn_watch_interrupted();
	self->busy = 0;
	if (self->pending.signals)
		deliver_early(self, sig, context);
	run(sig, info, context);
	self = norn_self; /* another one, if the handler forked and this is the child */
	if (!self || context->uc_mcontext.gregs[REG_RIP] != at)
		return;
	self->busy = busy;
	norn_watch_resumed();
	/* As much as the hook may have made sure of before: a copy's two records and external writes. */
	if (!norn_room(self, 3 * NORN_RECORD_UNITS_MAX))
		self->pos = self->base;
	if (word)
		norn_page_regain(self, word, alone);
	if (cell)
		norn_relock_cell(self, cell, cells);
}

static void caught(int sig, siginfo_t *info, void *context)
{
	struct norn_slot *self = norn_self;
	if (self && !self->busy)
		deliver_observer(self);
	if (!self || !self->busy)
		run(sig, info, context);
	else if (FAULTS & BIT(sig) && info->si_code > 0)
		run_inside(self, sig, info, context);
	else
		keep_back(self, sig, info, context);
}

/* ---- the end of the process ---- */

/* Words of the stack from the stack pointer up, as far as it goes. */
static uint32_t copy_stack(uint64_t from, uint64_t *to)
{
	uint32_t words = 0;
	uint64_t at = from & ~7ull, readable = 0;
	for (; words < NORN_CRASH_STACK; words++, at += 8) {
		if (at >= readable) {
			uint64_t page = (at | 4095) + 1;
			if (!norn_sys_readable((const void *)at, page - at))
				break;
			readable = page;
		}
		to[words] = *(const volatile uint64_t *)at;
	}
	return words;
}

static void note_crash(struct norn_crash *crash, int sig, const siginfo_t *info, const ucontext_t *context)
{
	uint32_t none = 0;
	if (!atomic_compare_exchange_strong(&crash->claimed, &none, 1))
		return;
	const greg_t *registers = context->uc_mcontext.gregs;
	bool memory = (sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0, known = memory && info->si_code != SI_KERNEL;
	uint64_t error = (uint64_t)registers[REG_ERR]; /* of a page fault: bit 1 a write, bit 4 the fetch of an instruction */
	crash->code = info->si_code;
	crash->thread = norn_thread_number();
	crash->address = known ? (uintptr_t)info->si_addr : 0;
	crash->access = !known            ? NORN_FAULT_NONE
	                : error & 1u << 4 ? NORN_FAULT_EXECUTE
	                : error & 1u << 1 ? NORN_FAULT_WRITE
	                                  : NORN_FAULT_READ;
	crash->pc = (uint64_t)registers[REG_RIP];
	crash->words = copy_stack((uint64_t)registers[REG_RSP], crash->stack);
	atomic_store(&crash->signal, (uint32_t)sig);
}

static bool in_own_process(void)
{
	return norn_session && norn_session->pid == (uint32_t)norn_sys_pid(); /* not in a child of vfork */
}

static void crashed(int sig, siginfo_t *info, void *context)
{
	struct sigaction default_action = {.sa_handler = SIG_DFL};
	if (in_own_process())
		note_crash(&norn_session->crash, sig, info, context);
	REAL(sigaction)(sig, &default_action, NULL);
	requeue(sig, info);
}

/* ---- installing handlers ---- */

/* Signals are blocked meanwhile, so that a handler that calls sigaction cannot wait for its own thread. */
static uint64_t lock_actions(void)
{
	uint64_t mask = change_mask(SIG_BLOCK, ~0ull);
	for (unsigned waits = 0; atomic_flag_test_and_set_explicit(&actions_lock, memory_order_acquire); waits++)
		norn_sys_yield(waits);
	return mask;
}

static void unlock_actions(uint64_t mask)
{
	atomic_flag_clear_explicit(&actions_lock, memory_order_release);
	change_mask(SIG_SETMASK, mask);
}

void norn_signal_fork_child(void)
{
	atomic_flag_clear(&actions_lock);
}

static bool is_function(const struct sigaction *action)
{
	return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN && action->sa_handler != SIG_ERR;
}

static uint64_t pack(const struct sigaction *action)
{
	return (uintptr_t)action->sa_handler | (action->sa_flags & SA_SIGINFO ? ACTION_INFO : 0) |
	       (action->sa_flags & SA_RESETHAND ? ACTION_RESET : 0) | (action->sa_flags & SA_ONSTACK ? ACTION_STACK : 0);
}

/* fatal: a default action that ends the process. An alternate stack, if there is one, is the only one left when a stack is full. */
static void wrap(struct sigaction *action, bool fatal)
{
	action->sa_sigaction = fatal ? crashed : caught;
	action->sa_flags = (action->sa_flags & ~SA_RESETHAND) | SA_SIGINFO | (fatal ? SA_ONSTACK : 0);
}

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif

/* The kernel's action as the program would see it without our handler. */
static void unwrap(struct sigaction *action, uint64_t packed)
{
	if (action->sa_sigaction != caught && action->sa_sigaction != crashed)
		return;
	action->sa_handler = (sighandler_t)(packed & ACTION_HANDLER);
	action->sa_flags &= ~(SA_SIGINFO | SA_ONSTACK);
	action->sa_flags |= (packed & ACTION_INFO ? SA_SIGINFO : 0) | (packed & ACTION_RESET ? (int)SA_RESETHAND : 0) |
	                    (packed & ACTION_STACK ? SA_ONSTACK : 0);
	if (packed & ACTION_FIRST)
		action->sa_flags &= ~SA_RESTORER; /* which libc adds to what it installs */
}

/* The end of a process that is not recorded is not logged, and a child of vfork must not touch its parent's table. */
static bool is_fatal(int sig, const struct sigaction *action)
{
	return action && action->sa_handler == SIG_DFL && FATAL & BIT(sig) && in_own_process() && norn_session->trace[0];
}

static int change_action(int sig, const struct sigaction *action, struct sigaction *old)
{
	if (!norn_session || sig < 1 || sig > SIGNALS)
		return REAL(sigaction)(sig, action, old);
	struct sigaction ours, was;
	bool function = action && is_function(action), fatal = is_fatal(sig, action);
	if (action)
		ours = *action;
	uint64_t mask = lock_actions();
	uint64_t before = atomic_load(&actions[sig]);
	if (function)
		atomic_store_explicit(&norn_signal_handled, true, memory_order_relaxed);
	if (function || fatal) {
		atomic_store(&actions[sig], pack(action));
		wrap(&ours, fatal);
	}
	int result = REAL(sigaction)(sig, action ? &ours : NULL, &was);
	if (result != 0)
		atomic_store(&actions[sig], before);
	unlock_actions(mask);
	if (result == 0 && old) {
		unwrap(&was, before);
		*old = was;
	}
	return result;
}

NORN_EXPORT int sigaction(int sig, const struct sigaction *action, struct sigaction *old)
{
	return change_action(sig, action, old);
}

static sighandler_t install(int sig, sighandler_t handler, int flags, bool masked)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
	if (handler == SIG_ERR || sig < 1 || sig > SIGNALS) {
		errno = EINVAL;
		return SIG_ERR;
	}
	if (masked)
		*bits_of(&action.sa_mask) = BIT(sig);
	return change_action(sig, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

NORN_EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	bool interrupts = sig >= 1 && sig <= SIGNALS && atomic_load(&interrupting) & BIT(sig);
	return install(sig, handler, interrupts ? 0 : SA_RESTART, true);
}

sighandler_t bsd_signal(int sig, sighandler_t handler);
NORN_EXPORT sighandler_t bsd_signal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

NORN_EXPORT sighandler_t ssignal(int sig, sighandler_t handler)
{
	return signal(sig, handler);
}

/* A number of its own, which glibc sets and no code reads. */
#ifndef SA_INTERRUPT
#define SA_INTERRUPT 0x20000000
#endif

NORN_EXPORT sighandler_t sysv_signal(int sig, sighandler_t handler)
{
	return install(sig, handler, (int)(SA_RESETHAND | SA_NODEFER | SA_INTERRUPT), false);
}

/* The name that signal has in programs compiled with -D_XOPEN_SOURCE or -ansi. */
NORN_EXPORT sighandler_t __sysv_signal(int sig, sighandler_t handler)
{
	return sysv_signal(sig, handler);
}

NORN_EXPORT int siginterrupt(int sig, int interrupt)
{
	if (sig >= 1 && sig <= SIGNALS) {
		if (interrupt)
			atomic_fetch_or(&interrupting, BIT(sig));
		else
			atomic_fetch_and(&interrupting, ~BIT(sig));
	}
	return REAL(siginterrupt)(sig, interrupt);
}

NORN_EXPORT sighandler_t sigset(int sig, sighandler_t handler)
{
	if (handler == SIG_ERR || sig < 1 || sig > SIGNALS) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigset_t set, old_set;
	sigemptyset(&set);
	sigaddset(&set, sig);
	if (handler == SIG_HOLD) {
		struct sigaction now;
		if (sigprocmask(SIG_BLOCK, &set, &old_set) != 0 || change_action(sig, NULL, &now) != 0)
			return SIG_ERR;
		return sigismember(&old_set, sig) ? SIG_HOLD : now.sa_handler;
	}
	sighandler_t old = install(sig, handler, 0, false);
	if (old == SIG_ERR || sigprocmask(SIG_UNBLOCK, &set, &old_set) != 0)
		return SIG_ERR;
	return sigismember(&old_set, sig) ? SIG_HOLD : old;
}

__attribute__((constructor(105))) static void watch_end(void)
{
	norn_session_attach();
	for (int sig = 1; norn_session && sig < SIGCANCEL; sig++) {
		struct sigaction now;
		if (FATAL & BIT(sig) && REAL(sigaction)(sig, NULL, &now) == 0 && is_fatal(sig, &now))
			change_action(sig, &now, NULL);
		if (FATAL & BIT(sig) && atomic_load(&actions[sig]) == 0)
			atomic_store(&actions[sig], ACTION_FIRST);
	}
}

/* ---- asynchronous cancellation ---- */

struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

/* libc installs its handler when someone is cancelled for the first time. A thread that will not have it is cancelled. */
static void *be_cancelled(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	return NULL;
}

static void wrap_cancellation(void)
{
	pthread_t thread;
	if (REAL(pthread_create)(&thread, NULL, be_cancelled, NULL) != 0)
		return;
	REAL(pthread_join)(thread, NULL);
	uint64_t mask = lock_actions();
	struct kernel_action action;
	if (norn_syscall(SYS_rt_sigaction, SIGCANCEL, 0, (long)&action, sizeof action.mask, 0, 0) == 0 &&
	        action.handler != (void *)SIG_DFL && action.handler != (void *)caught) {
		atomic_store(&actions[SIGCANCEL], (uintptr_t)action.handler | ACTION_INFO);
		action.handler = (void *)caught;
		norn_syscall(SYS_rt_sigaction, SIGCANCEL, (long)&action, 0, sizeof action.mask, 0, 0);
	}
	unlock_actions(mask);
}

NORN_EXPORT int pthread_setcanceltype(int type, int *old)
{
	static pthread_once_t wrapped = PTHREAD_ONCE_INIT;
	if (type == PTHREAD_CANCEL_ASYNCHRONOUS && norn_session)
		REAL(pthread_once)(&wrapped, wrap_cancellation);
	return REAL(pthread_setcanceltype)(type, old);
}
