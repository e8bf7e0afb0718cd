/* Single words: what the scalar hooks do when the fast path does not apply, and what ranges are made of. All functions expect
 * self to be busy. */
#ifndef NORN_RUNTIME_RECORD_ACCESS_H
#define NORN_RUNTIME_RECORD_ACCESS_H

#include "runtime/self.h"
#include "runtime/observe/observe.h"
#include "runtime/record/shadow.h"
#include "runtime/replay/replay.h"

static inline volatile uint64_t *norn_word(const void *addr)
{
	return (volatile uint64_t *)((uintptr_t)addr & ~(uintptr_t)7);
}

/* The access itself, once: bytes is 1, 2, 4 or 8. */
static inline __attribute__((always_inline)) uint64_t norn_load(const void *addr, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile uint8_t *)addr;
	case 2:
		return *(const volatile uint16_t *)addr;
	case 4:
		return *(const volatile uint32_t *)addr;
	default:
		return *(const volatile uint64_t *)addr;
	}
}

static inline __attribute__((always_inline)) void norn_store(void *addr, uint64_t value, unsigned bytes)
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

/* Memory that is not there yet may be for another thread to bring (userfaultfd). That must happen before this one holds what others
 * wait for: the observer's lock, or its turn in a replay. Recording holds nothing of the kind. */
static inline void norn_bring(const void *addr, size_t bytes)
{
	if (__builtin_expect(norn_observing || norn_replaying, 0))
		for (size_t at = 0; at < bytes; at += NORN_RANGE_PIECE)
			(void)*((const volatile char *)addr + at);
}

/* Marks cells as held by self, for the case that an access in between faults. */
static inline void norn_hold(struct norn_slot *self, struct norn_cell *cell, uint32_t cells)
{
	norn_locked_cells = cells;
	self->locked = (uint64_t *)&cell->version;
	__asm__ volatile("" ::: "memory");
}

static inline void norn_release(struct norn_slot *self)
{
	__asm__ volatile("" ::: "memory");
	self->locked = NULL;
}

/* Appends an external write of value, which makes version (shifted, as in a cell), unless recording has stopped. The caller has
 * made sure of the room: a flush here would yield, and lose the right to touch the cell that is held. */
bool norn_log_external(struct norn_slot *self, const void *word, uint64_t value, uint64_t version, uint32_t site);

/* Locks the cell and, if the word does not hold what the cell says, in the bits of the mask, logs an external write and adopts its
 * value; the cell's version word is then already that of the external write, with the lock bit. Returns the word's contents. */
uint64_t norn_cell_settle(struct norn_slot *self, struct norn_cell *cell, const void *word, uint64_t mask, uint32_t site);

/* Reads a word, of which the bits of the mask matter, and its version (shifted, even), settling external writes first. */
uint64_t norn_cell_read(
        struct norn_slot *self, struct norn_cell *cell, const void *word, uint64_t mask, uint32_t site, uint64_t *ret_version);

#endif
