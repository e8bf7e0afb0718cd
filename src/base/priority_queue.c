#include "base/priority_queue.h"

#include <assert.h>
#include <stdbool.h>

#include "base/must.h"

static bool before(struct norn_priority_queue_entry a, struct norn_priority_queue_entry b)
{
	return a.key < b.key || (a.key == b.key && a.item < b.item);
}

void norn_priority_queue_done(struct norn_priority_queue *heap)
{
	norn_vector_done(heap);
}

void norn_priority_queue_push(struct norn_priority_queue *heap, uint64_t key, uint32_t item)
{
	struct norn_priority_queue_entry entry = {key, item};
	uint32_t i = heap->count;
	norn_must_push(heap, entry);
	for (; i && before(entry, heap->items[(i - 1) / 2]); i = (i - 1) / 2)
		heap->items[i] = heap->items[(i - 1) / 2];
	heap->items[i] = entry;
}

struct norn_priority_queue_entry norn_priority_queue_pop(struct norn_priority_queue *heap)
{
	assert(heap->count);
	struct norn_priority_queue_entry *e = heap->items, top = e[0], last = e[--heap->count];
	uint32_t i = 0, child;
	while ((child = 2 * i + 1) < heap->count) {
		if (child + 1 < heap->count && before(e[child + 1], e[child]))
			child++;
		if (!before(e[child], last))
			break;
		e[i] = e[child];
		i = child;
	}
	e[i] = last;
	return top;
}
