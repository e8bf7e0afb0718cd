/* norn-test
 * silent: -fopenmp -Wl,-rpath,/usr/lib/llvm-19/lib
 * unjudged:
 */
/* Correct: sections write different variables; what follows comes after all of them */
#include <omp.h>
#include <stdio.h>
static int a, b, c;
int main(void)
{
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		a = 1;
#pragma omp section
		b = 2;
	}
	c = a + b;
#pragma omp parallel num_threads(2)
	{
#pragma omp master
		c++;
#pragma omp barrier
		if (omp_get_thread_num() == 1)
			c += 10;
	}
	printf("%d\n", c);
	return c != 14;
}
