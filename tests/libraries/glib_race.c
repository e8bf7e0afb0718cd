/* norn-test
 * errors: yes
 * unjudged:
 * cc: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * finding: race counter (predicted|observed) at .*work
 */
/* An unguarded counter in jobs of GLib's thread pool, which run at once in two threads: each waits until the other has begun, or
 * has ended. */
#include <glib.h>

static int counter;
static gint begun;

static void work(gpointer data, gpointer user)
{
	(void)data, (void)user;
	g_atomic_int_inc(&begun);
	while (g_atomic_int_get(&begun) < 2)
		g_thread_yield();
	counter++;
}

int main(void)
{
	GThreadPool *pool = g_thread_pool_new(work, NULL, 2, FALSE, NULL);
	g_thread_pool_push(pool, GINT_TO_POINTER(1), NULL);
	g_thread_pool_push(pool, GINT_TO_POINTER(2), NULL);
	g_thread_pool_free(pool, FALSE, TRUE);
	return counter == 0;
}
