/* norn-test
 * errors: yes
 * unjudged:
 * cc: -fopenmp -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * finding: race counter (predicted|observed) at .*main
 */
/* An unguarded counter in a parallel region: all of its threads have begun before any of them goes on. */
#include <omp.h>
#include <stdatomic.h>

static int counter;
static atomic_int begun;

int main(void)
{
	omp_set_num_threads(2);
#pragma omp parallel
	{
		int all = omp_get_num_threads();
		for (begun++; begun < all;)
			;
		counter++;
	}
	return counter == 0;
}
