/* norn-test
 * silent: -DATOMIC
 * silent: -DLOCKED
 * silent: -DRELAXED
 */
/* The thread that drops the last reference frees the object. */
#include <stdatomic.h>

#include "crew.h"

struct object {
	int value;
	atomic_int count;
	int users;
	pthread_mutex_t lock;
};
static struct object *object;
static int results[4];

static void drop(struct object *o)
{
#ifdef LOCKED
	pthread_mutex_lock(&o->lock);
	int left = --o->users;
	pthread_mutex_unlock(&o->lock);
	if (left == 0) {
		pthread_mutex_destroy(&o->lock);
		free(o);
	}
#elif defined(RELAXED)
	if (atomic_fetch_sub_explicit(&o->count, 1, memory_order_release) == 1) {
		atomic_thread_fence(memory_order_acquire);
		free(o);
	}
#else
	if (atomic_fetch_sub(&o->count, 1) == 1)
		free(o);
#endif
}

static void *work(void *argument)
{
	results[number_of(argument)] = object->value;
	drop(object);
	return NULL;
}

int main(void)
{
	object = calloc(1, sizeof *object);
	object->value = 7;
	object->count = object->users = 4;
	pthread_mutex_init(&object->lock, NULL);
	crew(4, work);
	return results[0] == 7 && results[3] == 7 ? 0 : 1;
}
