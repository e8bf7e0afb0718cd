/* The shadow: for each 8-byte word of the program a cell {version, last known value}.
 *
 * version is counted up by every write to the word, by whomever; its lowest bit is a lock. The value is what the word held when
 * that version was made. The protocol, and what each side relies on:
 *
 *   write  locks the cell by compare-and-swap, stores data and value, logs the record, publishes version + 1 by a release store,
 *          which also unlocks. Pairs with the reader's two loads of the version.
 *   read   loads version, data, value, version again: no store, no atomic read-modify-write. Equal and unlocked versions around
 *          mean that no instrumented write came in between (x86 does not reorder loads). If data and value differ, code that is
 *          not instrumented has written the word: the reader locks, logs an external write with version + 1, unlocks, and goes on.
 *
 * The record of a write is in the thread's buffer before its version is published: whatever instant the process is killed at, no
 * version that anyone saw lacks its record.
 *
 * Sequentially consistent on x86 without a fence: the store of a write may still sit in the store buffer when its thread goes on
 * to read another word, but its compare-and-swap has already locked its cell in everyone's eyes. In a store-buffering run each
 * reader would have to load the other's version before that lock was taken and after its own: a cycle.
 *
 * Cells are found through a table of chunks, one per GiB of address space, made when first touched. So any layout of the
 * address space works, and only what is touched costs memory: twice the program's own. */
#ifndef NORN_RUNTIME_SHADOW_H
#define NORN_RUNTIME_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_CHUNK_SHIFT 30
#define NORN_CHUNKS (1u << (47 - NORN_CHUNK_SHIFT))

struct norn_cell {
	_Atomic uint64_t version; /* version << 1 | lock */
	uint64_t value; /* written under the lock; read between two loads of version */
};

extern _Atomic(char *) norn_chunks[NORN_CHUNKS];

/* The cell of the word at addr, NULL if its chunk does not exist yet. Addresses outside user space fold into it: the access that
 * follows faults, as it would without Norn. */
static inline struct norn_cell *norn_cell_peek(const void *addr)
{
	uintptr_t a = (uintptr_t)addr;
	char *chunk = atomic_load_explicit(&norn_chunks[a >> NORN_CHUNK_SHIFT & (NORN_CHUNKS - 1)], memory_order_acquire);
	if (__builtin_expect(!chunk, 0))
		return NULL;
	return (struct norn_cell *)(void *)(chunk + ((a & ((1ul << NORN_CHUNK_SHIFT) - 8)) << 1));
}

/* The same, making the chunk if need be. NULL only if there is no memory for it. */
struct norn_cell *norn_cell_get(const void *addr);

/* Locks a cell, waiting for its holder; returns the version word without the lock bit. */
uint64_t norn_cell_lock(struct norn_cell *cell);

static inline bool norn_cell_try(struct norn_cell *cell, uint64_t *ret_version)
{
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed);
	*ret_version = v;
#ifdef NORN_MUTATE_NO_LOCK /* a control for the tests: writers do not exclude each other */
	return true;
#else
	return !(v & 1) && atomic_compare_exchange_strong_explicit(&cell->version, &v, v | 1, memory_order_acq_rel, memory_order_relaxed);
#endif
}

static inline void norn_cell_publish(struct norn_cell *cell, uint64_t version)
{
	atomic_store_explicit(&cell->version, version, memory_order_release);
}

#endif
