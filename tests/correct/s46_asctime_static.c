/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: results in memory of the library are used under a lock */
#include "correct.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int bad;
T(w)
{
	for (int i = 0; i < 3; i++) {
		time_t t = (time_t)(intptr_t)a * 86400;
		L(m);
		struct tm *b = gmtime(&t);
		int day = b->tm_mday;
		char *s = asctime(b);
		if (day != (int)(intptr_t)a + 1 || strlen(s) != 25)
			bad = 1;
		s[0] = 'x';
		U(m);
	}
	return 0;
}
int main(void)
{
	pthread_t x, y;
	GO(x, w, 3);
	GO(y, w, 8);
	WAIT(x);
	WAIT(y);
	printf("%d\n", bad);
	return bad;
}
