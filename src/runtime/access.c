/* The scalar hooks: loads and stores of 1, 2, 4 and 8 bytes. This is the hot path of the whole product. */
#include "runtime/access.h"

#include <string.h>

#include "runtime/hooks.h"

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS uint64_t mask_of(unsigned bytes)
{
	return bytes == 8 ? ~0ull : (1ull << bytes * 8) - 1;
}

/* Straddles two words: a range then. */
ALWAYS bool straddles(const void *addr, unsigned bytes)
{
	return bytes > 1 && ((uintptr_t)addr & 7) + bytes > 8;
}

ALWAYS uint64_t load(const void *addr, unsigned bytes)
{
	uint64_t value = 0;
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)addr;
	case 2:
		return *(const volatile uint16_t *)addr;
	case 4:
		return *(const volatile uint32_t *)addr;
	default:
		value = *(const volatile uint64_t *)addr;
		return value;
	}
}

ALWAYS void store(void *addr, uint64_t value, unsigned bytes)
{
	switch (bytes) {
	case 1:
		*(volatile uint8_t *)addr = (uint8_t)value;
		break;
	case 2:
		*(volatile uint16_t *)addr = (uint16_t)value;
		break;
	case 4:
		*(volatile uint32_t *)addr = (uint32_t)value;
		break;
	default:
		*(volatile uint64_t *)addr = value;
	}
}

/* After the lock is held: contents, value and record of a write, then its publication. */
ALWAYS void commit(
        struct norn_slot *self, struct norn_cell *cell, void *addr, uint64_t value, uint64_t old, unsigned bytes, uint32_t site)
{
	unsigned shift = ((uintptr_t)addr & 7) * 8;
	uint64_t mask = mask_of(bytes) << shift;
	store(addr, value, bytes);
	/* Loaded again, since a fault in the store may have let go of the cell and taken it anew. */
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed) | 1;
	cell->value = (old & ~mask) | (value << shift & mask);
	uint64_t *pos = self->pos;
	pos[0] = (uintptr_t)addr << 16 | (unsigned)__builtin_ctz(bytes) << 4 | NORN_TAG_WRITE;
	pos[1] = (v + 1) >> 1 << 32 | site;
	pos[2] = value;
	norn_append(self, 3);
	norn_cell_publish(cell, v + 1);
	norn_release(self);
}

static NORN_COLD uint64_t read_slow(const void *addr, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_busy_or_attach();
	uint64_t value = 0;
	if (!self)
		return load(addr, bytes);
	if (straddles(addr, bytes)) {
		norn_idle(self);
		__norn_readn(&value, addr, bytes, site);
		return value;
	}
	struct norn_cell *cell = norn_room(self, NORN_ROOM) ? norn_cell_claim(self, addr) : NULL;
	if (!cell) {
		value = load(addr, bytes);
	} else {
		uint64_t v;
		uint64_t word = norn_cell_read(self, cell, (const void *)norn_word(addr), site, &v);
		value = word >> ((uintptr_t)addr & 7) * 8 & mask_of(bytes);
		self->pos[0] = (uintptr_t)addr << 16 | (unsigned)__builtin_ctz(bytes) << 4 | NORN_TAG_READ;
		self->pos[1] = v >> 1 << 32 | site;
		norn_append(self, 2);
	}
	norn_idle(self);
	return value;
}

static NORN_COLD void write_slow(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_busy_or_attach();
	if (!self) {
		store(addr, value, bytes);
		return;
	}
	if (straddles(addr, bytes)) {
		norn_idle(self);
		__norn_writen(addr, &value, bytes, site);
		return;
	}
	struct norn_cell *cell = norn_room(self, NORN_ROOM) ? norn_cell_claim(self, addr) : NULL;
	if (!cell) {
		store(addr, value, bytes);
	} else {
		uint64_t old = norn_cell_settle(self, cell, (const void *)norn_word(addr), site);
		commit(self, cell, addr, value, old, bytes, site);
	}
	norn_idle(self);
}

ALWAYS void leave_hook(struct norn_slot *self)
{
	__asm__ volatile("" ::: "memory");
	self->busy = 0;
	if (__builtin_expect(self->pending, 0))
		norn_deliver_kept();
}

