/* norn-test
 * errors: yes
 * silent: -DMUTEX -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DTRY -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DCOND -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DUNTIL -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DREADERS -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DRECURSIVE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DONCE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DINIT -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DPRIVATE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DQUEUE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DQUEUE_LOCK -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DMUTEX -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DCOND -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DREADERS -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DRECURSIVE -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DONCE -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DINIT -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DPRIVATE -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DQUEUE -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DQUEUE_LOCK -DWRONG -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * finding: race extra (predicted|observed) at .*also
 */
/* GLib's locks, onces, thread-specific data and queues are what they are: what they guard is silent, and all is judged; a counter
 * beside them (WRONG) is found. */
#include <glib.h>

static int shared, made, extra, value;
static gint ended;

#ifdef WRONG
static void also(void)
{
	extra++;
}
#else
static void also(void)
{
}
#endif

#if defined(MUTEX) || defined(TRY)
static GMutex mutex;

static void use(int number)
{
	(void)number;
#ifdef TRY
	while (!g_mutex_trylock(&mutex))
		g_thread_yield();
#else
	g_mutex_lock(&mutex);
#endif
	shared++;
	g_mutex_unlock(&mutex);
}
#elif defined(COND) || defined(UNTIL)
static GMutex mutex;
static GCond cond;
static gboolean ready;

static void use(int number)
{
	if (number == 0) {
		shared = 1;
		g_mutex_lock(&mutex);
		ready = TRUE;
		g_cond_broadcast(&cond);
		g_mutex_unlock(&mutex);
		return;
	}
	g_mutex_lock(&mutex);
	while (!ready)
#ifdef UNTIL
		g_cond_wait_until(&cond, &mutex, g_get_monotonic_time() + 100 * G_TIME_SPAN_SECOND);
#else
		g_cond_wait(&cond, &mutex);
#endif
	g_mutex_unlock(&mutex);
	shared++;
}
#elif defined(READERS)
static GRWLock lock;

static void use(int number)
{
	if (number == 0) {
		g_rw_lock_writer_lock(&lock);
		shared++;
		g_rw_lock_writer_unlock(&lock);
		return;
	}
	g_rw_lock_reader_lock(&lock);
	made += shared;
	g_rw_lock_reader_unlock(&lock);
}
#elif defined(RECURSIVE)
static GRecMutex mutex;

static void use(int number)
{
	g_rec_mutex_lock(&mutex);
	g_rec_mutex_lock(&mutex);
	shared += number;
	g_rec_mutex_unlock(&mutex);
	shared++;
	g_rec_mutex_unlock(&mutex);
}
#elif defined(ONCE)
static gpointer make(gpointer argument)
{
	made++;
	value = 7;
	return argument;
}

static GOnce once = G_ONCE_INIT;
static int sums[2];

static void use(int number)
{
	int *got = g_once(&once, make, &value);
	sums[number] = *got;
}
#elif defined(INIT)
static int sums[2];

static void use(int number)
{
	static gsize initialised;
	if (g_once_init_enter(&initialised)) {
		made++;
		value = 7;
		g_once_init_leave(&initialised, 1);
	}
	sums[number] = value;
}
#elif defined(PRIVATE)
static GPrivate own = G_PRIVATE_INIT(NULL);
static int sums[2];

static void use(int number)
{
	g_private_set(&own, &sums[number]);
	int *mine = g_private_get(&own);
	*mine = number;
}
#else
static GAsyncQueue *queue;
static int boxes[3];

static void use(int number)
{
	for (int i = 0; i < 3; i++)
		if (number == 0) {
			boxes[i] = i + 1;
			g_async_queue_push(queue, &boxes[i]);
		} else {
			int *box = g_async_queue_pop(queue);
			*box += 1;
		}
#ifdef QUEUE_LOCK
	g_async_queue_lock(queue);
	shared += g_async_queue_length_unlocked(queue);
	g_async_queue_unlock(queue);
#endif
}
#endif

static gpointer work(gpointer number)
{
	use(GPOINTER_TO_INT(number));
	also();
	/* None ends before the other has done its work, and leaves it memory that was freed. */
	g_atomic_int_inc(&ended);
	while (g_atomic_int_get(&ended) < 2)
		g_thread_yield();
	return NULL;
}

int main(void)
{
#if defined(QUEUE) || defined(QUEUE_LOCK)
	queue = g_async_queue_new();
#endif
	GThread *threads[2];
	for (int i = 0; i < 2; i++)
		threads[i] = g_thread_new("work", work, GINT_TO_POINTER(i));
	for (int i = 0; i < 2; i++)
		g_thread_join(threads[i]);
	return shared + made + extra + value < 0;
}
