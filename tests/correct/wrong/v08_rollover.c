/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free .* predicted .*release
 * silent: -DFIXED settle.o
 */
/* Wrong: the ring that is released is still in use (in the manner of CVE-2017-6346) */
#include "alone.h"
struct rollover {
	int n;
	char pad[40];
};
struct po {
	struct rollover *r;
	int running;
};
static struct po po = {0, 1};
MUTEX(fm);
T(add)
{
	struct rollover *r = malloc(sizeof *r);
	r->n = 0;
#ifdef FIXED
	L(fm);
#endif
	if (!po.running) {
#ifdef FIXED
		U(fm);
#endif
		free(r);
		return 0;
	}
#ifndef FIXED
	L(fm);
#endif
	if (!po.r) {
		po.r = r;
		r = 0;
	}
	U(fm);
	if (r)
		free(r);
	return 0;
}
T(use)
{
	for (int i = 0; i < 10; i++) {
#ifdef FIXED
		L(fm);
#endif
		struct rollover *r = po.r;
		if (r)
			r->n++;

#ifdef FIXED
		U(fm);
#endif
		usleep(100);
	}
	return 0;
}
T(release)
{
	L(fm);
	struct rollover *r = po.r;
	po.r = 0;
	po.running = 0;
	U(fm);
#ifdef FIXED
	L(fm);
	U(fm);
#endif

	if (r)
		free(r);
	return 0;
}
int main(void)
{
	pthread_t t, u, v;
	GO(t, add, 0);
	settle();
	GO(u, use, 0);
	settle();
	GO(v, release, 0);
	WAIT(t);
	WAIT(u);
	WAIT(v);
	return 0;
}
