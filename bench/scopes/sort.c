/* Merge sort by forks and joins. usage: sort COUNT DEPTH
 *
 * Whether a task's result is sorted is found out by looking at all of it, which is the monitor's work: not there at all in the program that is not monitored;
 * SCAN=1: each task looks for itself, as a local monitor would; SCAN=2: under one lock, as a global monitor would. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#ifndef SCAN
#define SCAN 0
#endif

struct task {
	int *from, *scratch, count, depth;
};

#if SCAN
static int is_sorted(const int *from, int count)
{
	int sorted = 1;
	for (int i = 1; i < count; i++)
		sorted &= from[i - 1] <= from[i];
	return sorted;
}
static pthread_mutex_t monitor = PTHREAD_MUTEX_INITIALIZER;
#endif

__attribute__((noinline)) void task_done(int sorted)
{
	__asm__ volatile("" ::"r"(sorted));
}

static void tell(const struct task *t)
{
	(void)t;
#if SCAN == 2
	pthread_mutex_lock(&monitor);
#endif
#if SCAN
	task_done(is_sorted(t->from, t->count));
#endif
#if SCAN == 2
	pthread_mutex_unlock(&monitor);
#endif
}

__attribute__((noinline)) void merge(const struct task *t, int half)
{
	int a = 0, b = half;
	for (int i = 0; i < t->count; i++)
		t->scratch[i] = a < half && (b >= t->count || t->from[a] <= t->from[b]) ? t->from[a++] : t->from[b++];
	memcpy(t->from, t->scratch, (size_t)t->count * sizeof *t->from);
}

static void sort_alone(struct task t)
{
	if (t.count < 2)
		return;
	int half = t.count / 2;
	sort_alone((struct task){t.from, t.scratch, half, 0});
	sort_alone((struct task){t.from + half, t.scratch + half, t.count - half, 0});
	int a = 0, b = half;
	for (int i = 0; i < t.count; i++)
		t.scratch[i] = a < half && (b >= t.count || t.from[a] <= t.from[b]) ? t.from[a++] : t.from[b++];
	memcpy(t.from, t.scratch, (size_t)t.count * sizeof *t.from);
}

void *sort_main(void *arg)
{
	struct task *t = arg, halves[2];
	pthread_t threads[2];
	if (t->depth == 0) {
		sort_alone(*t);
	} else {
		int half = t->count / 2;
		halves[0] = (struct task){t->from, t->scratch, half, t->depth - 1};
		halves[1] = (struct task){t->from + half, t->scratch + half, t->count - half, t->depth - 1};
		for (int i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, sort_main, &halves[i]);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		merge(t, half);
	}
	tell(t);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000000, depth = argc > 2 ? atoi(argv[2]) : 5;
	int *all = malloc((size_t)count * sizeof *all), *scratch = malloc((size_t)count * sizeof *scratch);
	unsigned seed = 1, sorted = 1;
	for (int i = 0; i < count; i++)
		all[i] = (int)((seed = seed * 1103515245 + 12345) >> 1);
	struct task t = {all, scratch, count, depth};
	pthread_t top;
	measure_begin();
	pthread_create(&top, NULL, sort_main, &t);
	pthread_join(top, NULL);
	measure_end();
	for (int i = 1; i < count; i++)
		sorted &= all[i - 1] <= all[i];
	printf("%u\n", sorted);
	free(all);
	free(scratch);
	return 0;
}
