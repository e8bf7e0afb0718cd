/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free .* predicted .*server
 * silent: -DFIXED settle.o
 */
/* Wrong: a condition is signalled after the unlock that lets its owner free it */
#include "alone.h"
struct req {
	pthread_mutex_t m;
	pthread_cond_t c;
	int done;
};
T(server)
{
	struct req *r = a;
	L(r->m);
	r->done = 1;
#ifdef FIXED
	pthread_cond_signal(&r->c);
#endif
	U(r->m);
#ifndef FIXED
	pthread_cond_signal(&r->c);
#endif
	return 0;
}
int main(void)
{
	pthread_t t;
	struct req *r = calloc(1, sizeof *r);
	pthread_mutex_init(&r->m, 0);
	pthread_cond_init(&r->c, 0);
	pthread_create(&t, 0, server, r);
	settle();
	L(r->m);
	while (!r->done)
		pthread_cond_wait(&r->c, &r->m);
	U(r->m);
	settle();
#ifdef FIXED
	WAIT(t);
#endif

	free(r);
#ifndef FIXED
	WAIT(t);
#endif
	return 0;
}
