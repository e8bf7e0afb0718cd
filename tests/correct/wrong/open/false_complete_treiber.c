/* See false_complete_queue_front.txt */

#include "lucky.h"

struct n {
	struct n *next;
	int v;
};
static _Atomic(struct n *) top;
MX(m);
static void push(struct n *x)
{
	struct n *o = atomic_load(&top);
	do
		x->next = o;
	while (!atomic_compare_exchange_weak(&top, &o, x));
}
static struct n *pop(void)
{
	F(L(m);) struct n *o = atomic_load(&top);
	while (o && !atomic_compare_exchange_weak(&top, &o, o->next))
		;
	F(U(m);) return o;
} //@
T(w)
{
	for (int i = 0; i < 4; i++) {
		struct n *x = pop();
		if (x) {
			x->v++;
			free(x);
		}
	}
	return 0;
} //@
int main(void)
{
	pthread_t a, b;
	for (int i = 0; i < 8; i++) {
		struct n *x = malloc(sizeof *x);
		x->v = i;
		push(x);
	}
	GO(a, w, 0);
	nap(20);
	GO(b, w, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
