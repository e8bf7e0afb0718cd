/* Atomic read-modify-writes: the instruction stays in the program's code, between two hooks that hold its word. Fences: it stays
 * there, too. */
#include "runtime/record/access.h"

#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/watch/watch.h"

static bool straddles(const void *addr, uint32_t bytes)
{
	return ((uintptr_t)addr & 7) + bytes > 8;
}

static unsigned cells_of(const void *addr, uint32_t bytes)
{
	return (unsigned)((((uintptr_t)addr & 7) + bytes + 7) / 8);
}

/* Replay: the step that is between its two hooks. */
static __thread uint32_t step __attribute__((tls_model("initial-exec")));

static NORN_COLD void begin(void *addr, uint32_t bytes, uint32_t site)
{
	if (norn_watching) {
		norn_catch_up();
		norn_watch_rmw_begin(addr, bytes, site);
		return;
	}
	norn_bring(addr, bytes);
	if (norn_replaying)
		step = norn_replay_step(NORN_OPERATION_RMW, site, addr, bytes);
	struct norn_slot *self = norn_busy_or_attach();
	if (!self)
		return;
	/* An atomic that straddles words is a bug of the program (or a packed struct): its words are locked, from the lowest. */
	if (straddles(addr, bytes))
		(void)*((volatile char *)addr + bytes - 1); /* if its last word faults, then while no other is locked */
	bool one_page = !(((uintptr_t)addr ^ ((uintptr_t)addr + bytes - 1)) >> NORN_PAGE_SHIFT);
	struct norn_cell *cell = one_page && norn_room(self, 2 * NORN_ROOM) ? norn_cell_claim(self, addr) : NULL;
	if (!cell) {
		norn_idle(self);
		return;
	}
	char *word = (char *)((uintptr_t)addr & ~(uintptr_t)7);
	unsigned cells = cells_of(addr, bytes);
	for (unsigned i = 0; i < cells; i++) {
		norn_cell_settle(self, &cell[i], word + i * 8ul, ~0ull, site);
		norn_hold(self, cell, i + 1);
	}
}

void __norn_rmw_begin(void *addr, uint32_t bytes, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (__builtin_expect(!self || straddles(addr, bytes), 0)) {
		begin(addr, bytes, site);
		return;
	}
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	const struct norn_page *page = norn_page_peek(self, addr);
	if (__builtin_expect(self->pos >= atomic_load_explicit(&self->limit, memory_order_relaxed), 0) || !page)
		goto slow;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t v;
	if (__builtin_expect(!norn_cell_try(cell, &v), 0))
		goto slow;
	norn_hold(self, cell, 1);
	if (__builtin_expect(*norn_word(addr) != cell->value, 0)) {
		/* Not v: if the load faulted and the handler repaired it, the cell has been released meanwhile. */
		norn_cell_publish(cell, atomic_load_explicit(&cell->version, memory_order_relaxed) & ~1ull);
		norn_release(self);
		goto slow;
	}
	return;
slow:
	self->busy = 0;
	begin(addr, bytes, site);
}

/* The record of a 16-byte access, or of one that straddles words. */
static NORN_COLD void end_wide(struct norn_slot *self, void *addr, uint32_t bytes, uint32_t site, uint32_t wrote)
{
	struct norn_cell *cell = (struct norn_cell *)(void *)self->locked;
	unsigned cells = norn_locked_cells;
	volatile uint64_t *word = norn_word(addr);
	uint64_t v[3], data[3];
	for (unsigned i = 0; i < cells; i++) {
		data[i] = word[i];
		v[i] = (atomic_load_explicit(&cell[i].version, memory_order_relaxed) & ~1ull) + (wrote ? 2 : 0);
	}
	uint64_t *pos = self->pos;
	if (wrote && bytes == 16 && cells == 2) {
		pos[0] = (uintptr_t)addr << 16 | 4 << 4 | NORN_TAG_RMW;
		pos[1] = v[0] >> 1 << 32 | site;
		pos[2] = data[0];
		pos[3] = data[1];
		pos[4] = v[1] >> 1;
		norn_append(self, 5);
	} else {
		unsigned data_units = wrote ? (bytes + 7) / 8 : 0;
		pos[0] = (uintptr_t)addr << 16 | (wrote ? NORN_RANGE_WRITE : NORN_RANGE_READ) << 4 | NORN_TAG_RANGE;
		pos[1] = (uint64_t)bytes << 32 | site;
		pos[2] = (uint64_t)cells << 32 | data_units;
		for (unsigned i = 0; i < cells; i++)
			pos[3 + i] = 1ull << 32 | (uint32_t)(v[i] >> 1);
		if (wrote) {
			pos[3 + cells + data_units - 1] = 0;
			__builtin_memcpy(&pos[3 + cells], addr, bytes);
		}
		norn_append(self, 3 + cells + data_units);
	}
	for (unsigned i = 0; i < cells; i++) {
		if (wrote)
			cell[i].value = data[i];
		norn_cell_publish(&cell[i], v[i]);
	}
	norn_release(self);
	norn_idle(self);
}

static NORN_COLD void end_step(void)
{
	uint32_t ended = step;
	step = 0;
	norn_replay_step_done(ended);
}

void __norn_rmw_end(void *addr, uint32_t bytes, uint32_t site, uint32_t wrote)
{
	struct norn_slot *self = norn_self;
	if (__builtin_expect(!self || !self->locked, 0)) {
		if (norn_watching)
			norn_watch_rmw_end(addr, bytes, site, wrote);
		if (step)
			end_step();
		return; /* or begin could not record */
	}
	if (__builtin_expect(straddles(addr, bytes), 0)) {
		end_wide(self, addr, bytes, site, wrote);
		if (step)
			end_step();
		return;
	}
	struct norn_cell *cell = (struct norn_cell *)(void *)self->locked;
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed) & ~1ull;
	uint64_t word = *norn_word(addr);
	unsigned size = (unsigned)__builtin_ctz(bytes), shift = ((uintptr_t)addr & 7) * 8;
	uint64_t *pos = self->pos;
	if (wrote) {
		v += 2;
		cell->value = word;
		pos[0] = (uintptr_t)addr << 16 | size << 4 | NORN_TAG_RMW;
		pos[1] = v >> 1 << 32 | site;
		pos[2] = bytes == 8 ? word : word >> shift & ((1ull << bytes * 8) - 1);
		norn_append(self, 3);
	} else {
		pos[0] = (uintptr_t)addr << 16 | size << 4 | NORN_TAG_READ;
		pos[1] = v >> 1 << 32 | site;
		norn_append(self, 2);
	}
	norn_cell_publish(cell, v);
	norn_release(self);
	self->busy = 0;
	if (__builtin_expect(self->pending.any, 0))
		norn_deliver_from_hook();
	if (__builtin_expect(step, 0))
		end_step();
}

/* Its place in its own thread is all that matters: there is no version, and no time. */
void __norn_fence(uint32_t site)
{
	if (norn_watching)
		return;
	struct norn_slot *self = norn_busy_or_attach();
	if (self && norn_room(self, NORN_ROOM)) {
		self->pos[0] = NORN_THREAD_FENCE << 4 | NORN_TAG_THREAD;
		self->pos[1] = site;
		self->pos[2] = 0;
		norn_append(self, 3);
	}
	norn_idle(self);
}
