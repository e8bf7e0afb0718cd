/* norn-test
 * silent: -DATOMIC
 * silent: -DLOCKED
 * silent: -DRACE_TO_INSTALL
 */
/* Initialised when it is first needed: double-checked with an atomic pointer, always under the lock, or by whoever installs it first. */
#include <stdatomic.h>

#include "crew.h"

struct table {
	int size, cells[3];
};
static struct table *_Atomic table;
static struct table *plain;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found[3];

static struct table *make(void)
{
	struct table *t = malloc(sizeof *t);
	t->size = 3;
	for (int i = 0; i < 3; i++)
		t->cells[i] = i * i;
	return t;
}

static struct table *get(void)
{
#if defined(ATOMIC)
	struct table *t = atomic_load_explicit(&table, memory_order_acquire);
	if (t)
		return t;
	pthread_mutex_lock(&lock);
	t = atomic_load_explicit(&table, memory_order_relaxed);
	if (!t) {
		t = make();
		atomic_store_explicit(&table, t, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return t;
#elif defined(LOCKED)
	pthread_mutex_lock(&lock);
	if (!plain)
		plain = make();
	struct table *t = plain;
	pthread_mutex_unlock(&lock);
	return t;
#else
	struct table *t = atomic_load(&table), *none = NULL;
	if (t)
		return t;
	t = make();
	if (atomic_compare_exchange_strong(&table, &none, t))
		return t;
	free(t);
	return none;
#endif
}

static void *work(void *argument)
{
	int me = number_of(argument);
	found[me] = get()->cells[me];
	return NULL;
}

int main(void)
{
	crew(3, work);
	free(plain ? plain : table);
	return found[0] + found[1] + found[2] == 5 ? 0 : 1;
}
