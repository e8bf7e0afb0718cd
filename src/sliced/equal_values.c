/* Equal values (V2): fixed reads that see another write of the value that they saw. */
#include "sliced/closure_state.h"
#include "trace/record.h"

#define ROUNDS 4u /* of looking what reads would see, by so many reads there may be: one */

/* The value that this event read, if it is known, and the same number in all runs (V3, V4). */
static bool value_read(const struct norn_closure *closure, uint32_t read, uint64_t *ret_value)
{
	return norn_graph_value_read(closure->graph, read, ret_value) &&
	       norn_graph_exact(closure->graph, closure->base, closure->events[read].size, *ret_value);
}

static unsigned bytes_of(const struct norn_graph_event *e)
{
	return (e->size == 8 ? 0xffu : (1u << e->size) - 1) << e->addr % 8;
}

/* Do these bytes of a word, where it holds content, agree with value, which stands where the access does? */
static bool agree(struct norn_content content, unsigned bytes, uint64_t word)
{
	uint64_t differ = content.bytes ^ word;
	for (unsigned b = 0; b < 8; b++)
		if (bytes >> b & 1 && (!(content.known >> b & 1) || differ >> b * 8 & 0xff))
			return false;
	return true;
}

/* A writer of it is neither in the base nor needed, and the base holds the same value. */
bool norn_closure_sees_equal(struct norn_closure *closure, uint32_t event)
{
	const struct norn_graph_event *e = closure->events + event;
	const uint32_t *writers;
	uint32_t count = norn_graph_list(closure->graph, &e->link, &writers);
	bool missing = false;
	for (uint32_t i = 0; i < count && !missing; i++)
		missing = writers[i] > closure->base &&
		          writers[i] > norn_closure_thread(closure, closure->events[writers[i]].thread)->wanted;
	uint64_t value;
	if (!missing || e->flags & NORN_GRAPH_ODD || !value_read(closure, event, &value))
		return false;
	if (!agree(norn_memory_contents_word(&closure->contents, e->addr), bytes_of(e), value << e->addr % 8 * 8))
		return false;
	norn_must_push(&closure->equal_reads, event);
	return true;
}

/* ---- what they see ---- */

/* Notes this write as the last of its bytes, in words that equal_reads see. */
static void see_write(struct norn_closure *closure, uint32_t event)
{
	const struct norn_graph_event *e = closure->events + event;
	uint64_t first = e->addr / 8, last = e->size ? (e->addr + e->size - 1) / 8 : first;
	/* Of long ones only the words that are seen are looked up: there are few. */
	if (last - first > closure->seen.count) {
		size_t cursor = 0;
		uint64_t word;
		for (uint32_t *writers; (writers = norn_map_next(&closure->seen, &cursor, &word));)
			for (unsigned b = 0; b < 8 && word >= first && word <= last; b++)
				if (word * 8 + b >= e->addr && word * 8 + b < e->addr + e->size)
					writers[b] = event;
		return;
	}
	for (uint64_t word = first; word <= last; word++) {
		uint32_t *writers = norn_map_get(&closure->seen, word);
		for (unsigned b = 0; writers && b < 8; b++)
			if (word * 8 + b >= e->addr && word * 8 + b < e->addr + e->size)
				writers[b] = event;
	}
}

static bool writes_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL ||
	       e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK);
}

/* Byte number b of its word, as this write left it; false: not known. */
static bool byte_written(const struct norn_closure *closure, uint32_t writer, unsigned b, unsigned *ret_byte)
{
	const struct norn_graph_event *w = closure->events + writer;
	if (!(w->flags & NORN_GRAPH_VALUED) || w->kind == NORN_EVENT_EXTERNAL || w->addr % 8 + w->size > 8 ||
	        !norn_graph_exact(closure->graph, closure->base, w->size, w->value))
		return false;
	*ret_byte = w->value >> (b - w->addr % 8) * 8 & 0xff;
	return true;
}

/* Would this read, as the window is now, see what it saw? The writers that it sees are needed as known then. */
static bool sees_the_same(struct norn_closure *closure, uint32_t read)
{
	const struct norn_graph_event *e = closure->events + read;
	const uint32_t *writers = norn_map_get(&closure->seen, e->addr / 8);
	uint64_t value = 0;
	value_read(closure, read, &value);
	uint64_t word = value << e->addr % 8 * 8;
	unsigned bytes = bytes_of(e), written = 0;
	for (unsigned b = 0; b < 8; b++) {
		if (!(bytes >> b & 1) || writers[b] == 0)
			continue;
		unsigned byte;
		if (!byte_written(closure, writers[b], b, &byte) || byte != (word >> b * 8 & 0xff))
			return false;
		written |= 1u << b;
	}
	if (!agree(norn_memory_contents_word(&closure->contents, e->addr), bytes & ~written, word))
		return false;
	for (unsigned b = 0; b < 8; b++)
		if (written >> b & 1)
			norn_closure_know(closure, writers[b]);
	return true;
}

static bool is_equal_read(const struct norn_closure *closure, uint32_t event)
{
	for (uint32_t i = 0; i < closure->equal_reads.count; i++)
		if (closure->equal_reads.items[i] == event)
			return true;
	return false;
}

/* Goes through the window in the observed order. Reads that would see something else need their own writers. */
static void look_at_reads(struct norn_closure *closure)
{
	struct norn_numbers *reads = &closure->equal_reads;
	norn_map_done(&closure->seen);
	for (uint32_t i = 0; i < reads->count; i++)
		norn_must_map_put(&closure->seen, closure->events[reads->items[i]].addr / 8);
	uint32_t count, still = 0, left = reads->count;
	bool unseen = false; /* a write may have come without being noticed */
	const uint32_t *window = norn_closure_window(closure, &count);
	for (uint32_t i = 0; i < count && left; i++) {
		const struct norn_graph_event *e = closure->events + window[i];
		if ((e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW) && is_equal_read(closure, window[i])) {
			left--;
			if (unseen || !sees_the_same(closure, window[i])) {
				norn_closure_need_writers(closure, window[i]);
				for (uint32_t k = 0; k < reads->count; k++)
					if (reads->items[k] == window[i])
						reads->items[k] = 0;
			}
		}
		unseen |= norn_memory_contents_unseen(e);
		if (writes_memory(e))
			see_write(closure, window[i]);
	}
	for (uint32_t i = 0; i < reads->count; i++)
		if (reads->items[i])
			reads->items[still++] = reads->items[i];
	reads->count = still;
}

void norn_closure_settle(struct norn_closure *closure)
{
	for (unsigned round = 0; closure->equal_reads.count && !closure->failed; round++) {
		if (closure->included > closure->limit)
			return;
		if (round * ROUNDS >= closure->equal_values || closure->equal_reads.count > closure->equal_values) {
			closure->failed = closure->too_equal = true;
			return;
		}
		uint32_t reads = closure->equal_reads.count, included = closure->included;
		uint64_t steps = closure->steps;
		look_at_reads(closure);
		norn_closure_close(closure);
		if (reads == closure->equal_reads.count && included == closure->included && steps == closure->steps)
			return;
	}
}
