/* One word, the careful way: with external writes, contention and faults. */
#include "runtime/record/access.h"

#include <x86intrin.h>

__thread uint32_t norn_locked_cells __attribute__((tls_model("initial-exec")));

bool norn_log_external(struct norn_slot *self, const void *word, uint64_t value, uint64_t version, uint32_t site)
{
	if (atomic_load_explicit(&norn_session->failed, memory_order_relaxed)) {
		self->lost++;
		return false;
	}
	/* The writer was not seen: the time stamp orders this access. */
	_mm_lfence();
	self->pos[0] = __rdtsc() << 8 | NORN_TAG_TIME;
	self->pos[1] = (uintptr_t)word << 16 | NORN_TAG_EXT;
	self->pos[2] = version >> 1 << 32 | site;
	self->pos[3] = value;
	norn_append(self, 1);
	norn_append(self, 3);
	return true;
}

uint64_t norn_cell_settle(struct norn_slot *self, struct norn_cell *cell, const void *word, uint64_t mask, uint32_t site)
{
	norn_cell_lock(cell);
	norn_hold(self, cell, 1);
	uint64_t data = *norn_word(word);
	/* After the load, as a fault in it may have let go of the cell and taken it anew. */
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed) & ~1ull;
	if ((data ^ cell->value) & mask && norn_log_external(self, word, data, v + 2, site)) {
		cell->value = data;
		norn_cell_publish(cell, (v + 2) | 1);
	}
	return data;
}

uint64_t norn_cell_read(
        struct norn_slot *self, struct norn_cell *cell, const void *word, uint64_t mask, uint32_t site, uint64_t *ret_version)
{
	/* A writer that is descheduled amid its hook is waited for in norn_cell_lock. */
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_acquire);
	uint64_t data = *norn_word(word);
	uint64_t value = *(volatile uint64_t *)&cell->value;
	uint64_t again = atomic_load_explicit(&cell->version, memory_order_acquire);
	if ((v & 1) || v != again || (data ^ value) & mask) {
		data = norn_cell_settle(self, cell, word, mask, site);
		v = atomic_load_explicit(&cell->version, memory_order_relaxed) & ~1ull;
		norn_cell_publish(cell, v);
		norn_release(self);
	}
	*ret_version = v;
	return data;
}

void norn_unlock_cell(struct norn_slot *self)
{
	struct norn_cell *cell = (struct norn_cell *)(void *)self->locked;
	self->locked = NULL;
	for (uint32_t i = 0; cell && i < norn_locked_cells; i++)
		norn_cell_publish(&cell[i], atomic_load_explicit(&cell[i].version, memory_order_relaxed) & ~1ull);
}

void norn_relock_cell(struct norn_slot *self, uint64_t *locked, uint32_t cells)
{
	struct norn_cell *cell = (struct norn_cell *)(void *)locked;
	for (uint32_t i = 0; i < cells; i++)
		norn_cell_lock(&cell[i]);
	norn_hold(self, cell, cells);
}
