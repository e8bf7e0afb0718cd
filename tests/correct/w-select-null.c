/* norn-test
 * silent:
 * unjudged:
 */
/* A pointer is read before it is known to be set, and chosen by arithmetic and conditional moves, not by branches, by a flag that was read first. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
struct item {
	int value;
};
static struct item fallback = {-1}, real = {41};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static struct item *ptr;
static int aready;
static struct item *aptr;
#define LOCKED(e)                                                                                                                  \
	({                                                                                                                         \
		pthread_mutex_lock(&lock);                                                                                         \
		__typeof__(e) v_ = (e);                                                                                            \
		pthread_mutex_unlock(&lock);                                                                                       \
		v_;                                                                                                                \
	})
static int by_select(void)
{
	int r = LOCKED(ready);
	struct item *p = LOCKED(ptr);
	struct item *q = r ? p : &fallback;
	return q->value;
}
static int by_mask(void)
{
	uintptr_t r = (uintptr_t)LOCKED(ready);
	uintptr_t p = (uintptr_t)LOCKED(ptr);
	return ((struct item *)((p & -r) | ((uintptr_t)&fallback & (r - 1))))->value;
}
static int by_table(void)
{
	int r = LOCKED(ready);
	struct item *t[2] = {&fallback, LOCKED(ptr)};
	return t[r]->value;
}
static int by_or(void)
{
	struct item *p = LOCKED(ptr);
	return ((struct item *)((uintptr_t)p | ((uintptr_t)&fallback & -(uintptr_t)!p)))->value;
}
static int by_asm(void)
{
	struct item *p = LOCKED(ptr), *f = &fallback;
	__asm__("test %0, %0\n\tcmovz %1, %0" : "+r"(p) : "r"(f) : "cc");
	return p->value;
}
static int by_switch(void)
{
	switch (LOCKED(ready)) {
	case 1:
		return LOCKED(ptr)->value;
	default:
		return -1;
	}
}
static int by_loop(void)
{
	int n = LOCKED(ready), v = -1;
	for (int i = 0; i < n; i++)
		v = LOCKED(ptr)->value;
	return v;
}
static int by_atomic(void)
{
	int r = __atomic_load_n(&aready, __ATOMIC_ACQUIRE);
	return r == 0 ? -1 : aptr->value;
}
static int by_compare(void)
{
	int r = LOCKED(ready);
	struct item *p = LOCKED(ptr);
	assert((r == 0) | (p != NULL));
	assert(r <= (p != NULL));
	return r ? p->value : -1;
}
static int by_div(void)
{
	int r = LOCKED(ready);
	return 10 / (r + 1) == 10 ? -1 : LOCKED(ptr)->value;
}
static int by_call(int (*const f[2])(struct item *))
{
	int r = LOCKED(ready);
	return f[r](LOCKED(ptr));
}
static int nothing(struct item *p)
{
	(void)p;
	return -1;
}
static int value(struct item *p)
{
	return p->value;
}
static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
	ptr = &real;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	ready = 1;
	pthread_mutex_unlock(&lock);
	aptr = &real;
	__atomic_store_n(&aready, 1, __ATOMIC_RELEASE);
	return arg;
}
static void *user(void *arg)
{
	static int (*const table[2])(struct item *) = {nothing, value};
	int (*const f[])(void) = {by_select, by_mask, by_table, by_or, by_asm, by_switch, by_loop, by_atomic, by_compare, by_div};
	for (unsigned i = 0; i < sizeof f / sizeof *f; i++) {
		int v = f[i]();
		assert(v == -1 || v == 41);
	}
	int v = by_call(table);
	assert(v == -1 || v == 41);
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i == 0 ? setter : user, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	puts("ok");
	return 0;
}
