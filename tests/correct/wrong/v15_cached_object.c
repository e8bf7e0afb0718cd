/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free obj.refs predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a count is decreased, and looked at again by itself (in the manner of Apache's bug 21287) */
#include "alone.h"
struct obj {
	atomic_int refs;
	atomic_int cleanup;
	char *data;
};
static struct obj *o;
static void decrement(struct obj *x)
{
#ifdef FIXED
	if (atomic_fetch_sub(&x->refs, 1) == 1) {
		free(x->data);
		free(x);
	}
#else
	atomic_fetch_sub(&x->refs, 1);
	if (atomic_load(&x->refs) == 0) {
		free(x->data);
		free(x);
	}
#endif
}
T(th)
{
	decrement(o);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	o = calloc(1, sizeof *o);
	o->refs = 2;
	o->data = malloc(10);
	GO(t, th, 0);
	settle();
	GO(u, th, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
