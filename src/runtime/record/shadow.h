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
 * Sequentially consistent on x86 without a fence: the store of a write may still sit in the store buffer when its thread goes on to
 * read another word, but its compare-and-swap has already locked its cell in everyone's eyes. In a store-buffering run each reader
 * would have to load the other's version before that lock was taken and after its own: a cycle.
 *
 * Pages (64 KiB) that only one thread has touched need no lock: most memory is like that. A page is unowned, then owned by the
 * thread (its slot) that touches it first; when another thread comes it is handed over, and after a few times it is shared for
 * good. Only the owner of a page touches its cells, without a lock; on shared pages everyone locks. So that the owner needs no
 * fence, the thread that takes a page away pays: it changes the owner, removes the page from the owner's table of pages below, runs
 * membarrier(2), and waits until the owner is outside its hooks (slot.busy) or waits itself (slot.yielding). After that each side's
 * next hook sees the other's stores. Without membarrier all pages are shared.
 *
 * Each slot has a table of pages that it may touch, with the place of their cells: a software TLB, direct-mapped. Behind it, chunks
 * of cells, one per GiB of address space, are made when first touched. So any layout of the address space works, and only what is
 * touched costs memory: twice the program's own. */
#ifndef NORN_RUNTIME_RECORD_SHADOW_H
#define NORN_RUNTIME_RECORD_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/self.h"

/* An aligned load of what others write, as part of whatever instruction uses it; an atomic load has an instruction and a register
 * of its own. The caller keeps the compiler from moving it. */
#define NORN_PLAIN(type, object) (*(type const *)(const void *)&(object))

struct norn_cell {
	_Atomic uint64_t version; /* version << 1 | lock */
	uint64_t value; /* written under the lock; read between two loads of version */
};

#define NORN_PAGE_SHIFT 16
#define NORN_PAGES 4096u /* entries of a slot's table: 256 MiB, so that the heaps of a few threads, which libc aligns alike, fit */
#define NORN_NO_PAGE UINT32_MAX

/* An entry of a slot's table. Filled by the slot's thread, emptied by the thread that takes the page away. */
struct norn_page {
	_Atomic uint32_t number; /* address >> NORN_PAGE_SHIFT, NORN_NO_PAGE: none */
	uint32_t shared; /* cells must be locked */
	char *cells; /* of the page's first word */
};

static inline struct norn_cell *norn_cell_in(const struct norn_page *page, const void *addr)
{
	return (struct norn_cell *)(void *)(page->cells + (((uintptr_t)addr & ((1u << NORN_PAGE_SHIFT) - 8)) << 1));
}

/* The entry for addr in self's table, if it is there. Addresses outside user space fold into it: the access that follows faults,
 * as it would without Norn. */
static inline struct norn_page *norn_page_peek(const struct norn_slot *self, const void *addr)
{
	uint32_t number = (uint32_t)((uintptr_t)addr >> NORN_PAGE_SHIFT);
	struct norn_page *page = &((struct norn_page *)self->pages)[number % NORN_PAGES];
	return __builtin_expect(NORN_PLAIN(uint32_t, page->number) == number, 1) ? page : NULL;
}

/* Makes sure that self, which is busy, may touch the page of addr until it is idle again (or calls this again, or norn_room), and
 * gives the word's cell. NULL only if there is no memory: what the caller cannot record is then counted as lost. May wait for
 * another thread to leave its hook. */
struct norn_cell *norn_cell_claim(struct norn_slot *self, const void *addr);

/* True if the cells of addr's page, which self has claimed, must be locked. */
static inline bool norn_page_shared(const struct norn_slot *self, const void *addr)
{
	const struct norn_page *page = norn_page_peek(self, addr);
	return !page || page->shared;
}

/* The table of pages of a slot, for all threads that will use it. NULL if there is no memory. */
struct norn_page *norn_pages_of(uint32_t slot);

/* From now on, no page gets an owner: before the first one is touched. */
void norn_shadow_share(void);

/* The same, at any time: those that there are lose their owners. A program that brings memory itself (userfaultfd) has threads that
 * wait for others in the middle of an access, and a page's owner may not be waited for then. */
void norn_shadow_share_all(void);

/* In the child of a fork: forgets everything. Threads that are no more may have held cells, and the new trace begins at version
 * 0. */
void norn_shadow_reset(void);

/* Locks a cell, waiting for its holder; returns the version word without the lock bit. */
uint64_t norn_cell_lock(struct norn_cell *cell);

static inline bool norn_cell_try(struct norn_cell *cell, uint64_t *ret_version)
{
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed);
	*ret_version = v;
#ifdef NORN_MUTATE_NO_LOCK /* a control for the tests: writers do not exclude each other */
	return true;
#else
	return !(v & 1) &&
	       atomic_compare_exchange_strong_explicit(&cell->version, &v, v | 1, memory_order_acq_rel, memory_order_relaxed);
#endif
}

static inline void norn_cell_publish(struct norn_cell *cell, uint64_t version)
{
	atomic_store_explicit(&cell->version, version, memory_order_release);
}

#endif
