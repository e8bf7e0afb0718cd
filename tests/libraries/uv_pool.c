/* norn-test
 * unjudged:
 * silent: -DWORK -luv
 * silent: -DASYNC -luv
 * silent: -DTIMER -luv
 * silent: -DSYNC -luv
 */
/* libuv: work in its pool whose result the loop takes; a thread that wakes the loop; a timer between; its locks, conditions,
 * semaphores and barriers. */
#include <uv.h>

#define JOBS 6

static int input[JOBS], output[JOBS], total, locked;
static uv_loop_t *loop;
static uv_mutex_t lock;

#if defined(WORK) || defined(TIMER)
static uv_work_t requests[JOBS];
static int again[JOBS];

static void work(uv_work_t *request)
{
	int i = *(int *)request->data;
	output[i] += input[i];
	uv_mutex_lock(&lock);
	locked += output[i];
	uv_mutex_unlock(&lock);
}

static void done(uv_work_t *request, int status)
{
	int i = *(int *)request->data;
	total += output[i];
	if (status == 0 && again[i]++ < 1) {
		input[i] = total;
		uv_queue_work(loop, request, work, done);
	}
}
#endif

#ifdef TIMER
static void tick(uv_timer_t *timer)
{
	total++;
	if (total > 3)
		uv_timer_stop(timer);
}
#endif

#ifdef ASYNC
static uv_async_t async;
static int box, taken;
static uv_sem_t ready;

static void woken(uv_async_t *handle)
{
	total += box;
	taken++;
	if (taken == 3)
		uv_close((uv_handle_t *)handle, NULL);
	uv_sem_post(&ready);
}

static void sender(void *argument)
{
	(void)argument;
	for (int i = 0; i < 3; i++) {
		box = i + 1;
		uv_async_send(&async);
		uv_sem_wait(&ready);
	}
}
#endif

#ifdef SYNC
static uv_cond_t cond;
static uv_barrier_t barrier;
static uv_rwlock_t rwlock;
static uv_once_t once = UV_ONCE_INIT;
static int wanted, made;

static void make(void)
{
	made = 1;
}

static void meet(void *argument)
{
	int i = *(int *)argument;
	uv_once(&once, make);
	total = made;
	(void)i;
}

static void each(void *argument)
{
	int i = *(int *)argument;
	uv_once(&once, make);
	input[i] = made;
	uv_barrier_wait(&barrier);
	output[i] = input[1 - i];
	uv_mutex_lock(&lock);
	if (i == 0) {
		wanted = 1;
		uv_cond_signal(&cond);
	} else {
		while (!wanted)
			uv_cond_wait(&cond, &lock);
	}
	uv_mutex_unlock(&lock);
	uv_rwlock_wrlock(&rwlock);
	locked++;
	uv_rwlock_wrunlock(&rwlock);
}
#endif

int main(void)
{
	loop = uv_default_loop();
	uv_mutex_init(&lock);
#if defined(WORK) || defined(TIMER)
	static int numbers[JOBS];
	for (int i = 0; i < JOBS; i++) {
		numbers[i] = i;
		input[i] = i;
		requests[i].data = &numbers[i];
		uv_queue_work(loop, &requests[i], work, done);
	}
#endif
#ifdef TIMER
	uv_timer_t timer;
	uv_timer_init(loop, &timer);
	uv_timer_start(&timer, tick, 0, 1);
#endif
#ifdef ASYNC
	uv_thread_t thread;
	uv_sem_init(&ready, 0);
	uv_async_init(loop, &async, woken);
	uv_thread_create(&thread, sender, NULL);
#endif
#ifdef SYNC
	uv_thread_t threads[2], last;
	static int numbers[] = {0, 1};
	uv_cond_init(&cond);
	uv_rwlock_init(&rwlock);
	uv_barrier_init(&barrier, 2);
	for (int i = 0; i < 2; i++)
		uv_thread_create(&threads[i], each, &numbers[i]);
	for (int i = 0; i < 2; i++)
		uv_thread_join(&threads[i]);
	total = locked + output[0];
	uv_thread_create(&last, meet, &numbers[0]);
	uv_thread_join(&last);
#endif
	uv_run(loop, UV_RUN_DEFAULT);
#ifdef ASYNC
	uv_thread_join(&thread);
	total += box;
#endif
	return total + locked == 0;
}
