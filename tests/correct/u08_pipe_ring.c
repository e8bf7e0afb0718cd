/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a token goes round three threads by pipes; who has it counts */
#include "correct.h"
static int ring[3][2], d;
T(worker)
{
	int i = (int)(intptr_t)a;
	unsigned char c;
	while (read(ring[i][0], &c, 1) == 1 && c) {
		d += i + 1;
		c--;
		write(ring[(i + 1) % 3][1], &c, 1);
	}
	c = 0;
	write(ring[(i + 1) % 3][1], &c, 1);
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		if (pipe(ring[i]))
			return 2;
	for (int i = 0; i < 3; i++)
		GO(t[i], worker, i);
	write(ring[0][1], "\x9", 1);
	for (int i = 0; i < 3; i++)
		WAIT(t[i]);
	printf("%d\n", d);
	return d != 18;
}
