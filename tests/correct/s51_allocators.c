/* norn-test
 * silent:
 */
/* Correct: memory of all functions that allocate is handed over under a lock, and freed by the other thread */
#include "correct.h"
#include <malloc.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static char *q[16];
static int n, done;
static void put(char *p)
{
	p[0] = 'x';
	L(m);
	q[n++] = p;
	pthread_cond_signal(&c);
	U(m);
}
T(giver)
{
	void *v;
	char *s;
	put(malloc(10));
	put(calloc(3, 5));
	put(realloc(malloc(4), 400));
	put(reallocarray(0, 3, 8));
	if (posix_memalign(&v, 64, 100))
		abort();
	put(v);
	put(aligned_alloc(32, 64));
	put(memalign(64, 64));
	put(valloc(100));
	put(strdup("abc"));
	put(strndup("abcdef", 3));
	if (asprintf(&s, "%d", 77) != 2)
		abort();
	put(s);
	L(m);
	done = 1;
	pthread_cond_signal(&c);
	U(m);
	return a;
}
T(taker)
{
	for (int i = 0;; i++) {
		L(m);
		while (i == n && !done)
			pthread_cond_wait(&c, &m);
		char *p = i < n ? q[i] : 0;
		U(m);
		if (!p)
			return a;
		p[0]++;
		free(p);
	}
}
int main(void)
{
	pthread_t x, y;
	GO(x, giver, 0);
	GO(y, taker, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", n);
	return n != 11;
}
