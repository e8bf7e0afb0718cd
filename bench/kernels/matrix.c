/* matrix [n] [threads]: product of two n x n matrices of doubles, rows dealt out to threads in bands. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct band {
	pthread_t thread;
	size_t from, to;
};

static size_t n;
static double *a, *b, *c;

static void *multiply(void *argument)
{
	const struct band *band = argument;
	for (size_t i = band->from; i < band->to; i++)
		for (size_t j = 0; j < n; j++) {
			double sum = 0;
			for (size_t k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
	return NULL;
}

static double *matrix(unsigned seed)
{
	double *m = malloc(n * n * sizeof *m);
	if (!m)
		exit(1);
	for (size_t i = 0; i < n * n; i++) {
		seed = seed * 1664525u + 1013904223u;
		m[i] = (double)(seed >> 20);
	}
	return m;
}

int main(int argc, char **argv)
{
	n = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;
	struct band *bands = calloc(threads, sizeof *bands);
	a = matrix(1);
	b = matrix(2);
	c = matrix(3);
	if (!bands)
		return 1;
	for (size_t t = 0; t < threads; t++) {
		bands[t].from = n * t / threads;
		bands[t].to = n * (t + 1) / threads;
		if (pthread_create(&bands[t].thread, NULL, multiply, &bands[t]))
			return 1;
	}
	for (size_t t = 0; t < threads; t++)
		pthread_join(bands[t].thread, NULL);

	uint64_t sum = 0;
	for (size_t i = 0; i < n * n; i++)
		sum = sum * 31 + (uint64_t)c[i];
	printf("matrix %zu: %016llx\n", n, (unsigned long long)sum);
	free(a);
	free(b);
	free(c);
	free(bands);
	return 0;
}
