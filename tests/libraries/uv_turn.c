/* norn-test
 * errors: yes
 * env: UV_THREADPOOL_SIZE=1
 * cc: -O1 -luv
 * no-finding: yes
 * check-exit: 3
 * note: 1 error is only suspected, as one thread of a pool ran jobs that two may run at once \(work\(\) at uv_turn\.c:\d+\)
 */
/* An unguarded counter in jobs of libuv's pool, which one thread runs in turn: that it does no harm rests on the
 * size of the pool, so it is suspected. */
#include <uv.h>

static int counter;

static void work(uv_work_t *request)
{
	(void)request;
	counter++;
}

static void done(uv_work_t *request, int status)
{
	(void)request, (void)status;
}

int main(void)
{
	uv_work_t requests[2];
	for (int i = 0; i < 2; i++)
		uv_queue_work(uv_default_loop(), &requests[i], work, done);
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
