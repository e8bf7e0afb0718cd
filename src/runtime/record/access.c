/* The scalar hooks: loads and stores of 1, 2, 4 and 8 bytes. This is the hot path of the whole product. */
#include "runtime/record/access.h"

#include <string.h>

#include "runtime/replay/replay.h"
#include "runtime/hooks.h"
#include "runtime/watch/watch.h"
#include "runtime/watch/watch_step.h"

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

/* The first two units of an access, as four stores instead of shifts and masks: the address goes to bytes 2 to 9, and what
 * belongs to bytes 8 and 9 comes after it. Few registers matter here, as each one used is one saved and restored. */
ALWAYS void put(uint64_t *pos, const void *addr, unsigned tag, unsigned bytes, uint32_t site, uint32_t version)
{
	char *at = (char *)pos;
	__builtin_memcpy(at + 2, &addr, 8);
	__asm__ volatile("" ::: "memory");
	*(uint16_t *)at = (uint16_t)((unsigned)__builtin_ctz(bytes) << 4 | tag);
	((uint32_t *)at)[2] = site;
	((uint32_t *)at)[3] = version;
}

ALWAYS void advance(struct norn_slot *self, uint64_t *pos)
{
	__asm__ volatile("" ::: "memory");
	self->pos = pos;
	__asm__ volatile("" ::: "memory");
}

/* The part of a cell's value that belongs to addr. Only the accessed bytes are compared and set, with the width of the access: a
 * load that is wider than the store before it would stall. Writes of uninstrumented code to the other bytes are noticed when they
 * are read. */
ALWAYS void *known(struct norn_cell *cell, const void *addr)
{
	return (char *)&cell->value + ((uintptr_t)addr & 7);
}

/* After the lock is held: contents, value and record of a write, then its publication. */
ALWAYS void commit(struct norn_slot *self, struct norn_cell *cell, void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	norn_store(addr, value, bytes);
	/* Loaded again, since a fault in the store may have let go of the cell and taken it anew. */
	uint64_t v = (atomic_load_explicit(&cell->version, memory_order_relaxed) | 1) + 1;
	norn_store(known(cell, addr), value, bytes);
	uint64_t *pos = self->pos;
	put(pos, addr, NORN_TAG_WRITE, bytes, site, (uint32_t)(v >> 1));
	pos[2] = value;
	advance(self, pos + 3);
	norn_cell_publish(cell, v);
	norn_release(self);
}

/* A read of two words of one page with no concurrent write; false: nothing has happened. Programs that compress or parse read
 * like this all the time. */
ALWAYS bool read_span(struct norn_slot *self, const void *addr, unsigned bytes, uint32_t site, uint64_t *ret_value)
{
	const struct norn_page *page = norn_page_peek(self, addr);
	unsigned shift = ((uintptr_t)addr & 7) * 8;
	if (!page || ((uintptr_t)addr & ((1u << NORN_PAGE_SHIFT) - 1)) + bytes > 1u << NORN_PAGE_SHIFT)
		return false;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t low = atomic_load_explicit(&cell[0].version, memory_order_acquire);
	uint64_t high = atomic_load_explicit(&cell[1].version, memory_order_acquire);
	uint64_t value = norn_load(addr, bytes);
	uint64_t expected = *(volatile uint64_t *)&cell[0].value >> shift | *(volatile uint64_t *)&cell[1].value << (64 - shift);
	__asm__ volatile("" ::: "memory");
	if ((low | high) & 1 || (value ^ expected) & mask_of(bytes) || low != NORN_PLAIN(uint64_t, cell[0].version) ||
	        high != NORN_PLAIN(uint64_t, cell[1].version))
		return false;
	uint64_t *pos = self->pos;
	if (pos >= atomic_load_explicit(&self->limit, memory_order_relaxed))
		return false;
	uint32_t off = (uint32_t)(high >> 1) - (uint32_t)(low >> 1);
	put(pos, addr, NORN_READ_SPAN << 4 | NORN_TAG_READ, bytes, site, (uint32_t)(low >> 1));
	pos[2] = off << 1 ^ (uint32_t)((int32_t)off >> 31);
	advance(self, pos + 3);
	*ret_value = value;
	return true;
}

