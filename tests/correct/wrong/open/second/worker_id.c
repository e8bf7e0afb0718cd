/* workers with an id argument (also a context struct: wrong/p_pool3.c, __thread: wrong/p_pool7.c): one does all jobs, the racy total is never between two jobs (R23 needs equal arguments)
   Failing order: worker 2 takes one of the jobs
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
MX(m);
static int q[8] = {1, 2, 3, 4}, n = 4;
static int total;
static int per[2];
void *worker(void *p)
{
	long id = (long)p;
	for (;;) {
		LK(m);
		if (!n) {
			UL(m);
			return 0;
		}
		int j = q[--n];
		UL(m);
		per[id]++;
		total += j;
		B(500);
	}
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++) {
		pthread_create(&t[i], 0, worker, (void *)i);
		G(3000);
	}
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return total == 77;
}
