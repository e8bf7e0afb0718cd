/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^null-dereference v predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: a pointer is used that another thread sets */
#include "alone.h"
static char *v;
MUTEX(m);
T(t1)
{
	char *p = calloc(8, 1);
#ifdef FIXED
	strcpy(p, "Bigshot");
#endif
	v = p;
	return 0;
}
T(t2)
{
#ifdef FIXED
	while (!__atomic_load_n(&v, __ATOMIC_ACQUIRE))
		sched_yield();
#else
	if (1)
#endif

#ifdef FIXED
	if (0)
#endif
		strcpy(v, "Bigshot");
	return 0;
}
int main(void)
{
	pthread_t a, b;
	GO(a, t1, 0);
#ifdef FIXED
	WAIT(a);
#endif
	settle();
	GO(b, t2, 0);
#ifndef FIXED
	WAIT(a);
#endif
	WAIT(b);
	assert(v[0] == 'B');
	return 0;
}
