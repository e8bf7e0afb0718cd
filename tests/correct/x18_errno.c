/* norn-test
 * silent: -DLOGGED -lm
 * silent: -DPARSED -lm
 * silent: -DCALLED -lm
 * silent: -DPRINTED -lm
 */
/* errno, which the function has set to 0 before, tells what the thread has read under the lock: by an argument of a function of numbers (LOGGED), by the
 * text that is parsed (PARSED), in a function that is called (CALLED), by a width that printf refuses (PRINTED). y is another thread's until then. */
#include "correct.h"
#include <math.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = 1, y;
static const char *const texts[] = {"99999999999999999999999", "1"};
static volatile double result;
T(first)
{
	y = 1;
	L(m);
#ifdef PARSED
	x = 0;
#else
	x = -1;
#endif
	U(m);
	return a;
}
#ifdef CALLED
__attribute__((noinline)) static void logs(int v)
{
	result = log(v);
}
#endif
T(second)
{
	L(m);
	int r = x;
	U(m);
	errno = 0;
#ifdef LOGGED
	result = log(r);
#elif defined(PARSED)
	result = (double)strtol(texts[r], NULL, 10);
#elif defined(CALLED)
	logs(r);
#else
	char text[8];
	snprintf(text, r < 0 ? (size_t)INT32_MAX + 2 : sizeof text, "%d", r);
	if (r < 0)
		errno = EOVERFLOW;
#endif
	if (errno)
		y = 2;
	return a;
}
int main(void)
{
	pthread_t t, u;
	GO(t, first, 0);
	J();
	GO(u, second, 0);
	WAIT(t);
	WAIT(u);
	return 0;
}
