/* norn-test
 * silent: -fopenmp -Wl,-rpath,/usr/lib/llvm-19/lib
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41): -O0 to -O2: race last, race bad predicted: ordered sections.
 * Correct: locks of the OpenMP library exclude, ordered sections come one by one */
#include <omp.h>
#include <stdio.h>
static omp_lock_t l;
static int n, last = -1, bad;
int main(void)
{
	omp_init_lock(&l);
#pragma omp parallel for ordered num_threads(3) schedule(static, 1)
	for (int i = 0; i < 9; i++) {
		omp_set_lock(&l);
		n += i;
		omp_unset_lock(&l);
#pragma omp ordered
		{
			bad += last != i - 1;
			last = i;
		}
	}
	omp_destroy_lock(&l);
	printf("%d %d\n", n, bad);
	return 0;
}
