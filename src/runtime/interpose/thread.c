/* Threads: create, join, detach, and the end of a thread however it comes.
 *
 * A thread's number is kept in its own static TLS. On x86-64 a pthread_t is the address of the thread control block, and every
 * thread's static TLS lies at the same offset below it, so the number of any thread that has not been joined or freed can be read
 * through its handle: there is no table, nothing to lock, and a handle that is used again cannot be mistaken for the old one.
 *
 * The end is noticed by the destructor of a key: it runs for threads that return, call pthread_exit, or are cancelled, the main
 * thread included, after C++'s thread_local objects are gone. It re-arms itself so as to run in the last round, after the
 * program's own destructors (but for those of the program's that re-arm themselves into the last round, too). */
#include "runtime/interpose/interpose.h"

#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/replay/replay.h"
#include "runtime/observe/observe.h"
#include "runtime/sys.h"
#include "runtime/watch/watch.h"

static __thread uint32_t own_number __attribute__((tls_model("initial-exec"))); /* 1 + number; 0: not recorded */
static __thread pid_t own_tid __attribute__((tls_model("initial-exec")));
static pthread_key_t end_key;
static bool have_end_key;

pid_t norn_thread_tid(void)
{
	if (!own_tid)
		own_tid = gettid();
	return own_tid;
}

static uint32_t *number_of(pthread_t handle)
{
	return (uint32_t *)((char *)handle + ((char *)&own_number - (char *)pthread_self()));
}

uint32_t norn_thread_of(pthread_t handle)
{
	uint32_t number = __atomic_load_n(number_of(handle), __ATOMIC_RELAXED);
	return number ? number - 1 : NORN_NO_THREAD;
}

/* ---- the end ---- */

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/* No handler may run, and log, between END and the moment the thread is no longer recorded, nor in the rest of it, where its events
 * would be lost: other threads take signals from here on, as they do in a moment anyway, when libc blocks them all. */
static void end_thread(void)
{
	int error = errno;
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	norn_replay_end();
	norn_thread_detach();
	sigset_t faults;
	sigemptyset(&faults);
	for (size_t i = 0; i < sizeof fault_signals / sizeof *fault_signals; i++)
		sigaddset(&faults, fault_signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
	errno = error;
}

static __thread bool sends_at_end __attribute__((tls_model("initial-exec")));

void norn_thread_sends_at_end(void)
{
	sends_at_end = true;
}

static void round_over(void *round)
{
	static uint64_t end; /* only its address is used */
	uintptr_t n = (uintptr_t)round;
	if (n == 1)
		norn_self_leave();
	/* Our key is older than the library's, whose destructor comes after this. */
	if (n == 1 && sends_at_end && norn_self)
		norn_log_sync(NORN_SYNC_SEND, &end, NORN_SEND_KNOWN, 0);
	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_key, (void *)(n + 1)) == 0)
		return;
	end_thread();
}

void norn_thread_attached(void)
{
	own_number = norn_thread_number() + 1;
	if (have_end_key)
		pthread_setspecific(end_key, (void *)1);
}

__attribute__((constructor(103))) static void watch_main(void)
{
	norn_session_attach();
	if (!norn_session)
		return;
	have_end_key = pthread_key_create(&end_key, round_over) == 0;
	if (norn_self)
		norn_thread_attached();
}

void norn_thread_fork_child(void)
{
	own_tid = 0;
	if (!norn_self)
		own_number = 0;
}

/* ---- the beginning ---- */

/* Held by the creator and the new thread; the second of the two to be done with it gives it back. The new thread's number must be
 * in its TLS before the creator returns (someone may join it then) and before the thread runs on (it may end then); so must its
 * handle be where the creator wants it (programs rely on finding it there, and may free that place once the thread runs). The first
 * of the two to come by writes both, while the other is sure to be still there. */
enum launch_state { LAUNCH_NEW, LAUNCH_WRITING, LAUNCH_DONE };

struct norn_launch {
	struct norn_start start;
	pthread_t *created;
	sigset_t mask; /* that the thread is to run with */
	uint32_t thread, parent;
	uint32_t site;
	uint32_t replay_thread, step; /* replay: the new thread's number in the schedule, and the step of its creation */
	bool hooked; /* it begins with code with hooks */
	_Atomic uint32_t state; /* enum launch_state */
	_Atomic uint32_t next; /* free list: 1 + index of the next, 0 at the end */
};

