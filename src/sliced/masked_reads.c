/* Reads with masks (R5, R6): what they may change, and the fixed reads that see it. See closure.h. */
#include "base/bisect.h"
#include "sliced/closure_state.h"

static uint32_t first_word(const struct norn_closure *closure, uint64_t word)
{
	return NORN_BISECT(0, closure->word_count, i, closure->words[i] < word);
}

/* The bytes of the word that lie in the range. */
static uint8_t bytes_in(uint64_t word, uint64_t addr, uint64_t size)
{
	uint8_t bytes = 0;
	for (unsigned b = 0; b < 8; b++)
		if (word * 8 + b >= addr && word * 8 + b - addr < size)
			bytes |= (uint8_t)(1u << b);
	return bytes;
}

static struct masked_read *masked_now(struct norn_closure *closure, uint32_t i)
{
	struct masked_read *m = closure->masked + i;
	if (m->epoch != closure->epoch)
		*m = (struct masked_read){.epoch = closure->epoch};
	return m;
}

static void wait_for(struct norn_closure *closure, struct masked_read *m, uint32_t item, uint8_t bytes)
{
	norn_must_push(&closure->pending, (struct pending){item, m->pending, bytes});
	m->pending = closure->pending.count - 1;
}

/* Fixes what the item decides as soon as a fixed read sees one of these bytes. True: one does already. */
static bool fix_if_seen(struct norn_closure *closure, uint64_t addr, uint64_t size, uint32_t item)
{
	uint64_t last = (addr + size - 1) / 8;
	for (uint32_t w = first_word(closure, addr / 8); w < closure->word_count && closure->words[w] <= last; w++) {
		struct masked_read *m = masked_now(closure, w);
		uint8_t bytes = bytes_in(closure->words[w], addr, size);
		if (m->fixed & bytes) {
			norn_closure_keep(closure, item);
			return true;
		}
		wait_for(closure, m, item, bytes);
	}
	return false;
}

void norn_closure_mask(struct norn_closure *closure, uint32_t read)
{
	const struct norn_graph_range *masks;
	uint32_t count = norn_graph_masks(closure->graph, closure->events[read].site, &masks);
	if (norn_closure_is_fixed(closure, read))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (fix_if_seen(closure, masks[i].addr, masks[i].size, read))
			return;
}

/* Do masks have bytes of all these words? */
static bool all_masked(const struct norn_closure *closure, uint64_t first, uint64_t last)
{
	uint64_t w = first_word(closure, first);
	return w + (last - first) < closure->word_count && closure->words[w + (last - first)] == last;
}

void norn_closure_may_write(struct norn_closure *closure, uint32_t write)
{
	const struct norn_graph_event *e = closure->events + write;
	if (all_masked(closure, e->addr / 8, (e->addr + e->size - 1) / 8))
		fix_if_seen(closure, e->addr, e->size, e->link);
	else
		norn_closure_keep(closure, e->link); /* reads of other words are not noted */
}

void norn_closure_look(struct norn_closure *closure, uint64_t addr, uint64_t size)
{
	if (closure->word_count == 0 || size == 0)
		return;
	uint64_t last = (addr + size - 1) / 8;
	for (uint32_t w = first_word(closure, addr / 8); w < closure->word_count && closure->words[w] <= last; w++) {
		struct masked_read *m = masked_now(closure, w);
		uint8_t bytes = bytes_in(closure->words[w], addr, size);
		if (!(bytes & ~m->fixed))
			continue;
		m->fixed |= bytes;
		for (uint32_t *place = &m->pending; *place;) {
			const struct pending *p = closure->pending.items + *place;
			if (p->bytes & bytes) {
				norn_closure_keep(closure, p->item);
				*place = p->next;
			} else {
				place = &closure->pending.items[*place].next;
			}
		}
	}
}

/* All reads of the thread of this event before it are fixed. */
static bool all_fixed(const struct norn_closure *closure, uint32_t event)
{
	const struct closure_thread *t = closure->threads + closure->events[event].thread;
	uint32_t i = t->base ? closure->events[t->base].next : norn_graph_first(closure->graph, closure->events[event].thread);
	for (; i && i < event; i = closure->events[i].next)
		if ((closure->events[i].kind == NORN_EVENT_READ || closure->events[i].kind == NORN_EVENT_RMW) &&
		        !norn_closure_is_fixed(closure, i))
			return false;
	return true;
}

bool norn_closure_certain(struct norn_closure *closure, uint32_t event)
{
	uint32_t node = norn_graph_control(closure->graph, event), a, b;
	if (node == 0)
		return true;
	/* Nothing is to be fixed any more: the work list is free. */
	uint32_t before = closure->to_fix.count;
	bool certain = true;
	for (norn_closure_push(closure, node); closure->to_fix.count > before && certain;) {
		node = closure->to_fix.items[--closure->to_fix.count];
		if (node & NORN_GRAPH_LIST && closure->node_stamps[node & ~NORN_GRAPH_LIST] == closure->epoch)
			continue;
		switch (norn_graph_node(closure->graph, node, &a, &b)) {
		case NORN_NODE_NONE:
			break;
		case NORN_NODE_READ:
			certain = a <= closure->base || norn_closure_is_fixed(closure, a);
			break;
		case NORN_NODE_UNION:
			norn_closure_push(closure, a);
			norn_closure_push(closure, b);
			break;
		case NORN_NODE_BEFORE:
			certain = all_fixed(closure, a);
		}
	}
	closure->to_fix.count = before;
	return certain;
}
