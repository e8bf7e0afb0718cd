/* A pipe that holds one byte as a lock. 0 findings; complete; -O1, every recording.
 * Should be: race on x. */

#include "lucky.h"

static int p[2];
static char ch;
static int x, y;
T(w1)
{
	x = 1;
	{
		if (read(p[0], &(char){0}, 1) != 1)
			abort();
		y++;
		if (write(p[1], "x", 1) != 1)
			abort();
	}
	return 0;
}
T(w2)
{
	{
		if (read(p[0], &(char){0}, 1) != 1)
			abort();
		y++;
		if (write(p[1], "x", 1) != 1)
			abort();
	}
	x = 2;
	return 0;
}
int main(void)
{
	pthread_t a, b;
	if (pipe(p) || write(p[1], "x", 1) != 1)
		return 2;
	GO(a, w1, 0);
	nap(12);
	GO(b, w2, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
