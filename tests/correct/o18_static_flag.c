/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the flag is the first thread's; the loop may end early */
#include "correct.h"
static int found, other, v[30];
__attribute__((noinline)) static void scan(int key)
{
	for (int i = 0; i < 30; i++) {
		if (v[i] == key) {
			found = i;
			return;
		}
		if (v[i] > 1000)
			other = i;
	}
}
T(w)
{
	scan(7);
	return a;
}
T(u)
{
	for (int i = 0; i < 10; i++)
		other += i;
	return a;
}
int main(void)
{
	pthread_t x, y;
	v[12] = 7;
	GO(x, w, 0);
	GO(y, u, 0);
	WAIT(x);
	WAIT(y);
	printf("%d %d\n", found, other);
	return 0;
}
