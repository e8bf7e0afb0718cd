/* no id; the second worker is created after the first has done all jobs and ended (nothing makes main wait): 8 of 9 recordings "complete"
   Failing order: worker 2 is created first, takes a job
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
MX(m);
static int q[8] = {1, 2, 3, 4}, n = 4;
static int total;
void *worker(void *p)
{
	for (;;) {
		LK(m);
		if (!n) {
			UL(m);
			return 0;
		}
		int j = q[--n];
		UL(m);
		total += j;
		B(500);
	}
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++) {
		pthread_create(&t[i], 0, worker, 0);
		G(3000);
	}
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return total == 77;
}
