/* The contents that static memory begins with (V2), and how long they are there. */
#include <stdlib.h>

#include "base/must.h"
#include "causality/graph_state.h"
#include "trace/record.h"

struct norn_initial_memory {
	norn_graph_initial_word *word;
	void *context;
	struct norn_map first; /* address / 8 → the first event that writes there; of memory that is not allocated */
	uint32_t unseen; /* the first event from which on code without hooks may have written; UINT32_MAX: none */
	bool found; /* both are there */
};

void norn_graph_initial_memory(struct norn_graph_builder *builder, norn_graph_initial_word *word, void *context)
{
	struct norn_graph *graph = norn_graph_builder_graph(builder);
	graph->initial = norn_must_calloc(1, sizeof *graph->initial);
	*graph->initial = (struct norn_initial_memory){.word = word, .context = context, .unseen = UINT32_MAX};
	norn_map_init(&graph->initial->first, sizeof(uint32_t));
}

void norn_initial_memory_free(struct norn_initial_memory *memory)
{
	if (!memory)
		return;
	norn_map_done(&memory->first);
	free(memory);
}

bool norn_graph_initial(const struct norn_graph *graph, uint64_t addr, uint64_t *ret_word)
{
	return graph->initial && graph->before == 0 && graph->initial->word(graph->initial->context, addr & ~UINT64_C(7), ret_word);
}

/* Fills both in one pass, at the first question. */
static void find_first(const struct norn_graph *graph, struct norn_initial_memory *memory)
{
	memory->found = true;
	for (uint32_t i = 1; i <= graph->count; i++) {
		const struct norn_graph_event *e = graph->events + i;
		bool external = e->kind == NORN_EVENT_EXTERNAL;
		if (norn_graph_writes_unseen(e) && i < memory->unseen)
			memory->unseen = i;
		if ((!external && (e->life || (e->kind != NORN_EVENT_WRITE && e->kind != NORN_EVENT_RMW))) || e->size == 0)
			continue;
		for (uint64_t word = e->addr / 8; word <= (e->addr + e->size - 1) / 8; word++) {
			uint32_t *first = norn_must_map_put(&memory->first, word);
			*first = *first ? *first : i;
		}
	}
}

bool norn_graph_still_initial(const struct norn_graph *graph, uint32_t base, uint64_t addr, uint64_t *ret_word)
{
	struct norn_initial_memory *memory = graph->initial;
	if (!memory || graph->before)
		return false;
	if (!memory->found)
		find_first(graph, memory);
	const uint32_t *first = norn_map_get(&memory->first, addr / 8);
	return memory->unseen > base && (!first || *first > base) && norn_graph_initial(graph, addr, ret_word);
}
