/* norn-test
 * silent:
 * unjudged:
 */
/* Threads put addresses of their locals and of their thread-local variables into a list that others walk under its lock; they are taken off by cleanup handlers, by a key's destructor, or before a longjmp, while the thread ends in many ways. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct link {
	struct link *next, *before;
	int value, copy;
};
static struct link list = {&list, &list, 0, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int walked, added;
static _Thread_local struct link mine;
static void add(struct link *l, int v)
{
	l->value = v;
	l->copy = ~v;
	pthread_mutex_lock(&lock);
	l->next = list.next;
	l->before = &list;
	list.next->before = l;
	list.next = l;
	added++;
	pthread_mutex_unlock(&lock);
}
static void take_off(void *p)
{
	struct link *l = p;
	pthread_mutex_lock(&lock);
	l->next->before = l->before;
	l->before->next = l->next;
	assert(l->copy == ~l->value);
	pthread_mutex_unlock(&lock);
	l->next = l->before = NULL;
}
static void walk(void)
{
	pthread_mutex_lock(&lock);
	for (struct link *l = list.next; l != &list; l = l->next) {
		assert(l->copy == ~l->value);
		l->value++;
		l->copy = ~l->value;
		walked++;
	}
	pthread_mutex_unlock(&lock);
}
static void leave(int how)
{
	struct link deep;
	add(&deep, 7);
	walk();
	pthread_cleanup_push(take_off, &deep);
	if (how == 0)
		pthread_exit(&list);
	if (how == 1) {
		pthread_cancel(pthread_self());
		for (;;)
			pause();
	}
	pthread_cleanup_pop(1);
}
static void jump(jmp_buf *env, int depth)
{
	struct link here;
	add(&here, depth);
	if (depth)
		jump(env, depth - 1);
	walk();
	take_off(&here);
	if (depth == 0) {
		walk();
		return;
	}
	if (depth == 2)
		longjmp(*env, 1);
}
static void *run(void *arg)
{
	jmp_buf env;
	struct link outer;
	int how = (int)(size_t)arg;
	add(&mine, 100);
	pthread_setspecific(key, &mine);
	if (!setjmp(env))
		jump(&env, 2);
	add(&outer, how);
	pthread_cleanup_push(take_off, &outer);
	walk();
	leave(how);
	walk();
	pthread_cleanup_pop(1);
	return &list;
}
int main(void)
{
	pthread_t t[4];
	pthread_key_create(&key, take_off);
	for (size_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, (void *)(i % 3));
	for (int i = 0; i < 6; i++) {
		walk();
		sched_yield();
	}
	for (int i = 0; i < 4; i++) {
		void *r;
		pthread_join(t[i], &r);
		assert(r == (i % 3 == 1 ? PTHREAD_CANCELED : &list));
	}
	assert(list.next == &list && added == 4 * 6);
	puts("left");
	return 0;
}