ALWAYS uint64_t read_hook(const void *addr, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (__builtin_expect(!self || straddles(addr, bytes), 0))
		return read_slow(addr, bytes, site);
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	uint64_t *pos = self->pos;
	const struct norn_page *page = norn_page_peek(self, addr);
	if (__builtin_expect(pos >= atomic_load_explicit(&self->limit, memory_order_relaxed), 0) || !page)
		goto slow;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_acquire);
	uint64_t word = *norn_word(addr);
#ifndef NORN_MUTATE_NO_RECHECK /* a control for the tests: the reader does not look at the version again */
	if (__builtin_expect(word != *(volatile uint64_t *)&cell->value, 0) ||
	        __builtin_expect(v != atomic_load_explicit(&cell->version, memory_order_acquire), 0) || __builtin_expect(v & 1, 0))
		goto slow;
#endif
	pos[0] = (uintptr_t)addr << 16 | (unsigned)__builtin_ctz(bytes) << 4 | NORN_TAG_READ;
	pos[1] = v << 31 | site;
	__asm__ volatile("" ::: "memory");
	self->pos = pos + 2;
	leave_hook(self);
	return word >> ((uintptr_t)addr & 7) * 8;
slow:
	self->busy = 0;
	return read_slow(addr, bytes, site);
}

/* On a page that is ours alone. If the store faults, nothing has changed yet. */
ALWAYS void write_owned(
        struct norn_slot *self, struct norn_cell *cell, void *addr, uint64_t value, uint64_t old, unsigned bytes, uint32_t site)
{
	unsigned shift = ((uintptr_t)addr & 7) * 8;
	uint64_t mask = mask_of(bytes) << shift, *pos = self->pos;
	store(addr, value, bytes);
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed) + 2;
	cell->value = (old & ~mask) | (value << shift & mask);
	atomic_store_explicit(&cell->version, v, memory_order_relaxed);
	pos[0] = (uintptr_t)addr << 16 | (unsigned)__builtin_ctz(bytes) << 4 | NORN_TAG_WRITE;
	pos[1] = v << 31 | site;
	pos[2] = value;
	__asm__ volatile("" ::: "memory");
	self->pos = pos + 3;
}

ALWAYS void write_hook(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (__builtin_expect(!self || straddles(addr, bytes), 0)) {
		write_slow(addr, value, bytes, site);
		return;
	}
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	const struct norn_page *page = norn_page_peek(self, addr);
	if (__builtin_expect(self->pos >= atomic_load_explicit(&self->limit, memory_order_relaxed), 0) || !page)
		goto slow;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t v;
	if (!page->shared) {
		uint64_t old = *norn_word(addr);
		if (__builtin_expect(old != cell->value, 0))
			goto slow;
		write_owned(self, cell, addr, value, old, bytes, site);
	} else {
		if (__builtin_expect(!norn_cell_try(cell, &v), 0))
			goto slow;
		norn_hold(self, cell, 1);
		uint64_t old = *norn_word(addr);
		if (__builtin_expect(old != cell->value, 0)) {
			norn_cell_publish(cell, v);
			norn_release(self);
			goto slow;
		}
		commit(self, cell, addr, value, old, bytes, site);
	}
	leave_hook(self);
	return;
slow:
	self->busy = 0;
	write_slow(addr, value, bytes, site);
}

uint8_t __norn_read1(const void *addr, uint32_t site)
{
	return (uint8_t)read_hook(addr, 1, site);
}

uint16_t __norn_read2(const void *addr, uint32_t site)
{
	return (uint16_t)read_hook(addr, 2, site);
}

uint32_t __norn_read4(const void *addr, uint32_t site)
{
	return (uint32_t)read_hook(addr, 4, site);
}

uint64_t __norn_read8(const void *addr, uint32_t site)
{
	return read_hook(addr, 8, site);
}

void __norn_write1(void *addr, uint8_t value, uint32_t site)
{
	write_hook(addr, value, 1, site);
}

void __norn_write2(void *addr, uint16_t value, uint32_t site)
{
	write_hook(addr, value, 2, site);
}

void __norn_write4(void *addr, uint32_t value, uint32_t site)
{
	write_hook(addr, value, 4, site);
}

void __norn_write8(void *addr, uint64_t value, uint32_t site)
{
	write_hook(addr, value, 8, site);
}
