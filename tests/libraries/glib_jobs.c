/* norn-test
 * errors: yes
 * unjudged:
 * cc: -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * cc: -DKINDS -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * finding: race counter (suspected|predicted|observed) at .*
 * silent: -DLOCKED -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DONE -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DOWN -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 * silent: -DHEAP -I/usr/include/glib-2.0 -I/usr/lib/x86_64-linux-gnu/glib-2.0/include -lglib-2.0
 */
/* A counter in short jobs of GLib's thread pool: mostly one thread runs them all, one after the other. Two might. */
#include <glib.h>
#include <stdlib.h>

static GMutex lock;
static int counter;
static __thread int mine;

static int sum(const int *numbers, int count)
{
	int all = 0;
	for (int i = 0; i < count; i++)
		all += numbers[i];
	return all;
}

static void count(void)
{
#if defined(LOCKED)
	g_mutex_lock(&lock);
	counter++;
	g_mutex_unlock(&lock);
#elif defined(OWN)
	int numbers[16] = {1, 2, 3};
	numbers[sum(numbers, 3) % 16] = mine++;
	if (sum(numbers, 16) < 0)
		abort();
#elif defined(HEAP)
	int *numbers = malloc(16 * sizeof *numbers);
	numbers[0] = 3;
	if (sum(numbers, 1) != 3)
		abort();
	free(numbers);
#else
	counter++;
#endif
}

static void one(void)
{
	count();
}

static void two(void)
{
	count();
}

static void work(gpointer data, gpointer user)
{
	(void)user;
#ifdef KINDS
	if (GPOINTER_TO_INT(data) % 2)
		one();
	else
		two();
#else
	(void)data;
	count();
#endif
}

int main(void)
{
#ifdef ONE
	GThreadPool *pool = g_thread_pool_new(work, NULL, 1, FALSE, NULL);
#else
	GThreadPool *pool = g_thread_pool_new(work, NULL, 2, FALSE, NULL);
#endif
	for (int i = 1; i <= 6; i++)
		g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
	g_thread_pool_free(pool, FALSE, TRUE);
	(void)one, (void)two, (void)lock, (void)mine;
	return 0;
}
