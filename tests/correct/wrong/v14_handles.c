/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free h.refs predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a handle's reference is taken after the table's lock was given up */
#include "alone.h"
#define N 8
struct h {
	atomic_int refs;
	int val;
};
static struct h *tab[N];
MUTEX(tl);
static void drop(struct h *h)
{
	if (atomic_fetch_sub(&h->refs, 1) == 1)
		free(h);
}
static struct h *look(int i)
{
	L(tl);
	struct h *h = tab[i];
#ifdef FIXED
	if (h)
		atomic_fetch_add(&h->refs, 1);
#endif
	U(tl);
#ifndef FIXED
	if (h)
		atomic_fetch_add(&h->refs, 1);
#endif
	return h;
}
T(user)
{
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < N; i++) {
			struct h *h = look(i);
			if (h) {
				h->val++ WRONG(+0);
				drop(h);
			}
		}
	return 0;
}
T(closer)
{
	for (int i = 0; i < N; i++) {
		L(tl);
		struct h *h = tab[i];
		tab[i] = 0;
		U(tl);
		if (h)
			drop(h);
	}
	return 0;
}
int main(void)
{
	pthread_t t, u;
	for (int i = 0; i < N; i++) {
		tab[i] = calloc(1, sizeof(struct h));
		tab[i]->refs = 1;
	}
	GO(t, user, 0);
	settle();
	GO(u, closer, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
