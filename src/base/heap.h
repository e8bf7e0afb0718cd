/* A binary heap of small numbers, the one with the smallest key on top; equal keys: the smallest item. */
#ifndef NORN_BASE_HEAP_H
#define NORN_BASE_HEAP_H

#include <stdint.h>

struct norn_heap_entry {
	uint64_t key;
	uint32_t item;
};

struct norn_heap {
	struct norn_heap_entry *entries;
	uint32_t count, room;
};

void norn_heap_done(struct norn_heap *heap); /* a zeroed heap is empty */
int norn_heap_push(struct norn_heap *heap, uint64_t key, uint32_t item);
struct norn_heap_entry norn_heap_pop(struct norn_heap *heap); /* the heap is not empty */

#endif
