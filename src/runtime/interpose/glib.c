/* GLib's mutexes, conditions, onces and queues between threads.
 *
 * GLib makes them of futexes, or of functions that it calls within itself: nothing there passes by libnorn. Functions of these
 * names in libnorn would be found by programs that ask whether there is a GLib; so the pass has calls come here instead
 * (HOOKED_CALL in effects/effects.h), and __norn_callee says where the function itself is. GRecMutex and GRWLock are made of
 * libc's locks, which are interposed.
 *
 * A GLib that has hooks itself makes its own records: it is called as if Norn were not here. */
#include "runtime/interpose/stand_in.h"

#include <dlfcn.h>
#include <errno.h>

#include "runtime/replay/replay.h"
#include "runtime/replay/replay_cond.h"
#include "runtime/watch/watch_lock.h"

__thread const void *__norn_callee __attribute__((tls_model("initial-exec")));

typedef void *pointer;

/* ---- what one function of GLib needs of the others ---- */

typedef void lock_function(pointer);

static struct {
	atomic_bool ready;
	lock_function *mutex_lock, *mutex_unlock, *queue_lock, *queue_unlock;
	void (*push)(pointer, pointer), (*push_front)(pointer, pointer);
	pointer (*pop)(pointer), (*try_pop)(pointer), (*timeout_pop)(pointer, uint64_t);
	int (*length)(pointer), (*remove)(pointer, pointer);
} glib;

static uintptr_t find(const void *callee, const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name), *library;
	Dl_info info;
	/* Loaded by a module of the program's, for itself alone. */
	if (!found && dladdr(callee, &info) && (library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD))) {
		found = dlsym(library, name);
		dlclose(library);
	}
	return (uintptr_t)found;
}

/* Two threads that do this at once find the same. */
static void find_glib(const void *callee)
{
	if (atomic_load_explicit(&glib.ready, memory_order_acquire))
		return;
	int error = errno;
	glib.mutex_lock = (lock_function *)find(callee, "g_mutex_lock");
	glib.mutex_unlock = (lock_function *)find(callee, "g_mutex_unlock");
	glib.queue_lock = (lock_function *)find(callee, "g_async_queue_lock");
	glib.queue_unlock = (lock_function *)find(callee, "g_async_queue_unlock");
	glib.push = (void (*)(pointer, pointer))find(callee, "g_async_queue_push_unlocked");
	glib.push_front = (void (*)(pointer, pointer))find(callee, "g_async_queue_push_front_unlocked");
	glib.pop = (pointer(*)(pointer))find(callee, "g_async_queue_pop_unlocked");
	glib.try_pop = (pointer(*)(pointer))find(callee, "g_async_queue_try_pop_unlocked");
	glib.timeout_pop = (pointer(*)(pointer, uint64_t))find(callee, "g_async_queue_timeout_pop_unlocked");
	glib.length = (int (*)(pointer))find(callee, "g_async_queue_length_unlocked");
	glib.remove = (int (*)(pointer, pointer))find(callee, "g_async_queue_remove_unlocked");
	errno = error;
	atomic_store_explicit(&glib.ready, true, memory_order_release);
}

/* ---- GMutex ---- */

STAND_IN void __norn_g_mutex_init(pointer mutex)
{
	const void *callee = __norn_callee;
	uint32_t site = __norn_call_site;
	ITSELF(lock_function *)(mutex);
	if (norn_stand_in_records(callee))
		norn_log_sync(NORN_SYNC_CREATE, mutex, NORN_LOCK_MUTEX, site);
}

STAND_IN void __norn_g_mutex_clear(pointer mutex)
{
	const void *callee = __norn_callee;
	uint32_t site = __norn_call_site;
	ITSELF(lock_function *)(mutex);
	if (norn_stand_in_records(callee))
		norn_log_sync(NORN_SYNC_DESTROY, mutex, NORN_LOCK_MUTEX, site);
}

static void lock(lock_function *itself, pointer object, uint32_t site)
{
	uint32_t step = norn_step_begin_lock(site, object);
	norn_waits(NORN_WAITING_LOCK, object, NORN_LOCK_MUTEX, site);
	{
		HIDE;
		itself(object);
	}
	norn_waited();
	norn_log_lock(NORN_SYNC_ACQUIRE, object, NORN_LOCK_MUTEX, site);
	norn_step_end(step);
}

static void unlock(lock_function *itself, pointer object, uint32_t site)
{
	uint32_t step = norn_step_begin(NORN_OPERATION_UNLOCK, site, object);
	norn_log_lock(NORN_SYNC_RELEASE, object, NORN_LOCK_MUTEX, site);
	{
		HIDE;
		itself(object);
	}
	norn_step_end(step);
}

