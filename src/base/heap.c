#include "base/heap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool before(struct norn_heap_entry a, struct norn_heap_entry b)
{
	return a.key < b.key || (a.key == b.key && a.item < b.item);
}

void norn_heap_done(struct norn_heap *heap)
{
	free(heap->entries);
	*heap = (struct norn_heap){0};
}

int norn_heap_push(struct norn_heap *heap, uint64_t key, uint32_t item)
{
	if (heap->count == heap->room) {
		uint32_t room = heap->room ? heap->room * 2 : 16;
		struct norn_heap_entry *entries = realloc(heap->entries, room * sizeof *entries);
		if (!entries)
			return -ENOMEM;
		heap->entries = entries;
		heap->room = room;
	}
	struct norn_heap_entry entry = {key, item};
	uint32_t i = heap->count++;
	for (; i && before(entry, heap->entries[(i - 1) / 2]); i = (i - 1) / 2)
		heap->entries[i] = heap->entries[(i - 1) / 2];
	heap->entries[i] = entry;
	return 0;
}

struct norn_heap_entry norn_heap_pop(struct norn_heap *heap)
{
	struct norn_heap_entry *e = heap->entries, top = e[0], last = e[--heap->count];
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
