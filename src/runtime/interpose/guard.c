/* Initialisation that only one thread makes: static variables of C++ functions, and what GLib has alike.
 *
 * That it was made is also told by a word that the library writes and code with hooks reads, without a call. An external write
 * comes after all that was sent before it (X3), so a send is recorded before the word can be written. */
#include "runtime/interpose/stand_in.h"

#include "runtime/replay/replay.h"

void norn_stand_in_once_end(const void *location, uint32_t site)
{
	static uint64_t done; /* only its address is used */
	norn_log_sync(NORN_SYNC_SEND, &done, NORN_SEND_KNOWN, site);
	norn_log_sync(NORN_SYNC_ONCE_END, location, 0, site);
}

int norn_stand_in_once_enter(void *location)
{
	int (*itself)(void *) = ITSELF(int (*)(void *));
	if (!norn_stand_in_records(__norn_callee))
		return itself(location);
	uint32_t site = __norn_call_site, step = norn_step_begin_blocking(NORN_OPERATION_ONCE, site, location);
	int runs;
	{
		HIDE;
		NORN_WAITS(NORN_WAITING_ONCE, location, 0, site);
		runs = itself(location);
	}
	norn_log_sync(runs ? NORN_SYNC_ONCE_BEGIN : NORN_SYNC_ONCE_PASS, location, 0, site);
	norn_step_end(step);
	return runs;
}

/* The guard of a static variable that the program's code is about to initialise, as it has seen that nobody has. */
STAND_IN int __norn___cxa_guard_acquire(void *guard)
{
	return norn_stand_in_once_enter(guard);
}

STAND_IN void __norn___cxa_guard_release(void *guard)
{
	void (*itself)(void *) = ITSELF(void (*)(void *));
	uint32_t site = __norn_call_site;
	if (norn_stand_in_records(__norn_callee))
		norn_stand_in_once_end(guard, site);
	HIDE;
	itself(guard);
}

/* std::promise::set_value_at_thread_exit and its like: the library makes the future ready when the thread has ended. */
STAND_IN void __norn__ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(void *self)
{
	void (*itself)(void *) = ITSELF(void (*)(void *));
	norn_thread_sends_at_end();
	HIDE;
	itself(self);
}

/* Its constructor has thrown: it has not run. */
STAND_IN void __norn___cxa_guard_abort(void *guard)
{
	void (*itself)(void *) = ITSELF(void (*)(void *));
	uint32_t site = __norn_call_site;
	if (norn_stand_in_records(__norn_callee))
		norn_log_sync(NORN_SYNC_CREATE, guard, NORN_LOCK_ONCE, site);
	HIDE;
	itself(guard);
}
