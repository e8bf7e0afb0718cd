/* norn-test
 * silent:
 * unjudged:
 */
/* Double-checked initialisation by C11 atomics, by __atomic builtins, by a fence, by a once flag that a thread-local caches, and by a compare and swap whose loser frees its own. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct service {
	int port;
	char *host;
};
static struct service *make(int port)
{
	struct service *s = malloc(sizeof *s);
	s->port = port;
	s->host = malloc(10);
	snprintf(s->host, 10, "h%d", port);
	return s;
}
static void drop(struct service *s)
{
	free(s->host);
	free(s);
}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct service *) a;
static struct service *b, *c, *d;
static atomic_int c_ready;
static _Thread_local struct service *cached;
static _Atomic(struct service *) e;
static struct service *get_a(void)
{
	struct service *s = atomic_load_explicit(&a, memory_order_acquire);
	if (!s) {
		pthread_mutex_lock(&lock);
		s = atomic_load_explicit(&a, memory_order_relaxed);
		if (!s)
			atomic_store_explicit(&a, s = make(1), memory_order_release);
		pthread_mutex_unlock(&lock);
	}
	return s;
}
static struct service *get_b(void)
{
	struct service *s = __atomic_load_n(&b, __ATOMIC_ACQUIRE);
	if (s)
		return s;
	pthread_mutex_lock(&lock);
	if (!b)
		__atomic_store_n(&b, make(2), __ATOMIC_RELEASE);
	s = b;
	pthread_mutex_unlock(&lock);
	return s;
}
static struct service *get_c(void)
{
	if (!atomic_load_explicit(&c_ready, memory_order_relaxed)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&c_ready, memory_order_relaxed)) {
			c = make(3);
			atomic_thread_fence(memory_order_release);
			atomic_store_explicit(&c_ready, 1, memory_order_relaxed);
		}
		pthread_mutex_unlock(&lock);
	}
	atomic_thread_fence(memory_order_acquire);
	return c;
}
static struct service *get_d(void)
{
	if (!cached) {
		pthread_mutex_lock(&lock);
		if (!d)
			d = make(4);
		cached = d;
		pthread_mutex_unlock(&lock);
	}
	return cached;
}
static struct service *get_e(void)
{
	struct service *s = atomic_load_explicit(&e, memory_order_acquire), *mine;
	if (s)
		return s;
	mine = make(5);
	if (atomic_compare_exchange_strong_explicit(&e, &s, mine, memory_order_acq_rel, memory_order_acquire))
		return mine;
	drop(mine);
	return s;
}
static void *run(void *arg)
{
	struct service *(*const get[])(void) = {get_a, get_b, get_c, get_d, get_e};
	for (int r = 0; r < 2; r++)
		for (int i = 0; i < 5; i++) {
			struct service *s = get[(i + (int)(size_t)arg) % 5]();
			assert(s->port == 1 + (i + (int)(size_t)arg) % 5 && atoi(s->host + 1) == s->port);
		}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	drop(a);
	drop(b);
	drop(c);
	drop(d);
	drop(e);
	puts("made");
	return 0;
}
