/* norn-test
 * silent: -fopenmp -Wl,-rpath,/usr/lib/llvm-19/lib
 * unjudged:
 */
/* Correct: the iterations have elements of their own; the loop ends with a barrier */
#include <omp.h>
#include <stdio.h>
static int v[64], s;
int main(void)
{
	omp_set_num_threads(3);
#pragma omp parallel for
	for (int i = 0; i < 64; i++)
		v[i] = i;
#pragma omp parallel for reduction(+ : s)
	for (int i = 0; i < 64; i++)
		s += v[63 - i];
	printf("%d\n", s);
	return s != 2016;
}
