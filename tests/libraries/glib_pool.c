/* norn-test
 * unjudged:
 * silent: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DEXCLUSIVE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DONE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DNESTED -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 */
/* GLib's thread pool: jobs have data of their own, a total under a GMutex, and hand over from the main thread to it and back. With
 * one thread at most they need no lock. */
#include <glib.h>

#define JOBS 8

static int input[JOBS], output[JOBS], total, alone;
static GMutex lock;
static GThreadPool *second;
#ifdef ONE
#define THREADS 1
#else
#define THREADS 3
#endif

static void add(gpointer data, gpointer user)
{
	int *to = data;
	*to += *(int *)user;
}

static void work(gpointer data, gpointer user)
{
	int i = GPOINTER_TO_INT(data) - 1;
	output[i] = input[i] + *(int *)user;
	g_mutex_lock(&lock);
	total += output[i];
	g_mutex_unlock(&lock);
#ifdef ONE
	alone++;
#endif
#ifdef NESTED
	g_thread_pool_push(second, &output[i], NULL);
#endif
}

int main(void)
{
	int step = 5;
#ifdef EXCLUSIVE
	gboolean exclusive = TRUE;
#else
	gboolean exclusive = FALSE;
#endif
	for (int round = 0; round < 2; round++) {
		second = g_thread_pool_new(add, &step, 2, FALSE, NULL);
		GThreadPool *pool = g_thread_pool_new(work, &step, THREADS, exclusive, NULL);
		for (int i = 0; i < JOBS; i++) {
			input[i] = i;
			g_thread_pool_push(pool, GINT_TO_POINTER(i + 1), NULL);
		}
		g_thread_pool_free(pool, FALSE, TRUE);
		g_thread_pool_free(second, FALSE, TRUE);
		step = total + alone;
	}
	for (int i = 0; i < JOBS; i++)
		total += output[i];
	return total == 0;
}