STAND_IN void __norn_g_mutex_lock(pointer mutex)
{
	lock_function *itself = ITSELF(lock_function *);
	if (norn_stand_in_records(__norn_callee))
		lock(itself, mutex, __norn_call_site);
	else
		itself(mutex);
}

STAND_IN void __norn_g_mutex_unlock(pointer mutex)
{
	lock_function *itself = ITSELF(lock_function *);
	if (norn_stand_in_records(__norn_callee))
		unlock(itself, mutex, __norn_call_site);
	else
		itself(mutex);
}

STAND_IN int __norn_g_mutex_trylock(pointer mutex)
{
	int (*itself)(pointer) = ITSELF(int (*)(pointer));
	if (!norn_stand_in_records(__norn_callee))
		return itself(mutex);
	uint32_t site = __norn_call_site, step = norn_step_begin_lock(site, mutex);
	int got = itself(mutex);
	if (got)
		norn_log_lock(NORN_SYNC_ACQUIRE, mutex, NORN_LOCK_MUTEX, site);
	else
		norn_log_sync(NORN_SYNC_TRY_FAILED, mutex, NORN_LOCK_MUTEX, site);
	norn_step_end(step);
	return got;
}

/* ---- GCond ---- */

static int relock(pthread_mutex_t *mutex)
{
	glib.mutex_lock(mutex);
	return 0;
}

static int give_up(pthread_mutex_t *mutex)
{
	glib.mutex_unlock(mutex);
	return 0;
}

/* Conditions of a replayed program are waited for, and notified, by Norn's own means (replay_cond.h). */
static bool is_replayed(const void *callee)
{
	if (!norn_replay_began)
		return false;
	find_glib(callee);
	return glib.mutex_lock && glib.mutex_unlock;
}

STAND_IN void __norn_g_cond_init(pointer cond)
{
	const void *callee = __norn_callee;
	uint32_t site = __norn_call_site;
	ITSELF(lock_function *)(cond);
	if (norn_stand_in_records(callee))
		norn_log_sync(NORN_SYNC_CREATE, cond, NORN_LOCK_COND, site);
}

STAND_IN void __norn_g_cond_clear(pointer cond)
{
	const void *callee = __norn_callee;
	uint32_t site = __norn_call_site;
	ITSELF(lock_function *)(cond);
	if (norn_stand_in_records(callee))
		norn_log_sync(NORN_SYNC_DESTROY, cond, NORN_LOCK_COND, site);
}

STAND_IN void __norn_g_cond_wait(pointer cond, pointer mutex)
{
	const void *callee = __norn_callee;
	void (*itself)(pointer, pointer) = ITSELF(void (*)(pointer, pointer));
	bool replayed = is_replayed(callee);
	if (!norn_stand_in_records(callee) && !replayed) {
		itself(cond, mutex);
		return;
	}
	struct norn_wait wait;
	norn_wait_begin_with(&wait, cond, mutex, replayed ? relock : NULL, replayed ? give_up : NULL, false, __norn_call_site);
	{
		HIDE;
		if (replayed)
			norn_wait_replayed(&wait, 0, NULL);
		else
			itself(cond, mutex);
	}
	norn_wait_end(&wait, true, true);
}

STAND_IN int __norn_g_cond_wait_until(pointer cond, pointer mutex, int64_t microseconds)
{
	const void *callee = __norn_callee;
	int (*itself)(pointer, pointer, int64_t) = ITSELF(int (*)(pointer, pointer, int64_t));
	bool replayed = is_replayed(callee);
	if ((!norn_stand_in_records(callee) && !replayed) || microseconds < 0)
		return itself(cond, mutex, microseconds);
	struct timespec until = {.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000};
	struct norn_wait wait;
	norn_wait_begin_with(&wait, cond, mutex, replayed ? relock : NULL, replayed ? give_up : NULL, true, __norn_call_site);
	int woken;
	{
		HIDE;
		woken = replayed ? norn_wait_replayed(&wait, CLOCK_MONOTONIC, &until) == 0 : itself(cond, mutex, microseconds);
	}
	norn_wait_end(&wait, true, woken);
	return woken;
}

