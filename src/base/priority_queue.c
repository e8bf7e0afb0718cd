#include "base/priority_queue.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool before(struct norn_priority_queue_entry a, struct norn_priority_queue_entry b)
{
	return a.key < b.key || (a.key == b.key && a.item < b.item);
}

void norn_priority_queue_done(struct norn_priority_queue *heap)
{
	free(heap->entries);
	*heap = (struct norn_priority_queue){0};
}

int norn_priority_queue_push(struct norn_priority_queue *heap, uint64_t key, uint32_t item)
{
	if (heap->count == heap->room) {
		uint32_t room = heap->room ? heap->room * 2 : 16;
		struct norn_priority_queue_entry *entries = realloc(heap->entries, room * sizeof *entries);
		if (!entries)
			return -ENOMEM;
		heap->entries = entries;
		heap->room = room;
	}
	struct norn_priority_queue_entry entry = {key, item};
	uint32_t i = heap->count++;
	for (; i && before(entry, heap->entries[(i - 1) / 2]); i = (i - 1) / 2)
		heap->entries[i] = heap->entries[(i - 1) / 2];
	heap->entries[i] = entry;
	return 0;
}

struct norn_priority_queue_entry norn_priority_queue_pop(struct norn_priority_queue *heap)
{
	struct norn_priority_queue_entry *e = heap->entries, top = e[0], last = e[--heap->count];
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
