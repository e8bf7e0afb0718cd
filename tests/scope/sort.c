/* Merge sort by forks and joins: each task forks two, waits for both, and merges. usage: sort COUNT DEPTH [wrong] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
	int *from, count, depth;
};
static int wrong;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int is_sorted(const int *from, int count)
{
	for (int i = 1; i < count; i++)
		if (from[i - 1] > from[i])
			return 0;
	return 1;
}

/* A task has its result. */
__attribute__((noinline)) void task_done(int sorted)
{
	__asm__ volatile("" ::"r"(sorted));
}

__attribute__((noinline)) void merge(int *from, int half, int count)
{
	int *both = malloc((size_t)count * sizeof *both), a = 0, b = half;
	for (int i = 0; i < count; i++)
		both[i] = a < half && (b >= count || from[a] <= from[b]) ? from[a++] : from[b++];
	memcpy(from, both, (size_t)count * sizeof *both);
	free(both);
}

void *sort_main(void *arg)
{
	struct task *t = arg, halves[2];
	pthread_t threads[2];
	if (t->depth == 0) {
		qsort(t->from, (size_t)t->count, sizeof *t->from, compare);
		if (wrong && __atomic_fetch_sub(&wrong, 1, __ATOMIC_SEQ_CST) == 1) {
			int first = t->from[0];
			t->from[0] = t->from[t->count - 1] + 1;
			t->from[t->count - 1] = first;
		}
	} else {
		int half = t->count / 2;
		halves[0] = (struct task){t->from, half, t->depth - 1};
		halves[1] = (struct task){t->from + half, t->count - half, t->depth - 1};
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, sort_main, &halves[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		merge(t->from, half, t->count);
	}
	task_done(is_sorted(t->from, t->count));
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000, depth = argc > 2 ? atoi(argv[2]) : 3;
	wrong = argc > 3;
	int *all = malloc((size_t)count * sizeof *all);
	unsigned seed = 1;
	for (int i = 0; i < count; i++)
		all[i] = (int)((seed = seed * 1103515245 + 12345) >> 8 & 0xffff);
	struct task t = {all, count, depth};
	pthread_t top;
	pthread_create(&top, NULL, sort_main, &t);
	pthread_join(top, NULL);
	printf("%d\n", is_sorted(all, count));
	free(all);
	return 0;
}
