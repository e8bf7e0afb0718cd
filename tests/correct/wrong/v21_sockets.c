/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^deadlock .*socklock.* predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: closing and shutting down take two locks in two orders (in the manner of HawkNL) */
#include "alone.h"
#define S 4
MUTEX(socklock);
struct so {
	pthread_mutex_t m;
	int open;
};
static struct so so[S];
static int drv;
static void nl_close(int s)
{
#ifdef FIXED
	L(socklock);
#endif
	L(so[s].m);
	if (so[s].open) {
#ifndef FIXED
		L(socklock);
#endif
		so[s].open = 0;
		drv--;
#ifndef FIXED
		U(socklock);
#endif
	}
	U(so[s].m);
#ifdef FIXED
	U(socklock);
#endif
}
static void nl_shutdown(void)
{
	L(socklock);
	for (int i = 0; i < S; i++) {
		L(so[i].m);
		so[i].open = 0;
		U(so[i].m);
	}
	U(socklock);
}
T(closer)
{
	for (int i = 0; i < S; i++)
		nl_close(i);
	return 0;
}
T(shut)
{
	nl_shutdown();
	return 0;
}
int main(void)
{
	pthread_t t, u;
	for (int i = 0; i < S; i++) {
		pthread_mutex_init(&so[i].m, 0);
		so[i].open = 1;
	}
	GO(t, closer, 0);
	settle();
	GO(u, shut, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
