/* norn-test
 * silent: -fopenmp -Wl,-rpath,/usr/lib/llvm-19/lib
 * unjudged:
 */
/* Correct: the critical section excludes; barriers part the phases */
#include <omp.h>
#include <stdio.h>
static int n, part[4], sum;
int main(void)
{
#pragma omp parallel num_threads(3)
	{
		int me = omp_get_thread_num();
		part[me] = me + 1;
#pragma omp critical
		n++;
#pragma omp barrier
#pragma omp single
		{
			for (int i = 0; i < 3; i++)
				sum += part[i];
			part[3] = sum;
		}
#pragma omp critical(other)
		n += part[3];
#pragma omp atomic
		sum++;
	}
	printf("%d %d\n", n, sum);
	return 0;
}