#define LAUNCHES 65536u
static struct norn_launch *_Atomic pool; /* LAUNCHES of them, mapped when first needed */
static _Atomic uint32_t pool_used; /* those handed out at least once */
static _Atomic uint64_t pool_free; /* lock-free stack: tag<<32 | 1 + index; the tag tells two states with the same top apart */

static struct norn_launch *map_pool(void)
{
	struct norn_launch *have = atomic_load(&pool);
	if (have)
		return have;
	size_t bytes = LAUNCHES * sizeof *have;
	struct norn_launch *fresh = norn_sys_memory(bytes);
	if (!fresh)
		return NULL;
	if (atomic_compare_exchange_strong(&pool, &have, fresh))
		return fresh;
	norn_sys_unmap(fresh, bytes);
	return have;
}

static struct norn_launch *take_launch(void)
{
	struct norn_launch *all = map_pool();
	if (!all)
		return NULL;
	uint64_t top = atomic_load(&pool_free);
	while ((uint32_t)top) {
		struct norn_launch *launch = &all[(uint32_t)top - 1];
		uint64_t under = ((top >> 32) + 1) << 32 | atomic_load(&launch->next);
		if (atomic_compare_exchange_weak(&pool_free, &top, under))
			return launch;
	}
	uint32_t fresh = atomic_load(&pool_used);
	while (fresh < LAUNCHES)
		if (atomic_compare_exchange_weak(&pool_used, &fresh, fresh + 1))
			return &all[fresh];
	return NULL;
}

static void give_launch(struct norn_launch *launch)
{
	uint32_t name = (uint32_t)(launch - atomic_load(&pool)) + 1;
	uint64_t top = atomic_load(&pool_free);
	do
		atomic_store(&launch->next, (uint32_t)top);
	while (!atomic_compare_exchange_weak(&pool_free, &top, ((top >> 32) + 1) << 32 | name));
}

static void settle(struct norn_launch *launch, pthread_t handle)
{
	uint32_t state = LAUNCH_NEW;
	if (atomic_compare_exchange_strong(&launch->state, &state, LAUNCH_WRITING)) {
		__atomic_store_n(number_of(handle), launch->thread + 1, __ATOMIC_RELAXED);
		*launch->created = handle;
		atomic_store(&launch->state, LAUNCH_DONE);
		return;
	}
	for (unsigned waits = 0; atomic_load(&launch->state) != LAUNCH_DONE; waits++)
		norn_sys_yield(waits);
	give_launch(launch);
}

struct norn_launch *norn_launch_new(pthread_t *created, uintptr_t routine, void *argument, uint32_t site)
{
	if (!norn_session)
		return NULL;
	int error = errno;
	struct norn_launch *launch = take_launch();
	errno = error;
	if (!launch)
		return NULL;
	launch->step = norn_step_begin(NORN_OPERATION_FORK, site, NULL);
	launch->thread = norn_thread_reserve();
	launch->replay_thread = norn_replaying && norn_self ? norn_replay_child() : 0;
	launch->parent = norn_thread_number();
	launch->site = site;
	launch->hooked = norn_call_begins_hooked(routine, site);
	launch->created = created;
	atomic_store(&launch->state, LAUNCH_NEW);
	if (launch->thread != NORN_NO_THREAD)
		norn_log_thread(NORN_THREAD_FORK, launch->thread, norn_watching ? routine : (uintptr_t)argument, site);
	return launch;
}

sigset_t norn_launch_block(struct norn_launch *launch, const pthread_attr_t *attr)
{
	sigset_t all, own;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &own);
	if (!attr || pthread_attr_getsigmask_np(attr, &launch->mask) != 0)
		launch->mask = own;
	return own;
}

struct norn_start *norn_launch_start(struct norn_launch *launch)
{
	return &launch->start;
}

void norn_launch_done(struct norn_launch *launch, int result, pthread_t handle, uint32_t site)
{
	if (!launch)
		return;
	norn_step_end(launch->step);
	if (result != 0) {
		if (launch->thread != NORN_NO_THREAD)
			norn_log_thread(NORN_THREAD_FORK_FAILED, launch->thread, 0, site);
		give_launch(launch);
		return;
	}
	settle(launch, handle);
}

