/* A binary heap of small numbers, the one with the smallest key on top; equal keys: the smallest item. Offline (must.h). */
#ifndef NORN_BASE_PRIORITY_QUEUE_H
#define NORN_BASE_PRIORITY_QUEUE_H

#include <stdint.h>

#include "base/vector.h"

struct norn_priority_queue_entry {
	uint64_t key;
	uint32_t item;
};

struct norn_priority_queue NORN_VECTOR_OF(struct norn_priority_queue_entry);

void norn_priority_queue_done(struct norn_priority_queue *heap); /* a zeroed heap is empty */
void norn_priority_queue_push(struct norn_priority_queue *heap, uint64_t key, uint32_t item);
struct norn_priority_queue_entry norn_priority_queue_pop(struct norn_priority_queue *heap); /* the heap is not empty */

#endif
