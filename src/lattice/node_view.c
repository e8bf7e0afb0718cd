#include "lattice/node_view.h"

#include <stdlib.h>

#include "base/must.h"

struct buffers {
	uint32_t *cut, *next;
	struct norn_lattice_state *states;
	uint32_t state_room;
};

static int by_state(const void *a, const void *b)
{
	const struct norn_lattice_state *x = a, *y = b;
	if (x->monitor != y->monitor)
		return x->monitor < y->monitor ? -1 : 1;
	if (x->status != y->status)
		return x->status < y->status ? -1 : 1;
	return x->state < y->state ? -1 : x->state > y->state;
}

static struct norn_lattice_state state_of(const struct norn_belief_table *beliefs, uint32_t id)
{
	const struct norn_belief *belief = norn_belief_get(beliefs, id);
	struct norn_lattice_state state = {.monitor = belief->monitor, .status = NORN_LATTICE_OPEN};
	if (id & NORN_BELIEF_VIOLATED)
		state.status = NORN_LATTICE_VIOLATED;
	else if (belief->bad)
		state.status = NORN_LATTICE_UNCERTAIN;
	else if (id & NORN_BELIEF_DONE)
		state.status = NORN_LATTICE_SETTLED;
	if (belief->count == 1)
		state.state = belief->elements[0].state;
	return state;
}

static void visit_record(
        const struct norn_node_view *view, const uint64_t *record, struct buffers *buffers, struct norn_lattice_node *node)
{
	const struct norn_search *search = view->search;
	struct norn_record_shape shape = search->shape;
	uint64_t head = norn_record_head_of(shape, record);
	const uint64_t *entry = record + shape.words + shape.masks + 1;
	uint32_t entries = norn_record_entries(head);
	norn_must_grow(&buffers->states, entries, &buffers->state_room, sizeof *buffers->states);
	for (uint32_t i = 0; i < entries; i++, entry += 1 + norn_record_limbs(head))
		buffers->states[i] = state_of(&search->beliefs, norn_entry_belief(*entry));
	qsort(buffers->states, entries, sizeof *buffers->states, by_state);
	node->next_count = 0;
	for (uint32_t t = 0; t < search->packing.threads; t++) {
		const struct norn_cut_field *field = &search->packing.fields[t];
		buffers->cut[field->thread] = field->base + norn_cut_get(field, record);
		if (record[shape.words + t / 64] >> t % 64 & 1)
			buffers->next[node->next_count++] = field->thread;
	}
	node->cut = buffers->cut;
	node->valuation = norn_record_valuation(head);
	node->next = buffers->next;
	node->states = buffers->states;
	node->state_count = entries;
	view->visit(view->context, node);
}

void norn_level_visit(const struct norn_node_view *view, const struct norn_level *level, uint64_t number)
{
	struct buffers buffers = {.cut = norn_must_copy(view->base, view->threads, sizeof(uint32_t)),
	        .next = norn_must_alloc(view->threads, sizeof(uint32_t))};
	struct norn_lattice_node node = {.level = (uint32_t)number};
	for (struct norn_level_cursor at = norn_level_at(level->first); at.record; norn_level_next(&at, view->search->shape))
		visit_record(view, at.record, &buffers, &node);
	free(buffers.cut);
	free(buffers.next);
	free(buffers.states);
}
