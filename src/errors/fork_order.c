#include "errors/fork_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

#define WORDS_MAX (UINT64_C(16) << 20)

/* From this event on its thread comes after so much of every other thread. */
struct change {
	uint32_t event;
	uint32_t before; /* the thread's change before it, 1 + index; 0: none */
};

struct norn_fork_order {
	const struct norn_graph *graph;
	uint32_t threads;
	NORN_VECTOR(struct change) changes;
	uint32_t *latest; /* per thread: its last change, 1 + index; 0: none */
	uint32_t *rows; /* per change: the last event of each thread that comes before it, 0: none */
	uint32_t row_room;
};

/* The thread's change that holds at this event of it, 1 + index. */
static uint32_t find(const struct norn_fork_order *o, uint32_t thread, uint32_t event)
{
	uint32_t i = o->latest[thread];
	while (i && o->changes.items[i - 1].event > event)
		i = o->changes.items[i - 1].before;
	return i;
}

static uint32_t *row(const struct norn_fork_order *o, uint32_t change)
{
	return o->rows + (uint64_t)(change - 1) * o->threads;
}

/* The event comes after this one of another thread, and all that comes before that. */
static void add(struct norn_fork_order *o, uint32_t event, uint32_t after)
{
	const struct norn_graph_event *e = norn_graph_event(o->graph, event), *a = norn_graph_event(o->graph, after);
	uint64_t words = (o->changes.count + UINT64_C(1)) * o->threads;
	if (words > WORDS_MAX)
		return;
	norn_must_grow(&o->rows, words, &o->row_room, sizeof *o->rows);
	uint32_t mine = o->latest[e->thread], others = find(o, a->thread, after);
	norn_must_push(&o->changes, (struct change){event, mine});
	o->latest[e->thread] = o->changes.count;
	uint32_t *now = row(o, o->changes.count);
	memset(now, 0, o->threads * sizeof *now);
	for (uint32_t t = 0; t < o->threads; t++) {
		now[t] = mine ? row(o, mine)[t] : 0;
		if (others && row(o, others)[t] > now[t])
			now[t] = row(o, others)[t];
	}
	if (after > now[a->thread])
		now[a->thread] = after;
}

struct norn_fork_order *norn_fork_order_new(const struct norn_graph *graph)
{
	struct norn_fork_order *o = norn_must_calloc(1, sizeof *o);
	o->graph = graph;
	o->threads = norn_graph_threads(graph);
	o->latest = norn_must_calloc(o->threads, sizeof *o->latest);
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		if (e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_BEGIN || e->op == NORN_THREAD_JOIN) && e->link &&
		        e->link < i)
			add(o, i, e->link);
	}
	return o;
}

void norn_fork_order_free(struct norn_fork_order *o)
{
	if (!o)
		return;
	norn_vector_done(&o->changes);
	free(o->latest);
	free(o->rows);
	free(o);
}

bool norn_fork_order_before(const struct norn_fork_order *o, uint32_t a, uint32_t b)
{
	uint32_t change = find(o, norn_graph_event(o->graph, b)->thread, b - 1);
	return change && row(o, change)[norn_graph_event(o->graph, a)->thread] >= a;
}
