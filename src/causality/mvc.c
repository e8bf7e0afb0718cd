#include "causality/mvc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "causality/clock.h"
#include "causality/variable_clocks.h"

struct mvc_thread {
	uint32_t clock;
	uint32_t column; /* 1 + it, 0 if there were no relevant events */
};

struct mvc_barrier {
	uint64_t count; /* of a round, 0 if unknown */
	uint64_t arrived; /* in the round that is filling */
	uint32_t full; /* the barrier's V^w when the last round was full */
};

struct norn_mvc {
	enum norn_causality causality;
	struct norn_clocks *clocks;
	struct norn_variable_clocks *variables;
	struct mvc_thread *threads;
	uint32_t thread_count, thread_room;
	uint32_t *columns; /* per column: its thread */
	uint32_t column_count, column_room;
	uint32_t last; /* NORN_CAUSALITY_OBSERVED: the clock of the common variable */
	uint32_t floor; /* the clock of the last fence, which threads that appear later have, too */
	struct norn_map barriers; /* by address */
};

int norn_mvc_new(enum norn_causality causality, struct norn_mvc **ret_mvc)
{
	struct norn_mvc *mvc = calloc(1, sizeof *mvc);
	if (!mvc)
		return -ENOMEM;
	mvc->causality = causality;
	norn_map_init(&mvc->barriers, sizeof(struct mvc_barrier));
	int r = norn_clocks_new(&mvc->clocks);
	if (r >= 0)
		r = norn_variable_clocks_new(mvc->clocks, &mvc->variables);
	if (r < 0) {
		norn_mvc_free(mvc);
		return r;
	}
	*ret_mvc = mvc;
	return 0;
}

void norn_mvc_free(struct norn_mvc *mvc)
{
	if (!mvc)
		return;
	norn_clocks_free(mvc->clocks);
	norn_variable_clocks_free(mvc->variables);
	norn_map_done(&mvc->barriers);
	free(mvc->threads);
	free(mvc->columns);
	free(mvc);
}

/* An array of room zeroed items made at least count long. */
static int reserve(uint32_t **items, uint32_t *room, uint32_t count)
{
	if (count <= *room)
		return 0;
	uint64_t more = (uint64_t)count + count / 2 + 16;
	if (more > UINT32_MAX)
		more = UINT32_MAX;
	uint32_t *bigger = realloc(*items, more * sizeof *bigger);
	if (!bigger)
		return -ENOMEM;
	memset(bigger + *room, 0, (more - *room) * sizeof *bigger);
	*items = bigger;
	*room = (uint32_t)more;
	return 0;
}

static __attribute__((noinline)) int add_threads(struct norn_mvc *mvc, uint32_t thread)
{
	if (thread >= UINT32_MAX / 2)
		return -EINVAL;
	if (thread >= mvc->thread_room) {
		uint32_t room = thread + thread / 2 + 16;
		struct mvc_thread *bigger = realloc(mvc->threads, room * sizeof *bigger);
		if (!bigger)
			return -ENOMEM;
		mvc->threads = bigger;
		mvc->thread_room = room;
	}
	while (mvc->thread_count <= thread)
		mvc->threads[mvc->thread_count++] = (struct mvc_thread){.clock = mvc->floor};
	return 0;
}

static int see_thread(struct norn_mvc *mvc, uint32_t thread)
{
	return thread < mvc->thread_count ? 0 : add_threads(mvc, thread);
}

static int add_column(struct norn_mvc *mvc, uint32_t thread)
{
	int r = reserve(&mvc->columns, &mvc->column_room, mvc->column_count + 1);
	if (r < 0)
		return r;
	mvc->columns[mvc->column_count++] = thread;
	mvc->threads[thread].column = mvc->column_count;
	return 0;
}

/* ---- dropping clocks ---- */

static uint64_t bytes_besides_clocks(const struct norn_mvc *mvc)
{
	return norn_variable_clocks_bytes(mvc->variables) + mvc->thread_room * sizeof *mvc->threads;
}

static __attribute__((noinline)) int collect(struct norn_mvc *mvc)
{
	int r = norn_clocks_collect_begin(mvc->clocks);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < mvc->thread_count; i++)
		norn_clocks_mark(mvc->clocks, mvc->threads[i].clock);
	norn_clocks_mark(mvc->clocks, mvc->last);
	norn_clocks_mark(mvc->clocks, mvc->floor);
	size_t cursor = 0;
	uint64_t where;
	for (const struct mvc_barrier *b; (b = norn_map_next(&mvc->barriers, &cursor, &where));)
		norn_clocks_mark(mvc->clocks, b->full);
	norn_variable_clocks_mark(mvc->variables);
	norn_clocks_collect_end(mvc->clocks);
	return 0;
}

/* ---- operations: each makes of V_i what it is after the event ---- */

static uint32_t all_know(struct norn_mvc *mvc, uint32_t clock)
{
	for (uint32_t i = 0; i < mvc->thread_count; i++)
		clock = norn_clocks_join(mvc->clocks, clock, mvc->threads[i].clock);
	return clock;
}

