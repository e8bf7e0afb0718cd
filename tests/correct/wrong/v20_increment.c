/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^assertion get\(\) == 5 \* N predicted
 * silent: -DFIXED settle.o
 * unjudged: -DFIXED
 */
/* Wrong: an increment of two regions (in the manner of memcached) */
#include "alone.h"
#define N 4
static struct item {
	long v;
} it = {0};
MUTEX(cl);
static long get(void)
{
	L(cl);
	long v = it.v;
	U(cl);
	return v;
}
static void set(long v)
{
	L(cl);
	it.v = v;
	U(cl);
}
T(w)
{
	for (int i = 0; i < 5; i++) {
#ifdef FIXED
		L(cl);
		it.v++;
		U(cl);
#else
		long v = get();
		set(v + 1);
#endif
	}
	return 0;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) {
		GO(t[i], w, 0);
		settle();
	}
	for (int i = 0; i < N; i++)
		WAIT(t[i]);
	assert(get() == 5 * N);
	return 0;
}
