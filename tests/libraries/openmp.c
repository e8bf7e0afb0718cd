/* norn-test
 * unjudged:
 * silent: -fopenmp -DLOOP -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DCRITICAL -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DBARRIER -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DREDUCTION -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DTASKS -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DATOMIC -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DSINGLE -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DORDERED -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DLOCK -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DDYNAMIC -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 * silent: -fopenmp -DSECTIONS -L/usr/lib/llvm-19/lib -Wl,-rpath,/usr/lib/llvm-19/lib
 */
/* OpenMP: its runtime has no hooks, and its threads wait for each other in ways that are not seen. */
#include <omp.h>

#define N 64

static int data[N], more[N], counter;
#ifdef LOCK
static omp_lock_t lock;
#endif

#ifdef TASKS
static int count(int n)
{
	int a = 0, b = 0;
	if (n < 2)
		return 1;
#pragma omp task shared(a)
	a = count(n - 1);
#pragma omp task shared(b)
	b = count(n - 2);
#pragma omp taskwait
	return a + b;
}
#endif

int main(void)
{
	omp_set_num_threads(3);
#ifdef LOCK
	omp_init_lock(&lock);
#endif
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < N; i++)
			data[i] = round + i;
#if defined(LOOP)
#pragma omp parallel for
		for (int i = 0; i < N; i++)
			more[i] = data[i] + data[(i + 7) % N];
#elif defined(DYNAMIC)
#pragma omp parallel for schedule(dynamic, 4)
		for (int i = 0; i < N; i++)
			more[i] = data[i] + data[(i + 7) % N];
#elif defined(CRITICAL)
#pragma omp parallel for
		for (int i = 0; i < N; i++)
#pragma omp critical
			counter += data[i];
#elif defined(BARRIER)
#pragma omp parallel
		{
			int me = omp_get_thread_num(), all = omp_get_num_threads();
			more[me] = me + round;
#pragma omp barrier
			data[me] = more[(me + 1) % all];
#pragma omp barrier
			more[(me + 2) % all] = data[me];
		}
#elif defined(REDUCTION)
		int sum = 0;
#pragma omp parallel for reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += data[i];
		counter += sum;
#elif defined(TASKS)
#pragma omp parallel
#pragma omp single
		counter += count(5);
#elif defined(ATOMIC)
#pragma omp parallel for
		for (int i = 0; i < N; i++)
#pragma omp atomic
			counter += data[i];
#elif defined(SINGLE)
#pragma omp parallel
		{
#pragma omp single
			counter++;
			more[omp_get_thread_num()] = counter;
#pragma omp barrier
#pragma omp master
			counter++;
		}
#elif defined(ORDERED)
#pragma omp parallel for ordered
		for (int i = 0; i < N / 4; i++) {
			more[i] = data[i];
#pragma omp ordered
			counter = counter * 2 % 1000 + more[i];
		}
#elif defined(LOCK)
#pragma omp parallel
		{
			omp_set_lock(&lock);
			counter++;
			omp_unset_lock(&lock);
		}
#elif defined(SECTIONS)
#pragma omp parallel sections
		{
#pragma omp section
			more[0] = data[0];
#pragma omp section
			more[1] = data[1];
		}
		counter = more[0] + more[1];
#endif
		for (int i = 0; i < N; i++)
			counter += more[i];
	}
	return counter == 0;
}
