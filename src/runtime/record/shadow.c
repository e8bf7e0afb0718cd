#include "runtime/record/shadow.h"

#include <linux/membarrier.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include "runtime/sys.h"

#define CHUNK_SHIFT 30
#define CHUNKS (1u << (47 - CHUNK_SHIFT))
#define CHUNK_PAGES (1u << (CHUNK_SHIFT - NORN_PAGE_SHIFT))
#define HANDOVERS 2 /* a page that changes its owner more often is shared */

#define WHILE_CYCLES 1000000u

#define UNOWNED 0u /* else 1 + slot */
#define SHARED UINT32_MAX

struct shadow_chunk {
	char cells[2ul << CHUNK_SHIFT];
	_Atomic uint32_t owner[CHUNK_PAGES]; /* UNOWNED → 1 + slot by compare-and-swap; afterwards changed under taking */
	uint8_t handovers[CHUNK_PAGES]; /* under taking */
};

static _Atomic(struct shadow_chunk *) chunks[CHUNKS];
static _Atomic uint32_t taking; /* lock of threads that take pages away */
static _Atomic uint32_t barriers; /* 0: not asked yet, 1: membarrier works, 2: it does not */
static _Atomic(struct norn_page *) tables;

static struct shadow_chunk *chunk_get(const void *addr)
{
	_Atomic(struct shadow_chunk *) *slot = &chunks[(uintptr_t)addr >> CHUNK_SHIFT & (CHUNKS - 1)];
	struct shadow_chunk *chunk = atomic_load_explicit(slot, memory_order_acquire);
	if (chunk)
		return chunk;
	struct shadow_chunk *fresh = norn_sys_memory(sizeof *fresh);
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
		if (fresh && !atomic_compare_exchange_strong(&tables, &all, fresh))
			norn_sys_unmap(fresh, bytes);
		all = atomic_load(&tables);
	}
	if (!all)
		return NULL;
	/* A zeroed entry names page 0, which matters only for the first: what follows null pointers would have cells nowhere. */
	struct norn_page *pages = &all[(size_t)slot * NORN_PAGES];
	if (!pages->cells)
		atomic_store(&pages->number, NORN_NO_PAGE);
	return pages;
}

void norn_shadow_reset(void)
{
	for (unsigned i = 0; i < CHUNKS; i++) {
		struct shadow_chunk *chunk = atomic_load(&chunks[i]);
		if (chunk)
			norn_syscall(SYS_madvise, (long)chunk, sizeof *chunk, MADV_DONTNEED, 0, 0, 0);
	}
	struct norn_page *all = atomic_load(&tables);
	if (all)
		norn_syscall(SYS_madvise, (long)all, (long)(sizeof *all * NORN_PAGES * NORN_SLOTS), MADV_DONTNEED, 0, 0, 0);
	atomic_store(&taking, 0);
}

void norn_shadow_share(void)
{
	atomic_store(&barriers, 2);
}

/* If the program has forbidden itself the call since it was asked for, no more pages get an owner; for those that have one, a
 * while in which every store that was made has long reached the others must do. */
static void barrier(void)
{
	if (!norn_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0))
		return;
	atomic_store(&barriers, 2);
	for (uint64_t start = __rdtsc(); __rdtsc() - start < WHILE_CYCLES;)
		__builtin_ia32_pause();
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

/* Until the owner of a page that was taken away can no longer step on it. */
static void await_quiet(const struct norn_slot *owner)
{
	for (unsigned spins = 1; *(volatile uint32_t *)&owner->busy && !*(volatile uint32_t *)&owner->yielding; spins++) {
		if (spins % 64)
			__builtin_ia32_pause();
		else
			norn_sys_yield(spins / 64);
	}
}

static void lock_taking(void)
{
	for (unsigned waits = 0; atomic_exchange_explicit(&taking, 1, memory_order_acquire); waits++)
		norn_sys_yield(waits);
}

/* Empties the slot's entry for the page. */
static void forget(uint32_t slot, uint32_t number)
{
	uint32_t expected = number;
	atomic_compare_exchange_strong(
	        &atomic_load(&tables)[(size_t)slot * NORN_PAGES + number % NORN_PAGES].number, &expected, NORN_NO_PAGE);
}

static bool remembers(uint32_t slot, uint32_t number)
{
	return atomic_load(&atomic_load(&tables)[(size_t)slot * NORN_PAGES + number % NORN_PAGES].number) == number;
}

