/* norn cc -g -O1 -pthread null_object_lock.c -o w && norn run ./w      (-O0, -O1; pointer in a static variable or in a
 * static struct's field)
 * reported: 0 findings; complete.
 * should be: null dereference of P: pthread_mutex_lock(&q->m) with q null (SIGSEGV at its offset). Of 18 ways to use the
 * pointer (field, write, far element, strlen, memcpy, snprintf, strcmp, call, chain, loop,
 * ?:, function pointer, struct copy, atomic add, by a getter, …) all are predicted at -O0 and -O1 but: this one, and an
 * element more than a page away (known, section 15; but complete).
 * Locking, waiting, posting an object in a null structure is how kernel-like code meets it first. */

#include "lucky.h"

struct o {
	int a, b;
	struct o *next;
	int (*f)(int);
	pthread_mutex_t m;
	atomic_int at;
	int arr[100];
	int big[4000];
};
MX(m);
static struct o *P;
static volatile int s;
static struct o obj;
__attribute__((noinline)) static int look(struct o *q)
{
	return q->b + q->a;
}
static struct o *geto(void)
{
	L(m);
	struct o *q = P;
	U(m);
	return q;
}
T(user)
{
	(void)look;
	(void)geto;
	L(m);
	struct o *q = P;
	U(m);
	pthread_mutex_lock(&q->m);
	pthread_mutex_unlock(&q->m);
	return 0;
}
T(clear)
{
	L(m);
	P = 0;
	U(m);
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_mutex_init(&obj.m, 0);
	obj.next = &obj;
	L(m);
	P = &obj;
	U(m);
	GO(a, user, 0);
	nap(12);
	GO(b, clear, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
