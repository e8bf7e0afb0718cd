/* jobs by atomic_fetch_add(&next, 1), one worker does all (R23 knows locks and semaphores only)
   Failing order: worker 2 takes one of the jobs
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
#include <stdatomic.h>
static atomic_int next_;
static int total;
void *worker(void *p)
{
	for (;;) {
		int j = atomic_fetch_add(&next_, 1);
		if (j >= 4)
			return 0;
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
