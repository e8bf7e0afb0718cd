/* Double-checked initialisation: the first thread that needs the table fills it, the others find it filled.
 *
 * The mark that the table is ready is set too early: a thread that sees it may look into a table that is still being filled. Nearly always the
 * first thread is through before the second one looks. FIXED: the mark is set when the table is filled, and is an atomic variable, so
 * that who sees it sees the table. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline)) /* functions that the property names */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ready;
static int table[8];
static atomic_int sum;

KEEP static void table_fill(void)
{
	for (int i = 0; i < 8; i++)
		table[i] = i * i;
}

KEEP static int table_lookup(int i)
{
	return table[i];
}

static void table_init(void)
{
	if (atomic_load_explicit(&ready, memory_order_acquire))
		return;
	pthread_mutex_lock(&lock);
	if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
#ifdef FIXED
		table_fill();
		atomic_store_explicit(&ready, 1, memory_order_release);
#else
		atomic_store_explicit(&ready, 1, memory_order_release);
		table_fill();
#endif
	}
	pthread_mutex_unlock(&lock);
}

static void *user(void *argument)
{
	int *number = argument;
	usleep((unsigned)*number * 10 * 1000);
	table_init();
	sum += table_lookup(*number);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	int numbers[3] = {0, 1, 2};
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, user, &numbers[i]) != 0)
			return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("sum %d\n", sum);
	return 0;
}
