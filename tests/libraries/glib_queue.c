/* norn-test
 * unjudged:
 * silent: -DQUEUE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DCOND -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DTASK -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lgio-2.0 -lgobject-2.0 -lglib-2.0
 * silent: -DIDLE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 */
/* Other ways of GLib's: a queue between threads, a condition, a task that runs in a thread and comes back to the main loop, a
 * function that another thread has the main loop call. */
#include <glib.h>
#ifdef TASK
#include <gio/gio.h>
#endif

static int boxes[6], sum, wanted;
static GMutex lock;
static GCond cond;
static GAsyncQueue *queue;
static GMainLoop *loop;

#if defined(QUEUE)
static gpointer work(gpointer data)
{
	(void)data;
	for (int i = 0; i < 3; i++) {
		int *box = g_async_queue_pop(queue);
		sum += *box;
	}
	return NULL;
}
#elif defined(COND)
static gpointer work(gpointer data)
{
	(void)data;
	g_mutex_lock(&lock);
	while (!wanted)
		g_cond_wait(&cond, &lock);
	g_mutex_unlock(&lock);
	sum += boxes[0];
	return NULL;
}
#elif defined(TASK)
static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
	(void)source, (void)cancellable;
	int *box = data;
	*box += 1;
	g_task_return_int(task, *box);
}

static void done(GObject *source, GAsyncResult *result, gpointer data)
{
	(void)source, (void)data;
	sum += (int)g_task_propagate_int(G_TASK(result), NULL);
	if (++wanted == 3)
		g_main_loop_quit(loop);
}
#else
static gboolean told(gpointer data)
{
	sum += *(int *)data;
	if (++wanted == 3)
		g_main_loop_quit(loop);
	return G_SOURCE_REMOVE;
}

static gpointer work(gpointer data)
{
	for (int i = 0; i < 3; i++) {
		boxes[i] = i + 1;
		g_idle_add(told, &boxes[i]);
	}
	return data;
}
#endif

int main(void)
{
	queue = g_async_queue_new();
	loop = g_main_loop_new(NULL, FALSE);
#ifdef TASK
	for (int i = 0; i < 3; i++) {
		boxes[i] = i;
		GTask *task = g_task_new(NULL, NULL, done, NULL);
		g_task_set_task_data(task, &boxes[i], NULL);
		g_task_run_in_thread(task, work);
		g_object_unref(task);
	}
	g_main_loop_run(loop);
#else
	GThread *thread = g_thread_new("work", work, NULL);
#ifdef IDLE
	g_main_loop_run(loop);
#endif
	for (int i = 0; i < 3; i++) {
#ifdef QUEUE
		boxes[i] = i + 1;
		g_async_queue_push(queue, &boxes[i]);
#endif
	}
#ifdef COND
	boxes[0] = 7;
	g_mutex_lock(&lock);
	wanted = 1;
	g_cond_signal(&cond);
	g_mutex_unlock(&lock);
#endif
	g_thread_join(thread);
#endif
	return sum == 0;
}
