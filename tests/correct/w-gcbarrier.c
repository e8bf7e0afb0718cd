/* norn-test
 * silent:
 */
/* Matrix blocks and a stencil: sense-reversing barrier of atomics, and pthread barriers used in several phases with double buffers. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
enum { N = 12, T = 3, STEPS = 4 };
static double grid[2][N][N], a[N][N], b[N][N], c[N][N];
static pthread_barrier_t bar;
static atomic_int count = T, sense;
static void spin_barrier(int *mine)
{
	*mine = !*mine;
	if (atomic_fetch_sub_explicit(&count, 1, memory_order_acq_rel) == 1) {
		atomic_store_explicit(&count, T, memory_order_relaxed);
		atomic_store_explicit(&sense, *mine, memory_order_release);
	} else
		while (atomic_load_explicit(&sense, memory_order_acquire) != *mine)
			sched_yield();
}
static void *run(void *arg)
{
	int me = (int)(size_t)arg, mine = 0, from = me * N / T, to = (me + 1) * N / T;
	for (int i = from; i < to; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i == j;
			grid[0][i][j] = i == 0;
		}
	spin_barrier(&mine);
	for (int s = 0; s < STEPS; s++) {
		double(*x)[N] = grid[s % 2], (*y)[N] = grid[!(s % 2)];
		for (int i = from; i < to; i++)
			for (int j = 0; j < N; j++)
				y[i][j] = i == 0 || i == N - 1 ? x[i][j] : (x[i - 1][j] + x[i + 1][j]) / 2;
		if (s % 2)
			spin_barrier(&mine);
		else
			pthread_barrier_wait(&bar);
	}
	for (int i = from; i < to; i++)
		for (int j = 0; j < N; j++) {
			double v = 0;
			for (int k = 0; k < N; k++)
				v += a[i][k] * b[k][j];
			c[i][j] = v;
		}
	pthread_barrier_wait(&bar);
	for (int i = from; i < to; i++)
		for (int j = 0; j < N; j++)
			assert(c[j][i] == a[i][j]);
	return NULL;
}
int main(void)
{
	pthread_t t[T];
	pthread_barrier_init(&bar, NULL, T);
	for (size_t i = 0; i < T; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < T; i++)
		pthread_join(t[i], NULL);
	assert(grid[0][0][0] == 1 && grid[0][4][5] > 0 && grid[0][5][5] == 0);
	puts("ok");
	return 0;
}
