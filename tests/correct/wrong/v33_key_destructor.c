/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free ctx.alive predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a key's destructor uses what main frees */
#include "alone.h"
struct ctx {
	int alive;
	pthread_mutex_t m;
};
static struct ctx *g;
static pthread_key_t k;
static sem_t done;
static void dtor(void *p)
{
	struct ctx *c = p;
	L(c->m);
	c->alive--;
	U(c->m);
}
T(w)
{
	pthread_setspecific(k, g);
	L(g->m);
	g->alive++;
	U(g->m);
	sem_post(&done);
	return 0;
}
int main(void)
{
	pthread_t t;
	sem_init(&done, 0, 0);
	g = calloc(1, sizeof *g);
	pthread_mutex_init(&g->m, 0);
	pthread_key_create(&k, dtor);
	GO(t, w, 0);
	sem_wait(&done);
	settle();
#ifdef FIXED
	WAIT(t);
#endif

	free(g);
#ifndef FIXED
	WAIT(t);
#endif
	return 0;
}