ALWAYS uint64_t read_slow(const void *addr, unsigned bytes, uint32_t site)
{
	if (norn_watching) {
		norn_catch_up();
		return norn_watch_read(addr, bytes, site);
	}
	norn_bring(addr, bytes);
	uint32_t step = norn_replaying && !straddles(addr, bytes) ? norn_replay_step(NORN_OPERATION_READ, site, addr, bytes) : 0;
	struct norn_slot *self = norn_busy_or_attach();
	uint64_t value = 0;
	if (!self)
		return norn_load(addr, bytes);
	if (straddles(addr, bytes)) {
		bool done = !norn_replaying && read_span(self, addr, bytes, site, &value);
		norn_idle(self);
		if (!done)
			__norn_readn(&value, addr, bytes, site);
		return value;
	}
	struct norn_cell *cell = norn_room(self, NORN_ROOM) ? norn_cell_claim(self, addr) : NULL;
	if (!cell) {
		value = norn_load(addr, bytes);
	} else {
		uint64_t v;
		/* The bytes beside it are not looked at, as in the hot path: what malloc left there is nobody's write. */
		unsigned shift = ((uintptr_t)addr & 7) * 8;
		uint64_t word = norn_cell_read(self, cell, (const void *)norn_word(addr), mask_of(bytes) << shift, site, &v);
		value = word >> shift & mask_of(bytes);
		self->pos[0] = (uintptr_t)addr << 16 | (unsigned)__builtin_ctz(bytes) << 4 | NORN_TAG_READ;
		self->pos[1] = v >> 1 << 32 | site;
		norn_append(self, 2);
	}
	norn_idle(self);
	norn_step_end(step);
	return value;
}

ALWAYS void write_slow(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	norn_bring(addr, bytes);
	uint32_t step = norn_replaying && !straddles(addr, bytes) ? norn_replay_step(NORN_OPERATION_WRITE, site, addr, bytes) : 0;
	struct norn_slot *self = norn_busy_or_attach();
	if (!self) {
		norn_store(addr, value, bytes);
		return;
	}
	if (straddles(addr, bytes)) {
		norn_idle(self);
		__norn_writen(addr, &value, bytes, site);
		return;
	}
	struct norn_cell *cell = norn_room(self, NORN_ROOM) ? norn_cell_claim(self, addr) : NULL;
	if (!cell) {
		norn_store(addr, value, bytes);
	} else {
		norn_cell_lock(cell);
		norn_hold(self, cell, 1);
		commit(self, cell, addr, value, bytes, site);
	}
	norn_idle(self);
	norn_step_end(step);
}

ALWAYS void enter_hook(struct norn_slot *self)
{
	self->busy++;
	__asm__ volatile("" ::: "memory");
}

ALWAYS void leave_hook(struct norn_slot *self)
{
	__asm__ volatile("" ::: "memory");
	if (--self->busy == 0 && __builtin_expect(self->pending.any, 0))
		norn_deliver_from_hook();
}

/* A write to a page that several threads use. */
ALWAYS void write_shared(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	if (norn_watching) {
		norn_catch_up();
		norn_watch_write(addr, value, bytes, site);
		return;
	}
	struct norn_slot *self = norn_self;
	if (!self || straddles(addr, bytes)) {
		write_slow(addr, value, bytes, site);
		return;
	}
	enter_hook(self);
	const struct norn_page *page = norn_page_peek(self, addr);
	if (!page || self->pos >= atomic_load_explicit(&self->limit, memory_order_relaxed))
		goto slow;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t v;
	if (__builtin_expect(!norn_cell_try(cell, &v), 0))
		goto slow;
	norn_hold(self, cell, 1);
	commit(self, cell, addr, value, bytes, site);
	leave_hook(self);
	return;
slow:
	self->busy = 0;
	write_slow(addr, value, bytes, site);
}

/* The hot path of a read: true and the value, or false and nothing has happened. ret_pending: a signal has come meanwhile, or
 * something else waits for the hook's end. */
ALWAYS bool read_fast(const void *addr, unsigned bytes, uint32_t site, uint64_t *ret_value, bool *ret_pending)
{
	struct norn_slot *self = norn_self;
	*ret_pending = false;
	if (__builtin_expect(!self, 0) || __builtin_expect(straddles(addr, bytes), 0))
		return false;
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	const struct norn_page *page = norn_page_peek(self, addr);
	if (!page)
		goto slow;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_acquire);
	uint64_t value = norn_load(addr, bytes);
#ifndef NORN_MUTATE_NO_RECHECK /* a control for the tests: the reader does not look at the version again */
	if (__builtin_expect(v & 1, 0) || __builtin_expect(value != norn_load(known(cell, addr), bytes), 0))
		goto slow;
	__asm__ volatile("" ::: "memory");
	if (__builtin_expect(v != NORN_PLAIN(uint64_t, cell->version), 0))
		goto slow;