struct norn_start norn_launch_begin(struct norn_launch *launch)
{
	struct norn_start start = launch->start;
	sigset_t mask = launch->mask;
	uint32_t thread = launch->thread, parent = launch->parent, replay_thread = launch->replay_thread;
	bool hooked = launch->hooked;
	__norn_call_site = launch->site;
	settle(launch, pthread_self());
	norn_thread_attach(thread, parent);
	if (!norn_self)
		own_number = 0;
	if (!hooked)
		norn_self_begins_outside();
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (replay_thread)
		norn_replay_begin(replay_thread);
	return start;
}

/* A hook may write out a buffer on the stack of the thread that it interrupts: stacks that are barely big enough for the program
 * are enlarged. The copy is shallow; it lives only as long as the call that it is made for. */
#define STACK_SMALL (256u << 10)
#define STACK_EXTRA (64u << 10)

static const pthread_attr_t *roomier(const pthread_attr_t *attr, pthread_attr_t *copy)
{
	void *address;
	size_t bytes;
	if (!attr || pthread_attr_getstack(attr, &address, &bytes) != 0 || bytes >= STACK_SMALL)
		return attr;
	/* A default size, or a stack of the program's own. As numbers: of pointers the compiler knows that their sum is not
	 * NULL. */
	if (bytes == 0 || (uintptr_t)address + bytes != 0)
		return attr;
	*copy = *attr;
	return pthread_attr_setstacksize(copy, bytes + STACK_EXTRA) == 0 ? copy : attr;
}

static void *run(void *launch)
{
	struct norn_start start = norn_launch_begin(launch);
	return start.posix(start.argument);
}

NORN_EXPORT int pthread_create(pthread_t *created, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	uint32_t site = __norn_call_site;
	struct norn_launch *launch = norn_launch_new(created, (uintptr_t)routine, argument, site);
	if (!launch)
		return REAL(pthread_create)(created, attr, routine, argument);
	*norn_launch_start(launch) = (struct norn_start){.posix = routine, .argument = argument};
	pthread_attr_t copy;
	pthread_t handle = 0;
	sigset_t mask = norn_launch_block(launch, attr);
	int result = REAL(pthread_create)(&handle, roomier(attr, &copy), run, launch);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	norn_launch_done(launch, result, handle, site);
	return result;
}

/* ---- leaving ---- */

NORN_EXPORT void pthread_exit(void *value)
{
	norn_self_exits();
	REAL(pthread_exit)(value);
	__builtin_unreachable();
}

NORN_EXPORT void thrd_exit(int value)
{
	norn_self_exits();
	REAL(thrd_exit)(value);
	__builtin_unreachable();
}

/* ---- join and detach: the number is read before the call, after which the handle may be gone ---- */

static int joined(int result, uint32_t thread, bool takes, uint32_t site)
{
	if (result == 0 && thread != NORN_NO_THREAD)
		norn_log_thread(NORN_THREAD_JOIN, thread, takes ? 0 : NORN_JOIN_DROPS, site);
	return result;
}

NORN_EXPORT int pthread_join(pthread_t handle, void **value)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	if (norn_observing)
		norn_observe_wait(thread);
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_JOIN, site, NULL);
	NORN_WAITS(NORN_WAITING_JOIN, NULL, thread, site);
	int result = REAL(pthread_join)(handle, value);
	norn_waited();
	joined(result, thread, value != NULL, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_tryjoin_np(pthread_t handle, void **value)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_JOIN, site, NULL);
	int result = joined(REAL(pthread_tryjoin_np)(handle, value), thread, value != NULL, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_timedjoin_np(pthread_t handle, void **value, const struct timespec *until)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_JOIN, site, NULL);
	int result = joined(REAL(pthread_timedjoin_np)(handle, value, until), thread, value != NULL, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_clockjoin_np(pthread_t handle, void **value, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_JOIN, site, NULL);
	int result = joined(REAL(pthread_clockjoin_np)(handle, value, clock, until), thread, value != NULL, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_detach(pthread_t handle)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	int result = REAL(pthread_detach)(handle);
	if (result == 0 && thread != NORN_NO_THREAD)
		norn_log_thread(NORN_THREAD_DETACH, thread, 0, site);
	return result;
}
