/* norn-test
 * silent:
 * unjudged:
 */
/* Reference counts by C11, __sync and __atomic builtins, each with assert(count > 0), the last one frees; a parent holds a count of its child. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct obj {
	atomic_int c11;
	int sync;
	int builtin;
	struct obj *child;
	int payload;
};
static int live;
static struct obj *make(struct obj *child)
{
	struct obj *o = calloc(1, sizeof *o);
	atomic_init(&o->c11, 1);
	o->sync = o->builtin = 1;
	o->child = child;
	o->payload = child ? child->payload + 1 : 0;
	__atomic_fetch_add(&live, 1, __ATOMIC_RELAXED);
	return o;
}
static void put_c11(struct obj *o);
static void destroy(struct obj *o)
{
	if (o->child)
		put_c11(o->child);
	o->payload = -1;
	free(o);
	__atomic_fetch_sub(&live, 1, __ATOMIC_RELAXED);
}
static void get_c11(struct obj *o)
{
	int n = atomic_fetch_add_explicit(&o->c11, 1, memory_order_relaxed);
	assert(n > 0);
}
static void put_c11(struct obj *o)
{
	int n = atomic_fetch_sub_explicit(&o->c11, 1, memory_order_release);
	assert(n > 0);
	if (n == 1) {
		atomic_thread_fence(memory_order_acquire);
		destroy(o);
	}
}
static void get_sync(struct obj *o)
{
	int n = __sync_fetch_and_add(&o->sync, 1);
	assert(n > 0);
}
static void put_sync(struct obj *o)
{
	int n = __sync_sub_and_fetch(&o->sync, 1);
	assert(n >= 0);
	if (n == 0)
		put_c11(o);
}
static void get_builtin(struct obj *o)
{
	int n = __atomic_add_fetch(&o->builtin, 1, __ATOMIC_RELAXED);
	assert(n > 1);
}
static void put_builtin(struct obj *o)
{
	if (__atomic_fetch_sub(&o->builtin, 1, __ATOMIC_ACQ_REL) == 1)
		put_sync(o);
}
static void *user(void *arg)
{
	struct obj *o = arg;
	for (int i = 0; i < 3; i++) {
		get_builtin(o);
		assert(o->payload == 2);
		put_builtin(o);
		get_sync(o);
		assert(o->child->payload == 1);
		put_sync(o);
		struct obj *c = o->child;
		get_c11(c);
		assert(c->child->payload == 0);
		put_c11(c);
	}
	put_builtin(o);
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	struct obj *o = make(make(make(NULL)));
	for (int i = 0; i < 3; i++) {
		get_builtin(o);
		pthread_create(&t[i], NULL, user, o);
	}
	put_builtin(o);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(live == 0);
	puts("freed");
	return 0;
}
