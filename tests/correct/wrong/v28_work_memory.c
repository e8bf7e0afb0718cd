/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: settle.o
 * check: --model $SRC/../settle.model
 * finding: ^use-after-free \*work_mem predicted
 * silent: -DFIXED settle.o
 */
/* Wrong: memory is freed before all have passed the barrier */
#include "alone.h"
static pthread_barrier_t b;
static double *work_mem;
static double cost[4];
T(w)
{
	int p = (int)(intptr_t)a;
	double hiz = 0;
	for (int r = 0; r < 2; r++) {
		if (p == 0)
			work_mem = calloc(8, sizeof *work_mem);
		pthread_barrier_wait(&b);
		work_mem[p] = p + r;
		pthread_barrier_wait(&b);
		if (p == 0)
			for (int i = 0; i < 4; i++)
				hiz += work_mem[i];
		cost[p] += work_mem[p];
#ifdef FIXED
		pthread_barrier_wait(&b);
#endif
		if (p == 0) {
#ifndef FIXED
			settle();
#endif

			free(work_mem);
		}
#ifdef FIXED
		pthread_barrier_wait(&b);
#endif
	}
	(void)hiz;
	return 0;
}
int main(void)
{
	pthread_t t[4];
	pthread_barrier_init(&b, 0, 4);
	for (int i = 0; i < 4; i++)
		GO(t[i], w, i);
	for (int i = 0; i < 4; i++)
		WAIT(t[i]);
	return 0;
}
