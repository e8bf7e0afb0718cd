/* pthread_once, and what call_once shares with it.
 *
 * The real function gets a routine of ours, which finds the program's through the thread's stack of calls in progress (a routine
 * may itself use another once). A routine that is cancelled or throws has not run: BEGIN stays without END and the next caller begins
 * anew, as POSIX has it. */
#include "runtime/interpose.h"

struct call {
	void *control;
	void (*routine)(void);
	uint32_t site;
	struct call *outer;
};
static __thread struct call *innermost __attribute__((tls_model("initial-exec")));

static void run(void)
{
	struct call *call = innermost;
	norn_log_sync(NORN_SYNC_ONCE_BEGIN, call->control, 0, call->site);
	__norn_call_site = call->site;
	call->routine();
	norn_log_sync(NORN_SYNC_ONCE_END, call->control, 0, call->site);
}

static void leave(struct call *call)
{
	innermost = call->outer;
}

int norn_once(void *control, void (*routine)(void), int (*real)(void *, void (*)(void)), uint32_t site)
{
	struct call call __attribute__((cleanup(leave))) = {control, routine, site, innermost};
	innermost = &call;
	int result = real(control, run);
	if (result == 0)
		norn_log_sync(NORN_SYNC_ONCE_PASS, control, 0, site);
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
