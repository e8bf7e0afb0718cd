/* norn-test
 * silent: -fopenmp -Wl,-rpath,/usr/lib/llvm-19/lib
 * unjudged:
 */
/* Correct: a task's depend clauses and taskwait order the tasks */
#include <omp.h>
#include <stdio.h>
static int a, b, c;
int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	{
#pragma omp task depend(out : a)
		a = 1;
#pragma omp task depend(in : a) depend(out : b)
		b = a + 1;
#pragma omp task depend(in : a, b)
		c = a + b;
#pragma omp taskwait
		c++;
	}
	printf("%d\n", c);
	return c != 4;
}
