/* `take` gives a number that nobody else has until it is given back by `give`; the cell of that number is the thread's own meanwhile. */
#include "correct.h"
static int cell[1024];
static void init(void);
static int take(void);
static void give(int n);
T(worker)
{
	for (int k = 0; k < 4; k++) {
		int n = take();
		cell[n & 1023]++;
		J();
		cell[n & 1023]++;
		give(n);
	}
	return a;
}
int main(void)
{
	pthread_t x, y;
	int all = 0;
	init();
	GO(x, worker, 0);
	GO(y, worker, 1);
	WAIT(x);
	WAIT(y);
	for (int i = 0; i < 1024; i++)
		all += cell[i];
	printf("%d\n", all);
	return all != 16;
}