#endif
	uint64_t *pos = self->pos;
	if (__builtin_expect(pos >= NORN_PLAIN(uint64_t *, self->limit), 0))
		goto slow;
	put(pos, addr, NORN_TAG_READ, bytes, site, (uint32_t)(v >> 1));
	advance(self, pos + 2);
	self->busy = 0;
	*ret_value = value;
	*ret_pending = self->pending.any;
	return true;
slow:
	self->busy = 0;
	*ret_pending = self->pending.any;
	return false;
}

ALWAYS bool write_fast(void *addr, uint64_t value, unsigned bytes, uint32_t site, bool *ret_pending)
{
	struct norn_slot *self = norn_self;
	*ret_pending = false;
	if (__builtin_expect(!self, 0) || __builtin_expect(straddles(addr, bytes), 0))
		return false;
	self->busy = 1;
	__asm__ volatile("" ::: "memory");
	const struct norn_page *page = norn_page_peek(self, addr);
	/* On a shared page the cell must be locked: not so hot. */
	if (!page || page->shared)
		goto slow;
	struct norn_cell *cell = norn_cell_in(page, addr);
	if (__builtin_expect(self->pos >= NORN_PLAIN(uint64_t *, self->limit), 0))
		goto slow;
	norn_store(addr, value, bytes); /* if this faults, nothing has changed yet */
	uint64_t *pos = *(uint64_t *volatile *)&self->pos; /* and a handler that repaired the fault has logged, too */
	/* The first touch of a cell is a store: after a load, the kernel would have to take its page of zeros away again. */
	norn_store(known(cell, addr), value, bytes);
	uint64_t v = atomic_load_explicit(&cell->version, memory_order_relaxed) + 2;
	atomic_store_explicit(&cell->version, v, memory_order_relaxed);
	put(pos, addr, NORN_TAG_WRITE, bytes, site, (uint32_t)(v >> 1));
	pos[2] = value;
	advance(self, pos + 3);
	self->busy = 0;
	*ret_pending = self->pending.any;
	return true;
slow:
	self->busy = 0;
	*ret_pending = self->pending.any;
	return false;
}

/* Watch mode, and no property reads this address. */
ALWAYS bool is_ignored(const void *addr)
{
	return (uintptr_t)addr - atomic_load_explicit(&norn_watch_low, memory_order_relaxed) >=
	       atomic_load_explicit(&norn_watch_span, memory_order_relaxed);
}

/* Watched, and the cache did not tell that it has no effect. */
ALWAYS uint64_t read_word(const void *addr, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_self;
	uint64_t value;
	if (__builtin_expect((uintptr_t)addr % bytes, 0) && straddles(addr, bytes))
		return norn_watch_read(addr, bytes, site);
	if (__builtin_expect(!self, 0))
		goto slow;
	enter_hook(self);
	if (norn_step_read(addr, bytes, &value)) {
		leave_hook(self);
		return value;
	}
	leave_hook(self);
slow:
	return norn_watch_word(NORN_EVENT_READ, (void *)(uintptr_t)addr, 0, bytes, site);
}

ALWAYS void write_word(void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (__builtin_expect((uintptr_t)addr % bytes, 0) && straddles(addr, bytes)) {
		norn_watch_write(addr, value, bytes, site);
		return;
	}
	if (__builtin_expect(!self, 0))
		goto slow;
	enter_hook(self);
	if (norn_step_write(self, addr, value, bytes, site)) {
		leave_hook(self);
		return;
	}
	leave_hook(self);
slow:
	norn_watch_word(NORN_EVENT_WRITE, addr, value, bytes, site);
}

/* Each hook is its hot path, and jumps to a function of the same signature for the rest, so that it needs no frame of its own.
 * Without a session nothing is recorded: hooks only perform the access.
 * The jump must pass on the hook's own arguments, unchanged: before a tail call from a preserve_most function clang 19 restores all
 * registers that it saved, those of the arguments included. So a value that was read before signals are let in waits here. */
#define TAIL __attribute__((musttail)) return
static __thread uint64_t read_value __attribute__((tls_model("initial-exec")));

#define BYTES 1
#define TYPE uint8_t
#include "runtime/record/access_sized.h"

#define BYTES 2
#define TYPE uint16_t
#include "runtime/record/access_sized.h"

#define BYTES 4
#define TYPE uint32_t
#include "runtime/record/access_sized.h"

#define BYTES 8
#define TYPE uint64_t
#include "runtime/record/access_sized.h"