static int fork_thread(struct norn_mvc *mvc, uint64_t child, uint32_t clock)
{
	if (child > UINT32_MAX)
		return -EINVAL;
	int r = see_thread(mvc, (uint32_t)child);
	if (r >= 0)
		mvc->threads[child].clock = norn_clocks_join(mvc->clocks, mvc->threads[child].clock, clock);
	return r;
}

static void fence(struct norn_mvc *mvc, uint32_t *clock)
{
	mvc->floor = *clock = all_know(mvc, *clock);
	for (uint32_t i = 0; i < mvc->thread_count; i++)
		mvc->threads[i].clock = *clock;
}

static int at_barrier(struct norn_mvc *mvc, uint32_t thread, enum norn_mvc_op op, uint64_t where, uint64_t size, uint32_t *clock)
{
	void *slot;
	int r = norn_map_put(&mvc->barriers, where, &slot);
	if (r < 0)
		return r;
	struct mvc_barrier *b = slot;
	if (op == NORN_MVC_LEAVE) {
		*clock = norn_clocks_join(mvc->clocks, *clock, b->full);
		/* V^a learns of the leave, V^w stays: nothing of what lies beyond the full round is taken over. */
		uint32_t unused = *clock;
		return norn_variable_clocks_read(mvc->variables, NORN_CLOCK_NOBODY, where, NORN_MVC_OBJECT_BYTES, &unused);
	}
	r = norn_variable_clocks_write(mvc->variables, thread, where, NORN_MVC_OBJECT_BYTES, clock);
	if (op == NORN_MVC_BARRIER)
		*b = (struct mvc_barrier){.count = size, .full = *clock};
	else if (++b->arrived >= b->count)
		*b = (struct mvc_barrier){.count = b->count, .full = *clock};
	return r;
}

static int operate(struct norn_mvc *mvc, uint32_t thread, enum norn_mvc_op op, uint64_t where, uint64_t size, uint32_t *clock)
{
	switch (op) {
	case NORN_MVC_READ:
		return norn_variable_clocks_read(mvc->variables, thread, where, size, clock);
	case NORN_MVC_WRITE:
		return norn_variable_clocks_write(mvc->variables, thread, where, size, clock);
	case NORN_MVC_FORK:
		return fork_thread(mvc, where, *clock);
	case NORN_MVC_JOIN:
		if (where < mvc->thread_count)
			*clock = norn_clocks_join(mvc->clocks, *clock, mvc->threads[where].clock);
		return 0;
	case NORN_MVC_AFTER_ALL:
		*clock = all_know(mvc, *clock);
		return 0;
	case NORN_MVC_FENCE:
		fence(mvc, clock);
		return 0;
	case NORN_MVC_BARRIER:
	case NORN_MVC_ARRIVE:
	case NORN_MVC_LEAVE:
		return at_barrier(mvc, thread, op, where, size, clock);
	case NORN_MVC_INTERNAL:
		break;
	}
	return 0;
}

int norn_mvc_step(struct norn_mvc *mvc, uint32_t thread, enum norn_mvc_op op, uint64_t where, uint64_t size, bool relevant)
{
	int r = see_thread(mvc, thread);
	if (r >= 0 && norn_clocks_full(mvc->clocks, bytes_besides_clocks(mvc) / 4))
		r = collect(mvc);
	if (r >= 0 && relevant && !mvc->threads[thread].column)
		r = add_column(mvc, thread);
	if (r < 0)
		return r;
	uint32_t clock = mvc->threads[thread].clock;
	if (relevant)
		clock = norn_clocks_increment(mvc->clocks, clock, mvc->threads[thread].column - 1);
	if (mvc->causality == NORN_CAUSALITY_OBSERVED)
		mvc->last = clock = norn_clocks_join(mvc->clocks, clock, mvc->last);
	else
		r = operate(mvc, thread, op, where, size, &clock);
	mvc->threads[thread].clock = clock;
	return r < 0 ? r : norn_clocks_error(mvc->clocks);
}

/* ---- what came of it ---- */

const uint32_t *norn_mvc_clock(const struct norn_mvc *mvc, uint32_t thread, uint32_t *ret_width)
{
	return norn_clocks_entries(
	        mvc->clocks, thread < mvc->thread_count ? mvc->threads[thread].clock : NORN_CLOCK_ZERO, ret_width);
}

uint32_t norn_mvc_columns(const struct norn_mvc *mvc)
{
	return mvc->column_count;
}

uint32_t norn_mvc_column_thread(const struct norn_mvc *mvc, uint32_t column)
{
	return mvc->columns[column];
}

uint64_t norn_mvc_bytes(const struct norn_mvc *mvc)
{
	return sizeof *mvc + bytes_besides_clocks(mvc) + norn_clocks_bytes(mvc->clocks) + mvc->column_room * sizeof(uint32_t) +
	       mvc->barriers.capacity * mvc->barriers.slot_bytes;
}
