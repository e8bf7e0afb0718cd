#include "runtime/shadow.h"

#include <linux/membarrier.h>
#include <sys/mman.h>

#include "runtime/sys.h"

#define CHUNK_SHIFT 30
#define CHUNKS (1u << (47 - CHUNK_SHIFT))
#define CHUNK_PAGES (1u << (CHUNK_SHIFT - NORN_PAGE_SHIFT))
#define HANDOVERS 2 /* a page that changes its owner more often is shared */

#define UNOWNED 0u /* else 1 + slot */
#define SHARED UINT32_MAX

struct chunk {
	char cells[2ul << CHUNK_SHIFT];
	_Atomic uint32_t owner[CHUNK_PAGES]; /* UNOWNED → 1 + slot by compare-and-swap; afterwards changed under taking */
	uint8_t handovers[CHUNK_PAGES]; /* under taking */
};

static _Atomic(struct chunk *) chunks[CHUNKS];
static _Atomic uint32_t taking; /* lock of those who take pages away */
static _Atomic uint32_t barriers; /* 0: not asked yet, 1: membarrier works, 2: it does not */
static _Atomic(struct norn_page *) tables;

static struct chunk *chunk_get(const void *addr)
{
	_Atomic(struct chunk *) *slot = &chunks[(uintptr_t)addr >> CHUNK_SHIFT & (CHUNKS - 1)];
	struct chunk *chunk = atomic_load_explicit(slot, memory_order_acquire);
	if (chunk)
		return chunk;
	struct chunk *fresh = norn_sys_memory(sizeof *fresh);
	if (fresh && !atomic_compare_exchange_strong(slot, &chunk, fresh))
		norn_sys_unmap(fresh, sizeof *fresh); /* another thread was first */
	return atomic_load_explicit(slot, memory_order_acquire);
}

struct norn_page *norn_pages_of(uint32_t slot)
{
	struct norn_page *all = atomic_load(&tables);
	size_t bytes = sizeof *all * NORN_PAGES * NORN_SLOTS;
	if (!all) {
		struct norn_page *fresh = norn_sys_memory(bytes);
		/* Zeroed entries name page 0, which no program can map. */
		if (fresh && !atomic_compare_exchange_strong(&tables, &all, fresh))
			norn_sys_unmap(fresh, bytes);
		all = atomic_load(&tables);
	}
	return all ? &all[(size_t)slot * NORN_PAGES] : NULL;
}

void norn_shadow_reset(void)
{
	for (unsigned i = 0; i < CHUNKS; i++) {
		struct chunk *chunk = atomic_load(&chunks[i]);
		if (chunk)
			norn_syscall(SYS_madvise, (long)chunk, sizeof *chunk, MADV_DONTNEED, 0, 0, 0);
	}
	struct norn_page *all = atomic_load(&tables);
	if (all)
		norn_syscall(SYS_madvise, (long)all, (long)(sizeof *all * NORN_PAGES * NORN_SLOTS), MADV_DONTNEED, 0, 0, 0);
	atomic_store(&taking, 0);
}

static void barrier(void)
{
	norn_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
}

static bool barriers_work(void)
{
	uint32_t known = atomic_load_explicit(&barriers, memory_order_relaxed);
	if (!known) {
		known = norn_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0) ? 2 : 1;
		atomic_store(&barriers, known);
	}
	return known == 1;
}

/* Until the owner of a page that was taken away can no longer act on it. */
static void await_quiet(const struct norn_slot *owner)
{
	for (unsigned spins = 1; *(volatile uint32_t *)&owner->busy && !*(volatile uint32_t *)&owner->yielding; spins++) {
		if (spins % 64)
			__builtin_ia32_pause();
		else
			norn_sys_yield();
	}
}

/* Gives the page, owned by another slot, to self or to all. */
static void take_away(struct norn_slot *self, struct chunk *chunk, uint32_t number)
{
	uint32_t i = number % CHUNK_PAGES, me = (uint32_t)(self - norn_session->slot) + 1;
	self->yielding = 1; /* whoever wants a page of ours need not wait for us */
	while (atomic_exchange_explicit(&taking, 1, memory_order_acquire))
		norn_sys_yield();
	uint32_t owner = atomic_load(&chunk->owner[i]);
	if (owner != UNOWNED && owner != SHARED && owner != me) {
		struct norn_page *page = &norn_pages_of(owner - 1)[number % NORN_PAGES];
		atomic_store(&chunk->owner[i], chunk->handovers[i]++ < HANDOVERS ? me : SHARED);
		do { /* once more if the owner was just about to fill its entry; now it sees that it lost the page */
			uint32_t expected = number;
			atomic_compare_exchange_strong(&page->number, &expected, NORN_NO_PAGE);
			barrier();
			await_quiet(&norn_session->slot[owner - 1]);
		} while (atomic_load(&page->number) == number);
	}
	atomic_store_explicit(&taking, 0, memory_order_release);
	__asm__ volatile("" ::: "memory");
	self->yielding = 0;
}

struct norn_cell *norn_cell_claim(struct norn_slot *self, const void *addr)
{
	uint32_t number = (uint32_t)((uintptr_t)addr >> NORN_PAGE_SHIFT), i = number % CHUNK_PAGES;
	uint32_t me = (uint32_t)(self - norn_session->slot) + 1;
	struct norn_page *page = norn_page_peek(self, addr);
	if (page)
		return norn_cell_in(page, addr);
	struct chunk *chunk = chunk_get(addr);
	if (!chunk)
		return NULL;
	page = &((struct norn_page *)self->pages)[number % NORN_PAGES];
	for (;;) {
		uint32_t owner = UNOWNED;
		if (atomic_compare_exchange_strong(&chunk->owner[i], &owner, barriers_work() ? me : SHARED))
			owner = atomic_load(&chunk->owner[i]);
		if (owner != me && owner != SHARED) {
			take_away(self, chunk, number);
			continue;
		}
		page->cells = chunk->cells + ((uintptr_t)i << (NORN_PAGE_SHIFT + 1));
		page->shared = owner == SHARED;
		atomic_store(&page->number, number);
		if (atomic_load(&chunk->owner[i]) == owner) /* pairs with the barrier in take_away */
			return norn_cell_in(page, addr);
		atomic_store(&page->number, NORN_NO_PAGE);
	}
}

uint64_t norn_cell_lock(struct norn_cell *cell)
{
	uint64_t v;
	for (unsigned spins = 0; !norn_cell_try(cell, &v); spins++) {
		/* A holder is inside a hook: a few dozen instructions, unless it was descheduled. */
		if (spins % 128 == 127)
			norn_sys_yield();
		else
			__builtin_ia32_pause();
	}
	return v;
}
