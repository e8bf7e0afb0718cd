/* pthread_once, and what call_once shares with it.
 *
 * The real function gets a routine of ours, which finds the program's through the thread's stack of calls in progress (a routine
 * may itself use another once). A routine that is cancelled or throws has not run, as POSIX has it: in place of END, the object is
 * said to begin anew, and the next caller's BEGIN follows. */
#include "runtime/interpose/interpose.h"

#include "runtime/replay/replay.h"

struct once_run {
	void *control;
	void (*routine)(void);
	uint32_t site;
	bool running;
	struct once_run *outer;
};
static __thread struct once_run *innermost __attribute__((tls_model("initial-exec")));

/* The routine was unwound; libc will let the next caller in only after this. */
static void undone(struct once_run **call)
{
	if ((*call)->running)
		norn_log_sync(NORN_SYNC_CREATE, (*call)->control, NORN_LOCK_ONCE, (*call)->site);
}

static void run(void)
{
	struct once_run *call __attribute__((cleanup(undone))) = innermost;
	call->running = true;
	norn_waited();
	norn_log_sync(NORN_SYNC_ONCE_BEGIN, call->control, 0, call->site);
	__norn_call_site = call->site;
	call->routine();
	call->running = false;
	norn_log_sync(NORN_SYNC_ONCE_END, call->control, 0, call->site);
}

static void leave(struct once_run *call)
{
	innermost = call->outer;
}

int norn_once(void *control, void (*routine)(void), int (*real)(void *, void (*)(void)), uint32_t site)
{
	struct once_run call __attribute__((cleanup(leave))) = {control, routine, site, false, innermost};
	innermost = &call;
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_ONCE, site, control);
	NORN_WAITS(NORN_WAITING_ONCE, control, 0, site);
	int result = real(control, run);
	norn_waited();
	if (result == 0)
		norn_log_sync(NORN_SYNC_ONCE_PASS, control, 0, site);
	norn_step_end(step);
	__norn_call_site = site;
	return result;
}

static int real_once(void *control, void (*routine)(void))
{
	return REAL(pthread_once)(control, routine);
}

NORN_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	uint32_t site = __norn_call_site;
	if (!norn_self)
		return REAL(pthread_once)(control, routine);
	return norn_once(control, routine, real_once, site);
}
