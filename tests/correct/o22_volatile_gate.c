/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O1 to -O3, -Os: race data predicted at line 0.
 * Correct: the word behind the flag is read only in the thread that owns it */
#include "correct.h"
static volatile int own[2] = {0, 1};
static int data;
T(w)
{
	int i = (int)(intptr_t)a, r = 0;
	for (int k = 0; k < 20; k++)
		if (own[i])
			r += data++;
		else
			r++;
	return (void *)(intptr_t)r;
}
int main(void)
{
	pthread_t x, y;
	void *r, *s;
	GO(x, w, 0);
	GO(y, w, 1);
	pthread_join(x, &r);
	pthread_join(y, &s);
	printf("%d %d\n", (int)(intptr_t)r, (int)(intptr_t)s);
	return 0;
}
