/* sort [n] [depth]: merge sort of n 64-bit numbers; the upper depth levels of the recursion fork a thread for their left half. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 16

struct task {
	uint64_t *data, *scratch;
	size_t n;
	unsigned depth;
};

static void insertion_sort(uint64_t *data, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = data[i];
		size_t j = i;
		for (; j > 0 && data[j - 1] > x; j--)
			data[j] = data[j - 1];
		data[j] = x;
	}
}

static void merge(uint64_t *data, uint64_t *scratch, size_t left, size_t n)
{
	size_t i = 0, j = left, k = 0;
	while (i < left && j < n)
		scratch[k++] = data[j] < data[i] ? data[j++] : data[i++];
	while (i < left)
		scratch[k++] = data[i++];
	memcpy(data, scratch, k * sizeof *data);
}

static void *sort_task(void *argument);

static void sort(uint64_t *data, uint64_t *scratch, size_t n, unsigned depth)
{
	if (n <= SMALL) {
		insertion_sort(data, n);
		return;
	}
	size_t left = n / 2;
	if (depth) {
		struct task task = {data, scratch, left, depth - 1};
		pthread_t thread;
		if (pthread_create(&thread, NULL, sort_task, &task))
			abort();
		sort(data + left, scratch + left, n - left, depth - 1);
		pthread_join(thread, NULL);
	} else {
		sort(data, scratch, left, 0);
		sort(data + left, scratch + left, n - left, 0);
	}
	merge(data, scratch, left, n);
}

static void *sort_task(void *argument)
{
	const struct task *task = argument;
	sort(task->data, task->scratch, task->n, task->depth);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
	unsigned depth = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	uint64_t *data = malloc(n * sizeof *data), *scratch = malloc(n * sizeof *scratch);
	if (!data || !scratch)
		return 1;
	uint64_t random = 42;
	for (size_t i = 0; i < n; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		data[i] = random >> 16;
	}
	sort(data, scratch, n, depth);
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && data[i - 1] > data[i])
			return 1;
		sum = sum * 31 + data[i];
	}
	printf("sort %zu: %016llx\n", n, (unsigned long long)sum);
	free(data);
	free(scratch);
	return 0;
}