/* Gives the page, owned by another slot, to self or to all. */
static void take_away(struct norn_slot *self, struct shadow_chunk *chunk, uint32_t number)
{
	uint32_t i = number % CHUNK_PAGES, me = (uint32_t)(self - norn_session->slot) + 1;
	self->yielding = 1; /* threads that want a page of ours need not wait for us */
	lock_taking();
	uint32_t owner = atomic_load(&chunk->owner[i]);
	if (owner != UNOWNED && owner != SHARED && owner != me) {
		/* Ours for now, even if it will be shared: a thread that comes meanwhile must wait for the old owner, too. */
		atomic_store(&chunk->owner[i], me);
		do { /* once more if the owner was just about to fill its entry; now it sees that it lost the page */
			forget(owner - 1, number);
			barrier();
			await_quiet(&norn_session->slot[owner - 1]);
		} while (remembers(owner - 1, number));
		if (chunk->handovers[i]++ >= HANDOVERS)
			atomic_store(&chunk->owner[i], SHARED);
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
	struct shadow_chunk *chunk = chunk_get(addr);
	if (!chunk) {
		self->lost++;
		return NULL;
	}
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

/* Also from those that keep it, until there is none that has an owner. */
static void share_chunk(struct norn_slot *self, struct shadow_chunk *chunk, uint32_t first)
{
	uint32_t me = (uint32_t)(self - norn_session->slot) + 1;
	for (uint32_t i = 0; i < CHUNK_PAGES; i++) {
		if (atomic_load(&chunk->owner[i]) == UNOWNED || atomic_load(&chunk->owner[i]) == SHARED)
			continue;
		chunk->handovers[i] = HANDOVERS;
		take_away(self, chunk, first + i);
		uint32_t mine = me;
		if (atomic_compare_exchange_strong(&chunk->owner[i], &mine, SHARED))
			forget(me - 1, first + i);
	}
}

void norn_shadow_share_all(void)
{
	struct norn_slot *self = norn_busy();
	norn_shadow_share();
	for (uint32_t i = 0; self && i < CHUNKS; i++) {
		struct shadow_chunk *chunk = atomic_load(&chunks[i]);
		if (chunk)
			share_chunk(self, chunk, i << (CHUNK_SHIFT - NORN_PAGE_SHIFT));
	}
	norn_idle(self);
}

/* Makes a shared page self's alone: as take_away, but from everyone. */
static void take_from_all(struct norn_slot *self, struct shadow_chunk *chunk, uint32_t number)
{
	uint32_t i = number % CHUNK_PAGES, me = (uint32_t)(self - norn_session->slot);
	struct norn_page *page = &((struct norn_page *)self->pages)[number % NORN_PAGES];
	bool again;
	self->yielding = 1;
	lock_taking();
	atomic_store(&chunk->owner[i], me + 1);
	uint32_t used = atomic_load(&norn_session->used_slots); /* slots that come later see the new owner */
	do {
		for (uint32_t slot = 0; slot < used; slot++)
			forget(slot, number);
		barrier();
		again = false;
		for (uint32_t slot = 0; slot < used; slot++) {
			if (slot != me)
				await_quiet(&norn_session->slot[slot]);
			again |= remembers(slot, number);
		}
	} while (again);
	page->cells = chunk->cells + ((uintptr_t)i << (NORN_PAGE_SHIFT + 1));
	page->shared = 0;
	atomic_store(&page->number, number);
	self->yielding = 0; /* before the next one may take the page: it must wait for us */
	atomic_store_explicit(&taking, 0, memory_order_release);
}

bool norn_page_alone(const struct norn_slot *self, const void *addr)
{
	/* No entry: another thread is taking the page away and waits for the hook to end; the value is unknown then. */
	const struct norn_page *page = norn_page_peek(self, addr);
	return !page || !page->shared;
}

void norn_page_regain(struct norn_slot *self, const void *addr, bool alone)
{
	if (norn_cell_claim(self, addr) && alone && norn_page_shared(self, addr))
		take_from_all(self, chunk_get(addr), (uint32_t)((uintptr_t)addr >> NORN_PAGE_SHIFT));
}

uint64_t norn_cell_lock(struct norn_cell *cell)
{
	uint64_t v;
	for (unsigned spins = 0; !norn_cell_try(cell, &v); spins++) {
		/* A holder is inside a hook: a few dozen instructions, unless it was descheduled. */
		if (spins % 128 == 127)
			norn_sys_yield(spins / 128);
		else
			__builtin_ia32_pause();
	}
	return v;
}
