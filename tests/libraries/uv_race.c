/* norn-test
 * errors: yes
 * unjudged:
 * cc: -luv
 * cc: -DLOCKED_TOO -luv
 * cc: -DSHORT -luv
 * finding: race counter (predicted|observed|suspected) at .*work
 */
/* An unguarded counter in jobs of libuv's pool, which run in two threads; SHORT: or in one, as it happens. */
#include <stdatomic.h>
#include <uv.h>

static int counter, guarded;
static atomic_int begun;
static uv_mutex_t lock;

static void work(uv_work_t *request)
{
	(void)request;
#ifndef SHORT
	for (begun++; begun < 2;)
		;
#endif
#ifdef LOCKED_TOO
	uv_mutex_lock(&lock);
	guarded++;
	uv_mutex_unlock(&lock);
#endif
	counter++;
}

static void done(uv_work_t *request, int status)
{
	(void)request, (void)status;
}

int main(void)
{
	uv_work_t requests[2];
	uv_mutex_init(&lock);
	for (int i = 0; i < 2; i++)
		uv_queue_work(uv_default_loop(), &requests[i], work, done);
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	return counter + guarded == 0;
}
