/* norn-test
 * errors: yes
 * cc: -O1
 * finding: ^use-after-free o\.v\[0\]
 */
/* Wrong: the value is looked at after the reference is given up */
#include "../correct.h"
static struct o {
	int refs, v[2];
} *o;
T(w)
{
	unsigned char z;
	J();
	o->v[(intptr_t)a] = 1;
	__asm__ volatile("lock decl %1\n\tsetz %0" : "=q"(z), "+m"(o->refs)::"memory", "cc");
	if (!z && o->v[0] > 5)
		abort();
	if (z) {
		printf("%d\n", o->v[0] + o->v[1]);
		free(o);
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	o = calloc(1, sizeof *o);
	o->refs = 2;
	GO(x, w, 0);
	GO(y, w, 1);
	WAIT(x);
	WAIT(y);
	return 0;
}