static void notify(pointer cond, bool all)
{
	const void *callee = __norn_callee;
	lock_function *itself = ITSELF(lock_function *);
	uint32_t site = __norn_call_site, step = norn_step_begin(NORN_OPERATION_NOTIFY, site, cond);
	if (norn_stand_in_records(callee))
		norn_log_sync(all ? NORN_SYNC_BROADCAST : NORN_SYNC_SIGNAL, cond, 0, site);
	{
		HIDE;
		if (is_replayed(callee))
			norn_cond_notify(cond, all);
		else
			itself(cond);
	}
	norn_step_end(step);
}

STAND_IN void __norn_g_cond_signal(pointer cond)
{
	notify(cond, false);
}

STAND_IN void __norn_g_cond_broadcast(pointer cond)
{
	notify(cond, true);
}

/* ---- GOnce, g_once_init_enter ---- */

struct once_call {
	const void *once;
	pointer (*routine)(pointer);
	pointer argument;
	uint32_t site, step, before;
};

static pointer run_once(pointer argument)
{
	const struct once_call *call = argument;
	norn_call_show(call->before);
	norn_waited();
	norn_log_sync(NORN_SYNC_ONCE_BEGIN, call->once, 0, call->site);
	__norn_call_site = call->site;
	pointer result = call->routine(call->argument);
	norn_stand_in_once_end(call->once, call->site);
	norn_call_hide();
	return result;
}

STAND_IN pointer __norn_g_once_impl(pointer once, pointer (*routine)(pointer), pointer argument)
{
	pointer (*itself)(pointer, pointer (*)(pointer), pointer) = ITSELF(pointer(*)(pointer, pointer(*)(pointer), pointer));
	if (!norn_stand_in_records(__norn_callee))
		return itself(once, routine, argument);
	struct once_call call = {
	        once, routine, argument, __norn_call_site, norn_step_begin(NORN_OPERATION_ONCE, __norn_call_site, once), 0};
	norn_waits(NORN_WAITING_ONCE, once, 0, call.site);
	call.before = norn_call_hide();
	pointer result = itself(once, run_once, &call);
	norn_call_show(call.before);
	norn_waited();
	norn_log_sync(NORN_SYNC_ONCE_PASS, once, 0, call.site);
	norn_step_end(call.step);
	__norn_call_site = call.site;
	return result;
}

STAND_IN int __norn_g_once_init_enter(pointer location)
{
	return norn_stand_in_once_enter(location);
}

STAND_IN void __norn_g_once_init_leave(pointer location, size_t value)
{
	void (*itself)(pointer, size_t) = ITSELF(void (*)(pointer, size_t));
	uint32_t site = __norn_call_site;
	if (norn_stand_in_records(__norn_callee))
		norn_stand_in_once_end(location, site);
	HIDE;
	itself(location, value);
}

/* ---- GAsyncQueue: a lock, and a channel under it ----
 *
 * Each operation takes the queue's lock, which programs may take themselves. A pop comes after all earlier pushes, as with other
 * channels (X4). Without the functions for holders of the lock nothing is known of these calls. */

static const void *channel_of(const void *queue)
{
	static uint64_t channels[64]; /* only their addresses are used */
	return &channels[((uintptr_t)queue * UINT64_C(0x9e3779b97f4a7c15) >> 32) % (sizeof channels / sizeof *channels)];
}

static void sends(pointer queue, uint32_t site)
{
	norn_step_end(norn_step_begin(NORN_OPERATION_SEND, site, NULL));
	norn_log_sync(NORN_SYNC_SEND, channel_of(queue), NORN_SEND_KNOWN, site);
}

static void received(pointer queue, uint32_t site)
{
	norn_step_end(norn_step_begin(NORN_OPERATION_RECEIVE, site, NULL));
	norn_log_sync(NORN_SYNC_RECEIVE, channel_of(queue), NORN_RECEIVE_INPUT, site);
}

static bool sees(const void *callee, bool *ret_unknown)
{
	*ret_unknown = false;
	if (!norn_stand_in_records(callee))
		return false;
	find_glib(callee);
	bool found = glib.queue_lock && glib.queue_unlock && glib.push && glib.push_front && glib.pop && glib.try_pop &&
	             glib.timeout_pop && glib.length && glib.remove;
	*ret_unknown = !found;
	return found;
}

/* For __attribute__((cleanup)): a function that Norn cannot see into has returned. */
static void came_back(const bool *unknown)
{
	if (*unknown)
		norn_call_unknown();
}
#define SEES(seen) bool unknown __attribute__((cleanup(came_back))), seen = sees(__norn_callee, &unknown)

STAND_IN void __norn_g_async_queue_lock(pointer queue)
{
	lock_function *itself = ITSELF(lock_function *);
	SEES(seen);
	if (seen)
		lock(itself, queue, __norn_call_site);
	else
		itself(queue);
}

