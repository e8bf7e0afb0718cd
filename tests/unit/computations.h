/* Computations for tests: random executions of a few threads over a few variables, and their causal order straight from the
 * definition. */
#ifndef NORN_TESTS_COMPUTATIONS_H
#define NORN_TESTS_COMPUTATIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "causality/computation.h"

enum { THREADS_MAX = 64, VARIABLES = 4 };

struct operation {
	uint32_t thread, k;
	int reads, writes; /* variable, or -1 */
	uint32_t value; /* 0 … 3 */
};

/* An execution: operations in the order observed. */
struct execution {
	uint32_t threads, count;
	struct operation *operations;
	bool *before; /* count × count: the causal order */
};

static inline bool conflict(const struct operation *a, const struct operation *b)
{
	return a->thread == b->thread || (a->writes >= 0 && (a->writes == b->writes || a->writes == b->reads)) ||
	       (b->writes >= 0 && b->writes == a->reads);
}

static inline void execution_close(struct execution *x)
{
	uint32_t n = x->count;
	x->before = calloc((size_t)n * n + 1, sizeof *x->before);
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < j; i++)
			x->before[(size_t)i * n + j] |= conflict(&x->operations[i], &x->operations[j]);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < k; i++)
			if (x->before[(size_t)i * n + k])
				for (uint32_t j = k + 1; j < n; j++)
					x->before[(size_t)i * n + j] |= x->before[(size_t)k * n + j];
}

static inline void execution_done(struct execution *x)
{
	free(x->operations);
	free(x->before);
}

/* Event k of a thread as a place in the execution. */
static inline uint32_t operation_at(const struct execution *x, uint32_t thread, uint32_t k)
{
	for (uint32_t i = 0; i < x->count; i++)
		if (x->operations[i].thread == thread && x->operations[i].k == k)
			return i;
	abort();
}

/* All operations are relevant; payloads are places in the execution. Every thread must have one. */
static inline struct norn_computation *execution_computation(const struct execution *x)
{
	struct norn_computation_builder *builder = norn_computation_builder_new();
	struct norn_computation *computation;
	for (uint32_t j = 0; j < x->count; j++) {
		uint32_t clock[THREADS_MAX] = {0};
		for (uint32_t i = 0; i < x->count; i++)
			if (i == j || x->before[(size_t)i * x->count + j])
				clock[x->operations[i].thread]++;
		if (norn_computation_add(builder, x->operations[j].thread, clock, x->threads, j) < 0)
			abort();
	}
	if (norn_computation_finish(builder, &computation, NULL) < 0)
		abort();
	norn_computation_builder_free(builder);
	return computation;
}

#endif
