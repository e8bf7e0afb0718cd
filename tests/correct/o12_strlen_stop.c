/* norn-test
 * silent:
 * silent: -O3
 * silent: -Os
 * unjudged:
 */
/* Correct: the text ends before the bytes that the other thread writes */
#include "correct.h"
static char b[40] = "abc";
__attribute__((noinline)) static size_t len(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}
T(w)
{
	size_t n = 0;
	for (int i = 0; i < 5; i++)
		n += len(b) + strlen(b) + (strchr(b, 'c') != 0) + (size_t)(strcmp(b, "abd") != 0);
	return (void *)n;
}
T(u)
{
	for (int i = 4; i < 40; i++)
		b[i] = 'z';
	return a;
}
int main(void)
{
	pthread_t x, y;
	void *r;
	GO(x, w, 0);
	GO(y, u, 0);
	pthread_join(x, &r);
	WAIT(y);
	printf("%d %c\n", (int)(intptr_t)r, b[20]);
	return 0;
}
