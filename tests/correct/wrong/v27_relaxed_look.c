/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race cfg.a observed
 * finding: ^race cfg.b observed
 * silent: -DFIXED settle.o
 */
/* Wrong: the look without the lock is relaxed */
#include "alone.h"
struct cfg {
	int a, b;
};
static _Atomic(struct cfg *) inst;
MUTEX(m);
static struct cfg *get(void)
{
	struct cfg *p = atomic_load_explicit(&inst, WRONG(memory_order_relaxed) RIGHT(memory_order_acquire));
	if (!p) {
		L(m);
		p = atomic_load_explicit(&inst, memory_order_relaxed);
		if (!p) {
			p = malloc(sizeof *p);
			p->a = 1;
			p->b = 2;
			atomic_store_explicit(&inst, p, memory_order_release);
		}
		U(m);
	}
	return p;
}
T(w)
{
	return (void *)(intptr_t)(get()->a + get()->b);
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) {
		GO(t[i], w, 0);
		settle();
	}
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	return 0;
}
