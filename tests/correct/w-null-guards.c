/* norn-test
 * silent:
 */
/* Null checks in all the shapes that C knows; a slot is cleared and set again by another thread under the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {
	int value;
	struct node *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *slot, *list;
static int count;
static int with_not(void)
{
	pthread_mutex_lock(&lock);
	int r = !slot ? -1 : slot->value;
	pthread_mutex_unlock(&lock);
	return r;
}
static int with_and(void)
{
	pthread_mutex_lock(&lock);
	int r = slot && slot->value > 3;
	pthread_mutex_unlock(&lock);
	return r;
}
static int with_goto(void)
{
	int r = 0;
	pthread_mutex_lock(&lock);
	struct node *p = slot;
	if (p == NULL)
		goto out;
	r = p->value;
out:
	pthread_mutex_unlock(&lock);
	return r;
}
static int with_count(void)
{
	int r = 0;
	pthread_mutex_lock(&lock);
	if (count > 0) {
		r = list->value;
		assert(count > 1 ? list->next != NULL : list->next == NULL);
	} else
		assert(list == NULL);
	pthread_mutex_unlock(&lock);
	return r;
}
static int with_xor(void)
{
	pthread_mutex_lock(&lock);
	int r = 0;
	if ((size_t)slot ^ 0)
		r = slot->value;
	pthread_mutex_unlock(&lock);
	return r;
}
static int with_switch(void)
{
	int r;
	pthread_mutex_lock(&lock);
	switch (!!slot) {
	case 0:
		r = 0;
		break;
	default:
		r = slot->value;
	}
	pthread_mutex_unlock(&lock);
	return r;
}
static int with_loop(void)
{
	int n = 0;
	pthread_mutex_lock(&lock);
	for (struct node *p = list; p; p = p->next)
		n += p->value;
	pthread_mutex_unlock(&lock);
	return n;
}
static int with_memcmp(void)
{
	static const char zero[sizeof slot];
	int r = 0;
	pthread_mutex_lock(&lock);
	if (memcmp(&slot, zero, sizeof slot))
		r = slot->value;
	pthread_mutex_unlock(&lock);
	return r;
}
static void *changer(void *arg)
{
	for (int i = 0; i < 5; i++) {
		struct node *n = malloc(sizeof *n);
		n->value = i;
		pthread_mutex_lock(&lock);
		n->next = list;
		list = n;
		count++;
		slot = n;
		pthread_mutex_unlock(&lock);
		if (i % 2) {
			pthread_mutex_lock(&lock);
			slot = NULL;
			struct node *old = list;
			if (old) {
				list = old->next;
				count--;
			}
			pthread_mutex_unlock(&lock);
			free(old);
		}
	}
	return arg;
}
static void *user(void *arg)
{
	int s = 0;
	for (int i = 0; i < 3; i++)
		s += with_not() + with_and() + with_goto() + with_count() + with_xor() + with_switch() + with_loop() +
		     with_memcmp();
	*(int *)arg = s;
	return arg;
}
int main(void)
{
	int a, b;
	pthread_t t[3];
	pthread_create(&t[0], NULL, changer, NULL);
	pthread_create(&t[1], NULL, user, &a);
	pthread_create(&t[2], NULL, user, &b);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	assert(count == 3 && with_loop() == 0 + 2 + 4);
	slot = NULL;
	while (list) {
		struct node *n = list->next;
		free(list);
		list = n;
	}
	puts("ok");
	return 0;
}
