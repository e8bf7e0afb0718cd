#include "base/bisect.h"
#include "predict/projection.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void norn_projection_done(struct norn_projection *p)
{
	for (uint32_t c = 0; c < p->columns.count; c++)
		norn_vector_done(&p->columns.items[c].events);
	norn_vector_done(&p->columns);
	free(p->column_of);
	*p = (struct norn_projection){0};
}

uint32_t norn_projection_column(struct norn_projection *p, uint32_t thread)
{
	if (thread >= p->threads) {
		uint32_t threads = p->threads;
		norn_must_grow(&p->column_of, thread + UINT64_C(1), &p->threads, sizeof *p->column_of);
		memset(p->column_of + threads, 0, (p->threads - threads) * sizeof *p->column_of);
	}
	if (!p->column_of[thread]) {
		norn_must_add(&p->columns)->thread = thread;
		p->column_of[thread] = p->columns.count;
	}
	assert(p->column_of[thread] <= p->columns.count);
	return p->column_of[thread] - 1;
}

void norn_projection_add(struct norn_projection *p, const struct norn_projected *kept)
{
	struct norn_projected_list *events = &p->columns.items[norn_projection_column(p, kept->thread)].events;
	assert(!events->count || events->items[events->count - 1]->nth < kept->nth);
	norn_must_push(events, kept);
	p->events++;
}

uint32_t norn_projection_rank(const struct norn_projection *p, uint32_t thread, uint32_t among)
{
	const struct norn_projection_column *column = norn_projection_find(p, thread);
	uint32_t count = column ? column->events.count : 0;
	if (count && column->events.items[count - 1]->nth <= among)
		return count;
	return NORN_BISECT(0, count, i, column->events.items[i]->nth <= among);
}

void norn_projection_clock(const struct norn_projection *p, const struct norn_projected *kept, uint32_t *ret_clock)
{
	memset(ret_clock, 0, p->columns.count * sizeof *ret_clock);
	for (uint32_t i = 0; i < kept->entries; i++) {
		uint32_t events = norn_projection_rank(p, kept->clock[i].thread, kept->clock[i].count);
		assert(!events || (kept->clock[i].thread < p->threads && p->column_of[kept->clock[i].thread]));
		if (events)
			ret_clock[p->column_of[kept->clock[i].thread] - 1] = events;
	}
	assert(ret_clock[p->column_of[kept->thread] - 1] > 0);
}

int norn_projection_computation(const struct norn_projection *p, struct norn_computation **ret_computation, struct norn_error *err)
{
	struct norn_computation_builder *builder = norn_computation_builder_new();
	uint32_t *clock = norn_must_alloc(p->columns.count, sizeof *clock);
	int r = 0;
	for (uint32_t c = 0; r == 0 && c < p->columns.count; c++)
		for (uint32_t k = 0; r == 0 && k < p->columns.items[c].events.count; k++) {
			const struct norn_projected *kept = norn_projection_event(p, c, k);
			norn_projection_clock(p, kept, clock);
			r = norn_computation_add(builder, c, clock, p->columns.count, kept->index);
		}
	assert(r == 0); /* each event has an entry of its own thread in its clock */
	r = norn_computation_finish(builder, ret_computation, err);
	norn_computation_builder_free(builder);
	free(clock);
	return r;
}