STAND_IN void __norn_g_async_queue_unlock(pointer queue)
{
	lock_function *itself = ITSELF(lock_function *);
	SEES(seen);
	if (seen)
		unlock(itself, queue, __norn_call_site);
	else
		itself(queue);
}

static void push(pointer queue, pointer data, bool front)
{
	void (*itself)(pointer, pointer) = ITSELF(void (*)(pointer, pointer));
	SEES(seen);
	if (!seen) {
		itself(queue, data);
		return;
	}
	uint32_t site = __norn_call_site;
	lock(glib.queue_lock, queue, site);
	sends(queue, site);
	{
		HIDE;
		(front ? glib.push_front : glib.push)(queue, data);
	}
	unlock(glib.queue_unlock, queue, site);
}

STAND_IN void __norn_g_async_queue_push(pointer queue, pointer data)
{
	push(queue, data, false);
}

STAND_IN void __norn_g_async_queue_push_front(pointer queue, pointer data)
{
	push(queue, data, true);
}

enum patience { NOT, FOR_A_TIME, FOREVER };

/* It gives up the lock while it waits. */
static pointer await(pointer queue, enum patience patience, uint64_t microseconds, uint32_t site)
{
	unlock(glib.queue_unlock, queue, site);
	uint32_t step = norn_step_begin_lock(site, queue);
	HIDE;
	glib.queue_lock(queue);
	pointer data = patience == FOR_A_TIME ? glib.timeout_pop(queue, microseconds) : glib.pop(queue);
	norn_log_lock(NORN_SYNC_ACQUIRE, queue, NORN_LOCK_MUTEX, site);
	norn_step_end(step);
	return data;
}

static pointer pop(pointer queue, enum patience patience, uint64_t microseconds, uint32_t site)
{
	lock(glib.queue_lock, queue, site);
	pointer data = glib.try_pop(queue);
	if (!data && patience != NOT)
		data = await(queue, patience, microseconds, site);
	received(queue, site);
	unlock(glib.queue_unlock, queue, site);
	return data;
}

STAND_IN pointer __norn_g_async_queue_pop(pointer queue)
{
	pointer (*itself)(pointer) = ITSELF(pointer(*)(pointer));
	SEES(seen);
	if (!seen)
		return itself(queue);
	return pop(queue, FOREVER, 0, __norn_call_site);
}

STAND_IN pointer __norn_g_async_queue_timeout_pop(pointer queue, uint64_t microseconds)
{
	pointer (*itself)(pointer, uint64_t) = ITSELF(pointer(*)(pointer, uint64_t));
	SEES(seen);
	if (!seen)
		return itself(queue, microseconds);
	return pop(queue, FOR_A_TIME, microseconds, __norn_call_site);
}

STAND_IN pointer __norn_g_async_queue_try_pop(pointer queue)
{
	pointer (*itself)(pointer) = ITSELF(pointer(*)(pointer));
	SEES(seen);
	if (!seen)
		return itself(queue);
	return pop(queue, NOT, 0, __norn_call_site);
}

STAND_IN int __norn_g_async_queue_length(pointer queue)
{
	int (*itself)(pointer) = ITSELF(int (*)(pointer));
	SEES(seen);
	if (!seen)
		return itself(queue);
	uint32_t site = __norn_call_site;
	lock(glib.queue_lock, queue, site);
	int length = glib.length(queue);
	received(queue, site);
	unlock(glib.queue_unlock, queue, site);
	return length;
}

/* Those for callers that hold the lock. */

STAND_IN void __norn_g_async_queue_push_unlocked(pointer queue, pointer data)
{
	void (*itself)(pointer, pointer) = ITSELF(void (*)(pointer, pointer));
	SEES(seen);
	if (seen)
		sends(queue, __norn_call_site);
	itself(queue, data);
}

STAND_IN pointer __norn_g_async_queue_try_pop_unlocked(pointer queue)
{
	pointer (*itself)(pointer) = ITSELF(pointer(*)(pointer));
	SEES(seen);
	uint32_t site = __norn_call_site;
	pointer data = itself(queue);
	if (seen)
		received(queue, site);
	return data;
}

STAND_IN int __norn_g_async_queue_length_unlocked(pointer queue)
{
	int (*itself)(pointer) = ITSELF(int (*)(pointer));
	SEES(seen);
	uint32_t site = __norn_call_site;
	int length = itself(queue);
	if (seen)
		received(queue, site);
	return length;
}
